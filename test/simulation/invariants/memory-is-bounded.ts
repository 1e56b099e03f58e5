import { eventLimits } from "../../../src/contract/events/event.ts";
import type { Invariant } from "../invariant.ts";
import { UNREAD_BYTES } from "../small-limits.ts";
import type { World } from "../world.ts";

/** A single follower may leave one event unread, however large it is. */
const LARGEST_EVENT_BYTES = 1000;

export class MemoryIsBounded implements Invariant {
  readonly name = "What followers leave unread is bounded";
  readonly #world: World;
  readonly #most: number;

  constructor(world: World) {
    this.#world = world;
    this.#most = UNREAD_BYTES[world.hasSmallLimits ? "small" : "usual"] + LARGEST_EVENT_BYTES;
  }

  check(): string | undefined {
    for (const { number, metrics, isRunning } of this.#world.nodes) {
      if (!isRunning) continue;
      const { open, unreadBytes } = metrics.followers;
      if (open < 0 || open > eventLimits.followers) return `node ${number} counts ${open} followers`;
      if (unreadBytes < 0 || unreadBytes > this.#most)
        return `the followers of node ${number} leave ${unreadBytes} bytes unread`;
    }
    return undefined;
  }
}
