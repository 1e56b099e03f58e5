import { eventLimits } from "../../../src/contract/events/event.ts";
import type { Invariant } from "../invariant.ts";
import type { World } from "../world.ts";

export class MemoryIsBounded implements Invariant {
  readonly name = "What followers leave unread is bounded";
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  check(): string | undefined {
    for (const { number, metrics, isRunning } of this.#world.nodes) {
      if (!isRunning) continue;
      const { open, unreadBytes } = metrics.followers;
      if (open < 0 || open > eventLimits.followers) return `node ${number} counts ${open} followers`;
      if (unreadBytes < 0) return `node ${number} counts ${unreadBytes} unread bytes`;
    }
    return undefined;
  }
}
