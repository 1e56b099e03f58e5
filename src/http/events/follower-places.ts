import { eventLimits } from "../../contract/events/event.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import type { FollowerMetrics } from "../../telemetry/follower-metrics.ts";

/** Limits how many callers follow the events of this node, in total and for each owner: a key or an address. */
export class FollowerPlaces {
  readonly #metrics: FollowerMetrics;
  readonly #takenBy = new Map<string, number>();

  constructor(metrics: FollowerMetrics) {
    this.#metrics = metrics;
  }

  /** Takes a place. The result frees it. Throws `unavailable` if the owner has its share, or if all places are taken. */
  take(owner: string): () => void {
    const { followers, followersPerCaller } = eventLimits;
    const own = this.#takenBy.get(owner) ?? 0;
    if (own >= followersPerCaller) {
      this.#metrics.refused.share++;
      throw new ProblemError(
        "unavailable",
        `This caller follows the events ${followersPerCaller} times already, the most for one key or address. End one of these requests first.`,
      );
    }
    if (this.#metrics.open >= followers) {
      this.#metrics.refused.full++;
      throw new ProblemError("unavailable", "Too many callers follow the events. Try again shortly.");
    }
    this.#metrics.open++;
    this.#takenBy.set(owner, own + 1);
    return () => this.#free(owner);
  }

  #free(owner: string): void {
    this.#metrics.open--;
    const own = (this.#takenBy.get(owner) ?? 0) - 1;
    if (own > 0) this.#takenBy.set(owner, own);
    else this.#takenBy.delete(owner);
  }
}
