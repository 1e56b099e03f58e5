const MAX_CONCURRENCY = 32;
/** A webhook is disabled after this long with nothing but failures. */
const FAILING_MS = 5 * 86_400_000;

/** How a receiver has answered lately, and what that means for the next deliveries. */
export class ReceiverHealth {
  #failingSince: number | null;
  #pausedUntil = 0;
  #concurrency = MAX_CONCURRENCY;

  constructor(failingSince: number | null) {
    this.#failingSince = failingSince;
  }

  /** Every delivery since this time has failed; null if the last one succeeded. */
  get failingSince(): number | null {
    return this.#failingSince;
  }

  /** The receiver asked for a pause until then. */
  get pausedUntil(): number {
    return this.#pausedUntil;
  }

  /** How many attempts may run at the same time: fewer after failures, so that a dead receiver occupies little. */
  get concurrency(): number {
    return this.#concurrency;
  }

  isFailingTooLong(now: number): boolean {
    return this.#failingSince !== null && now - this.#failingSince >= FAILING_MS;
  }

  /** Returns how long deliveries have failed until now; 0 if they did not. */
  succeed(now: number): number {
    this.#concurrency = Math.min(this.#concurrency * 2, MAX_CONCURRENCY);
    const outageMs = this.#failingSince === null ? 0 : now - this.#failingSince;
    this.#failingSince = null;
    return outageMs;
  }

  /** Returns whether this is the first failure after a success. */
  fail(now: number, retryAfterMs: number | undefined): boolean {
    this.#concurrency = Math.max(1, Math.floor(this.#concurrency / 2));
    if (retryAfterMs !== undefined) this.#pausedUntil = now + retryAfterMs;
    const isFirst = this.#failingSince === null;
    this.#failingSince ??= now;
    return isFirst;
  }
}
