import type { RateLimit } from "../contract/keys/key-schemas.ts";

/** Refilling in small steps loses a little to rounding. A token that is short by this much counts as whole. */
const ROUNDING = 1e-6;

/**
 * Enforces a rate limit: up to `limit.requests` at once, and that many per `limit.seconds` in the long run. Times are in
 * milliseconds of any clock that does not run backwards.
 */
export class TokenBucket {
  #tokens: number;
  #filledAt = Number.NEGATIVE_INFINITY;
  readonly #perMs: number;

  constructor(readonly limit: RateLimit) {
    this.#tokens = limit.requests;
    this.#perMs = limit.requests / (limit.seconds * 1000);
  }

  /** Takes one token. Returns false if there is none. */
  take(now: number): boolean {
    this.refill(now);
    if (this.#tokens < 1 - ROUNDING) return false;
    this.#tokens--;
    return true;
  }

  /**
   * Takes further tokens, for a request that has taken one and costs more. The bucket can owe them: later requests wait longer.
   * Returns false if it owes some already.
   */
  charge(tokens: number, now: number): boolean {
    this.refill(now);
    if (this.#tokens < -ROUNDING) return false;
    this.#tokens -= tokens;
    return true;
  }

  /** How many requests are allowed now. */
  get remaining(): number {
    return Math.max(0, Math.floor(this.#tokens + ROUNDING));
  }

  /** Whole seconds until the next token. */
  get retryAfterSeconds(): number {
    return Math.max(1, Math.ceil(this.retryAfterMs / 1000));
  }

  /** Milliseconds until the next token. */
  get retryAfterMs(): number {
    return (1 - ROUNDING / 2 - this.#tokens) / this.#perMs;
  }

  /** Whether the bucket is full, like a new one: it can be dropped. */
  isFull(now: number): boolean {
    this.refill(now);
    return this.#tokens >= this.limit.requests;
  }

  /** Adds the tokens due since the last refill. `remaining` and `retryAfterSeconds` are as of that time. */
  refill(now: number): void {
    if (now <= this.#filledAt) return;
    this.#tokens = Math.min(this.limit.requests, this.#tokens + (now - this.#filledAt) * this.#perMs);
    this.#filledAt = now;
  }
}

/** A token bucket for each caller, at most `maxBuckets`. */
export class TokenBuckets {
  readonly #limit: RateLimit;
  readonly #maxBuckets: number;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(limit: RateLimit, maxBuckets: number) {
    this.#limit = limit;
    this.#maxBuckets = maxBuckets;
  }

  get(caller: string, now: number): TokenBucket {
    const existing = this.#buckets.get(caller);
    if (existing) return existing;
    if (this.#buckets.size >= this.#maxBuckets) this.#evict(now);
    const bucket = new TokenBucket(this.#limit);
    this.#buckets.set(caller, bucket);
    return bucket;
  }

  get size(): number {
    return this.#buckets.size;
  }

  /** Evicts full buckets first, then the oldest 10 %. */
  #evict(now: number): void {
    for (const [caller, bucket] of this.#buckets) if (bucket.isFull(now)) this.#buckets.delete(caller);
    if (this.#buckets.size < this.#maxBuckets * 0.9) return;
    let remaining = Math.ceil(this.#maxBuckets / 10);
    for (const caller of this.#buckets.keys()) {
      if (remaining-- <= 0) break;
      this.#buckets.delete(caller);
    }
  }
}
