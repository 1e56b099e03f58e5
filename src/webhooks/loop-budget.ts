import type { Clock } from "../domain/clock.ts";

/** Deliveries use at most this much of the event loop at a time. */
const SLICE_MS = 2;
/** The part of the event loop that deliveries get: at least, and at most. */
const SHARE = { least: 0.02, most: 0.5 } as const;
/** With fewer requests in a second, nobody waits for the event loop, and deliveries get the most. */
const FEW_REQUESTS = 5;
/** CPU time of deliveries for each CPU time of everything else, while callers send requests. */
const RATIO = 0.4;
/**
 * CPU time of a delivery for each millisecond that its request and its response keep the event loop. The rest is in sockets,
 * records, and other threads.
 */
const CPU_PER_LOOP_MS = 3;
const SECOND_MS = 1000;
/** How often the share changes: soon enough that deliveries make way for the first requests after a quiet time. */
const PERIOD_MS = 250;

/** What the budget measures, as totals so far. */
export interface LoopUse {
  /** How long deliveries have kept the event loop. */
  deliveriesMs(): number;
  /** CPU time of the process, in all threads. */
  cpuMs(): number;
  /** Requests that the service has answered. */
  requests(): number;
}

/**
 * How much of the event loop deliveries may use. While callers send requests, all deliveries together cost less than the requests
 * do: many webhooks make deliveries late, not requests slow.
 */
export class LoopBudget {
  readonly #clock: Clock;
  readonly #use: LoopUse;
  #share: number = SHARE.least;
  /** What deliveries may use now, at most a slice; less than 0 if they used more. */
  #savedMs = SLICE_MS;
  #at: number;
  #usedMs: number;
  /** When the running period began, and the totals of then. */
  #period: {
    readonly at: number;
    readonly deliveriesMs: number;
    readonly cpuMs: number;
    readonly requests: number;
  };

  constructor(clock: Clock, use: LoopUse) {
    this.#clock = clock;
    this.#use = use;
    this.#at = clock.monotonic();
    this.#usedMs = use.deliveriesMs();
    this.#period = this.#measure(this.#at);
  }

  /** Whether deliveries have to wait. */
  get isSpent(): boolean {
    this.#update();
    return this.#savedMs <= 0;
  }

  /** How long until half a slice is saved; 0 if something is left. */
  get waitMs(): number {
    this.#update();
    return this.#savedMs > 0 ? 0 : (SLICE_MS / 2 - this.#savedMs) / this.#share;
  }

  #update(): void {
    const now = this.#clock.monotonic();
    const usedMs = this.#use.deliveriesMs();
    const savedMs = Math.min(SLICE_MS, this.#savedMs + (now - this.#at) * this.#share);
    this.#savedMs = savedMs - (usedMs - this.#usedMs);
    this.#at = now;
    this.#usedMs = usedMs;
    if (now - this.#period.at >= PERIOD_MS) this.#chooseShare(now);
  }

  /** For the next period, by the last one. */
  #chooseShare(now: number): void {
    const [last, next] = [this.#period, this.#measure(now)];
    const elapsedMs = next.at - last.at;
    const requestsPerSecond = ((next.requests - last.requests) * SECOND_MS) / elapsedMs;
    const deliveriesCpuMs = (next.deliveriesMs - last.deliveriesMs) * CPU_PER_LOOP_MS;
    const othersCpuMs = next.cpuMs - last.cpuMs - deliveriesCpuMs;
    const fairShare = (othersCpuMs * RATIO) / CPU_PER_LOOP_MS / elapsedMs;
    this.#share =
      requestsPerSecond < FEW_REQUESTS ? SHARE.most : Math.min(Math.max(fairShare, SHARE.least), SHARE.most);
    this.#period = next;
  }

  #measure(at: number) {
    const { deliveriesMs, cpuMs, requests } = this.#use;
    return { at, deliveriesMs: deliveriesMs(), cpuMs: cpuMs(), requests: requests() };
  }
}
