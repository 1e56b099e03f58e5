import type { CachedKey } from "../domain/key-ring.ts";
import { untilNextMonth } from "../domain/key-ring.ts";
import type { TokenBucket } from "../domain/token-bucket.ts";

/** The part of a limited caller that its answers tell: the IETF's RateLimit fields, one item for each limit. */
export class RateLimitHeaders {
  readonly policy: string;

  constructor(
    readonly bucket: TokenBucket | undefined,
    readonly key?: CachedKey,
  ) {
    const items: string[] = [];
    if (bucket) items.push(`"default";q=${bucket.limit.requests};w=${bucket.limit.seconds}`);
    if (typeof key?.quota === "number") items.push(`"quota";q=${key.quota}`);
    this.policy = items.join(", ");
  }

  /** What is left, as the RateLimit field has it. */
  get remaining(): string {
    const { bucket, key } = this;
    const rate = bucket ? `"default";r=${bucket.remaining};t=${bucket.limit.seconds}` : "";
    if (key?.quota === null || key === undefined) return rate;
    const calls = Math.max(0, key.quota - key.counted - key.uncounted);
    return `${rate && `${rate}, `}"quota";r=${calls};t=${secondsUntilNextMonth()}`;
  }
}

export function secondsUntilNextMonth(): number {
  return Math.ceil(untilNextMonth(Date.now()) / 1000);
}
