import type { Invariant } from "../invariant.ts";
import type { World } from "../world.ts";

/**
 * As long as nothing disturbs: the feed looks for events several times a second. With small limits, a follower also waits until
 * others have read, or are disconnected.
 */
const MOST_MS = { small: 15_000, usual: 3000 } as const;
const LOOK_MS = 1000;

export class FollowersProgress implements Invariant {
  readonly name = "A follower that reads gets new events soon";
  readonly #world: World;
  readonly #mostMs: number;
  #nextLookMs = 0;

  constructor(world: World) {
    this.#world = world;
    this.#mostMs = MOST_MS[world.hasSmallLimits ? "small" : "usual"];
  }

  check(): string | undefined {
    const { nowMs, followers, history } = this.#world;
    if (nowMs < this.#nextLookMs) return undefined;
    this.#nextLookMs = nowMs + LOOK_MS;
    for (const follower of followers) {
      if (!follower.connected) continue;
      const { node, since } = follower.connected;
      const waitsSince = Math.max(since, this.#world.undisturbedSince(node));
      if (nowMs - waitsSince < this.#mostMs) continue;
      const late = history.events.findLast(
        ({ id, type, at }) => id > follower.cursor && follower.matches(type) && nowMs - at > this.#mostMs,
      );
      if (late)
        return `follower ${follower.number} reads on node ${node.number} since ${Math.round(since)} ms, and still waits for ${late.id}`;
    }
    return undefined;
  }
}
