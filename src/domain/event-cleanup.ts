import { setTimeout as sleep } from "node:timers/promises";
import type { EventStore } from "./event-store.ts";
import type { DatabaseMonitor } from "./key-ring.ts";

const DAY_MS = 86_400_000;
const INTERVAL_MS = 60_000;
/** After each step, the cleanup pauses this many times as long as the step took. */
const PAUSE_FACTOR = 4;

/** How long events are kept, and how many. */
export interface EventLimits {
  readonly days: number;
  /** Undefined for no limit. */
  readonly max: number | undefined;
}

/** Removes old events in the background, in small steps. Any number of nodes can do this at the same time. */
export class EventCleanup {
  readonly #events: EventStore;
  readonly #limits: EventLimits;
  readonly #clock: () => number;
  readonly #stopped = new AbortController();
  #running: Promise<void> = Promise.resolve();

  /** Only tests replace the clock. */
  constructor(events: EventStore, limits: EventLimits, clock: () => number = Date.now) {
    this.#events = events;
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Runs once a minute until `stop`. Failures are retried. */
  start(monitor: DatabaseMonitor): void {
    this.#running = this.#repeat(monitor).catch(() => undefined);
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }

  /** Removes every event that is too old or too many, and returns the number. */
  async run(): Promise<number> {
    const { days, max } = this.#limits;
    const before = this.#clock() - days * DAY_MS;
    let total = 0;
    while (!this.#stopped.signal.aborted) {
      const start = performance.now();
      const removed = await this.#events.removeOldest({ before, ...(max !== undefined && { max }) });
      if (removed === 0) break;
      total += removed;
      await this.#pause((performance.now() - start) * PAUSE_FACTOR);
    }
    return total;
  }

  async #repeat(monitor: DatabaseMonitor): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      const start = performance.now();
      try {
        await this.run();
      } catch (error) {
        monitor.failed(error, "write", start);
      }
      // Nodes that start together do not run together.
      await this.#pause(INTERVAL_MS * (0.5 + Math.random()));
    }
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stopped.signal, ref: false }).catch(() => undefined);
  }
}
