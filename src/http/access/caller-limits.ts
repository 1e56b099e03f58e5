import type { RateLimit } from "../../contract/keys/key-schemas.ts";
import { keyIdOf } from "../../domain/caller.ts";
import type { Clock } from "../../domain/clock.ts";
import type { CachedKey, KeyRing } from "../../domain/keys/key-ring.ts";
import { Meter } from "../../domain/meter.ts";
import { TokenBuckets } from "../../domain/token-bucket.ts";
import { HttpProblemError } from "../problem-response.ts";
import type { RequestContext } from "../request-context.ts";
import { rateLimited } from "./access-problems.ts";
import { type ClientAddress, MAX_ADDRESSES } from "./client-address.ts";
import { RateLimitHeaders, secondsUntilNextMonth } from "./rate-limit-headers.ts";

/** Enforces the rate limits and quotas of keys, and the rate limit per address in mode `off`. */
export class CallerLimits {
  readonly #ring: KeyRing;
  readonly #clock: Clock;
  readonly #addresses: ClientAddress;
  readonly #publicBuckets: TokenBuckets | undefined;
  /** By key or, in mode `off`, by the bucket of the address. */
  readonly #headers = new WeakMap<object, RateLimitHeaders>();

  constructor(ring: KeyRing, clock: Clock, addresses: ClientAddress, publicRateLimit: RateLimit | undefined) {
    this.#ring = ring;
    this.#clock = clock;
    this.#addresses = addresses;
    this.#publicBuckets = publicRateLimit && new TokenBuckets(publicRateLimit, MAX_ADDRESSES);
  }

  /** Whose share a request takes of what callers share: a key or an address. */
  findOwner({ caller, request }: RequestContext): string {
    const id = keyIdOf(caller.actor);
    return id === undefined ? `address ${this.#addresses.findNetwork(request)}` : `key ${id}`;
  }

  /** Takes a request from the rate limit of a key. Throws `rate-limited`. */
  limitKey(context: RequestContext, key: CachedKey): void {
    const { bucket, quota } = key;
    if (!bucket && quota === null) return;
    context.rateLimitHeaders =
      this.#headers.get(key) ?? this.#addHeaders(key, new RateLimitHeaders(this.#clock, bucket, key));
    if (bucket && !bucket.take(context.start)) throw rateLimited(bucket.retryAfterSeconds);
  }

  /** Takes a request from the rate limit of an address, in mode `off`. Throws `rate-limited`. */
  limitAddress(context: RequestContext): void {
    if (!this.#publicBuckets) return;
    const bucket = this.#publicBuckets.get(this.#addresses.findNetwork(context.request), context.start);
    context.rateLimitHeaders =
      this.#headers.get(bucket) ?? this.#addHeaders(bucket, new RateLimitHeaders(this.#clock, bucket));
    if (!bucket.take(context.start)) throw rateLimited(bucket.retryAfterSeconds);
  }

  /** Takes what an admitted request costs, in requests of the rate limit. The quota counts one. Throws `rate-limited`. */
  charge({ rateLimitHeaders }: RequestContext, cost: number): void {
    const bucket = rateLimitHeaders?.bucket;
    if (cost <= 1 || !bucket || bucket.charge(cost - 1, this.#clock.monotonic())) return;
    throw rateLimited(bucket.retryAfterSeconds);
  }

  /** Counts a request towards the quota of a key. Throws `quota-exceeded`. */
  countRequest(key: CachedKey): void {
    const isQuotaUsed = key.quota !== null && key.counted + key.uncounted >= key.quota;
    // At the start of a month, the counts in memory may still be those of the last month.
    if (isQuotaUsed && !this.#ring.isNewMonth) {
      const detail = `The key has used its quota of ${key.quota} requests for this month.`;
      throw new HttpProblemError("quota-exceeded", detail, {
        "retry-after": String(secondsUntilNextMonth(this.#clock.now())),
      });
    }
    this.#ring.recordUse(key);
  }

  /** Counts a further request of an admitted caller towards the quota of its key. Throws `quota-exceeded`. */
  countFurther({ rateLimitHeaders }: RequestContext): void {
    if (rateLimitHeaders?.key) this.countRequest(rateLimitHeaders.key);
  }

  /** Counts the rows of an import or export towards the caller's limits. Undefined if the caller has none. */
  createMeter(context: RequestContext, rowsPerRequest: number, signal: AbortSignal): Meter | undefined {
    const { bucket, key } = context.rateLimitHeaders ?? {};
    const countRequest = () => {
      if (key) this.countRequest(key);
    };
    return (bucket || key) && new Meter({ rowsPerRequest, bucket, countRequest, signal, clock: this.#clock });
  }

  #addHeaders(owner: object, headers: RateLimitHeaders): RateLimitHeaders {
    this.#headers.set(owner, headers);
    return headers;
  }
}
