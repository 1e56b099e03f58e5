const MAX_CONCURRENCY = 32;
/** A webhook is disabled after this long with nothing but failures. */
const FAILING_MS = 5 * 86_400_000;
/** The pause after an attempt without a connection: as long as deliveries have failed so far, within these limits. */
const UNREACHED_PAUSE_MS = { least: 5000, most: 60_000 } as const;

/** What a failed attempt says about the receiver. */
export interface Failure {
  /** False if there was no connection. */
  readonly isReached: boolean;
  /** How long the receiver asks to wait. */
  readonly retryAfterMs: number | undefined;
}

/** How a receiver has answered lately, and what that means for the next deliveries. */
export class ReceiverHealth {
  #failingSince: number | null;
  /** The receiver asked for a pause, or did not accept a connection. */
  readonly #pausedUntil = { asked: 0, unreached: 0 };
  #concurrency: number;

  /** A receiver that was failing gets one attempt first. */
  constructor(failingSince: number | null) {
    this.#failingSince = failingSince;
    this.#concurrency = failingSince === null ? MAX_CONCURRENCY : 1;
  }

  /** Every delivery since this time has failed; null if the last one succeeded. */
  get failingSince(): number | null {
    return this.#failingSince;
  }

  /** Nothing is sent until then: the receiver asked for it, or does not accept connections. */
  get pausedUntil(): number {
    return Math.max(this.#pausedUntil.asked, this.#pausedUntil.unreached);
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
    this.#pausedUntil.unreached = 0;
    const outageMs = this.#failingSince === null ? 0 : now - this.#failingSince;
    this.#failingSince = null;
    return outageMs;
  }

  /** Returns whether this is the first failure after a success. */
  fail(now: number, { isReached, retryAfterMs }: Failure): boolean {
    this.#concurrency = isReached ? Math.max(1, Math.floor(this.#concurrency / 2)) : 1;
    const isFirst = this.#failingSince === null;
    this.#failingSince ??= now;
    if (retryAfterMs !== undefined) this.#pausedUntil.asked = now + retryAfterMs;
    if (!isReached) {
      const { least, most } = UNREACHED_PAUSE_MS;
      this.#pausedUntil.unreached = now + Math.min(Math.max(now - this.#failingSince, least), most);
    }
    return isFirst;
  }
}
