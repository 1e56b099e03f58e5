import type { HeldKey } from "../domain/key-ring.ts";
import { untilNextMonth } from "../domain/key-ring.ts";
import type { TokenBucket } from "../domain/token-bucket.ts";

/** The part of a limited caller that its answers tell: the IETF's RateLimit fields, one item for each limit. */
export class Allowance {
  readonly policy: string;

  constructor(
    readonly bucket: TokenBucket,
    readonly key?: HeldKey,
  ) {
    const { requests, seconds } = bucket.limit;
    const quota = typeof key?.quota === "number" ? `, "quota";q=${key.quota}` : "";
    this.policy = `"default";q=${requests};w=${seconds}${quota}`;
  }

  /** What is left, as the RateLimit field has it. */
  get left(): string {
    const { bucket, key } = this;
    const rate = `"default";r=${bucket.left};t=${bucket.limit.seconds}`;
    if (key?.quota === null || key === undefined) return rate;
    const calls = Math.max(0, key.quota - key.counted - key.uncounted);
    return `${rate}, "quota";r=${calls};t=${secondsUntilNextMonth()}`;
  }
}

export function secondsUntilNextMonth(): number {
  return Math.ceil(untilNextMonth(Date.now()) / 1000);
}
