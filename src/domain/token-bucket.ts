import type { RateLimit } from "../contract/key-schemas.ts";

/** A token that has come back in parts may lack what their rounding took. It counts as whole, and is not forgotten. */
const ROUNDING = 1e-6;

/**
 * Holds a caller to a rate: as many requests as the limit says may come at once, and as many in the long run. Times are
 * milliseconds of any clock that does not run backwards.
 */
export class TokenBucket {
  #tokens: number;
  #at = Number.NEGATIVE_INFINITY;
  readonly #perMs: number;

  constructor(readonly limit: RateLimit) {
    this.#tokens = limit.requests;
    this.#perMs = limit.requests / (limit.seconds * 1000);
  }

  /** Takes one token; false if there is none. */
  take(now: number): boolean {
    this.#fill(now);
    if (this.#tokens < 1 - ROUNDING) return false;
    this.#tokens--;
    return true;
  }

  /** Gives back a token that was taken for nothing. */
  refund(): void {
    this.#tokens = Math.min(this.limit.requests, this.#tokens + 1);
  }

  /** How many requests may come now. */
  get remaining(): number {
    return Math.max(0, Math.floor(this.#tokens + ROUNDING));
  }

  /** Whole seconds until there is a token again. */
  get retryAfterSeconds(): number {
    return Math.max(1, Math.ceil((1 - ROUNDING / 2 - this.#tokens) / this.#perMs / 1000));
  }

  /** Whether it is as it was when it was new, so that nothing is lost with it. */
  isFull(now: number): boolean {
    this.#fill(now);
    return this.#tokens >= this.limit.requests;
  }

  #fill(now: number): void {
    if (now <= this.#at) return;
    this.#tokens = Math.min(this.limit.requests, this.#tokens + (now - this.#at) * this.#perMs);
    this.#at = now;
  }
}

/** A bucket for each of many callers, in bounded memory however many there are. */
export class TokenBuckets {
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(
    readonly limit: RateLimit,
    readonly maxBuckets: number,
  ) {}

  get(caller: string, now: number): TokenBucket {
    const known = this.#buckets.get(caller);
    if (known) return known;
    if (this.#buckets.size >= this.maxBuckets) this.#makeRoom(now);
    const bucket = new TokenBucket(this.limit);
    this.#buckets.set(caller, bucket);
    return bucket;
  }

  get size(): number {
    return this.#buckets.size;
  }

  /** Those that have come to nothing go first; if there are none, the tenth that has been here longest. */
  #makeRoom(now: number): void {
    for (const [caller, bucket] of this.#buckets) if (bucket.isFull(now)) this.#buckets.delete(caller);
    if (this.#buckets.size < this.maxBuckets * 0.9) return;
    let surplus = Math.ceil(this.maxBuckets / 10);
    for (const caller of this.#buckets.keys()) {
      if (surplus-- <= 0) break;
      this.#buckets.delete(caller);
    }
  }
}
