import type { Clock } from "../../domain/clock.ts";
import { type CachedKey, untilNextMonth } from "../../domain/keys/key-ring.ts";
import type { TokenBucket } from "../../domain/token-bucket.ts";

/** The values of RateLimit-Policy and RateLimit (IETF draft) for one caller: an item for the rate, one for the quota. */
export class RateLimitHeaders {
  readonly policy: string;

  constructor(
    readonly clock: Clock,
    readonly bucket: TokenBucket | undefined,
    readonly key?: CachedKey,
  ) {
    const items: string[] = [];
    if (bucket) items.push(`"default";q=${bucket.limit.requests};w=${bucket.limit.seconds}`);
    if (typeof key?.quota === "number") items.push(`"quota";q=${key.quota}`);
    this.policy = items.join(", ");
  }

  /** The value of the RateLimit header now. */
  get remaining(): string {
    const { bucket, key } = this;
    const rate = bucket ? `"default";r=${bucket.remaining};t=${bucket.limit.seconds}` : "";
    if (key?.quota === null || key === undefined) return rate;
    const remainingQuota = Math.max(0, key.quota - key.counted - key.uncounted);
    return `${rate && `${rate}, `}"quota";r=${remainingQuota};t=${secondsUntilNextMonth(this.clock.now())}`;
  }
}

export function secondsUntilNextMonth(now: number): number {
  return Math.ceil(untilNextMonth(now) / 1000);
}
