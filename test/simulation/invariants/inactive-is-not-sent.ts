import type { Invariant } from "../invariant.ts";
import type { Observation } from "../observation.ts";
import type { World } from "../world.ts";

/** A node looks for changed webhooks every second. */
const WITHIN_MS = 1500;

export class InactiveIsNotSent implements Invariant {
  readonly name =
    "Events of the time in which a webhook is not active are not sent to it later, unless somebody asks";
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  observe(observation: Observation): string | undefined {
    if (observation.kind !== "sent") return undefined;
    const { webhook, event, node } = observation;
    if (webhook.requested.has(event.id)) return undefined;
    const period = this.#world.activePeriods.find(webhook.id, event.id);
    if (!period || period.isActive) return undefined;
    const knownAt = Math.max(period.at, this.#world.undisturbedSince(node)) + WITHIN_MS;
    if (this.#world.nowMs < knownAt) return undefined;
    return `node ${node.number} sends ${event.id} to receiver ${webhook.number}, which was not active since ${period.since}`;
  }
}
