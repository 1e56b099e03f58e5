import { bulkLimits } from "../../contract/bulk/bulk.ts";
import type { Clock, Timer } from "../../domain/clock.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import type { BulkMetrics } from "../../telemetry/bulk-metrics.ts";
import { HttpProblemError } from "../problem-response.ts";
import { type CloseReason, Stream } from "./stream.ts";

/** How often slow callers are looked for. */
const CHECK_MS = 500;

/** The streams that run. Limits their number, in total and for each caller, and closes those of slow callers. */
export class StreamPlaces {
  readonly #streams = new Set<Stream>();
  readonly #patienceMs: number;
  readonly #metrics: BulkMetrics;
  readonly #clock: Clock;
  #timer: Timer | undefined;

  /** A caller may keep a stream waiting for `patienceMs`. */
  constructor(patienceMs: number, metrics: BulkMetrics, clock: Clock) {
    this.#patienceMs = patienceMs;
    this.#metrics = metrics;
    this.#clock = clock;
  }

  /**
   * Takes a place. If all are taken, closes the stream that has been idle for longest. Throws `unavailable` if the
   * owner has its share, or if no stream is idle.
   */
  open(owner: string): Stream {
    const { streams, streamsPerCaller } = bulkLimits;
    if (this.#countOf(owner) >= streamsPerCaller) {
      this.#metrics.refused.share++;
      throw tryLater(
        `This caller runs ${streamsPerCaller} imports and exports already, the most that one key or address may run at a time. Wait until one of them has ended.`,
      );
    }
    if (this.#streams.size >= streams && !this.#closeIdlest()) {
      this.#metrics.refused.full++;
      throw tryLater("Too many imports and exports are running. Try again shortly.");
    }
    const stream = new Stream(owner, this.#patienceMs, this.#clock, (ended) => this.#remove(ended));
    this.#streams.add(stream);
    this.#metrics.open = this.#streams.size;
    this.#timer ??= this.#clock.every(CHECK_MS, () => this.#closeSlow());
    return stream;
  }

  #countOf(owner: string): number {
    let count = 0;
    for (const stream of this.#streams) if (stream.owner === owner) count++;
    return count;
  }

  #remove(stream: Stream): void {
    this.#streams.delete(stream);
    this.#metrics.open = this.#streams.size;
    if (this.#streams.size > 0) return;
    this.#timer?.clear();
    this.#timer = undefined;
  }

  /** Returns false if no stream has been idle for long enough. */
  #closeIdlest(): boolean {
    const now = this.#clock.running();
    let idlest: Stream | undefined;
    let idleMs = bulkLimits.idleSeconds * 1000;
    for (const stream of this.#streams) {
      if (stream.idleMs(now) < idleMs) continue;
      idlest = stream;
      idleMs = stream.idleMs(now);
    }
    if (!idlest) return false;
    const seconds = Math.floor(idleMs / 1000);
    this.#close(
      idlest,
      "idle",
      tryLater(`The service had waited ${seconds} s for this caller, and another caller needed its place.`),
    );
    return true;
  }

  #closeSlow(): void {
    const now = this.#clock.running();
    for (const stream of this.#streams) {
      if (stream.isTooSlow(now)) this.#close(stream, "slow", tooSlow());
    }
  }

  #close(stream: Stream, reason: CloseReason, problem: ProblemError): void {
    this.#metrics.closed[reason]++;
    stream.close(problem);
  }
}

function tryLater(detail: string): ProblemError {
  return new ProblemError("unavailable", detail);
}

function tooSlow(): ProblemError {
  return new HttpProblemError("request-timeout", "The request body arrived too slowly.", {
    connection: "close",
  });
}
