import type { Invariant } from "../invariant.ts";
import type { SimulatedNode } from "../node.ts";
import type { Observation } from "../observation.ts";
import type { World } from "../world.ts";

export class OneLease implements Invariant {
  readonly name = "Only the node that has the lease of a webhook sends to its receiver";
  readonly #world: World;
  /** Which node the name in a lease stands for. */
  readonly #owners = new Map<string, SimulatedNode>();

  constructor(world: World) {
    this.#world = world;
  }

  observe(observation: Observation): string | undefined {
    if (observation.kind !== "sent" || observation.webhook.id === undefined) return undefined;
    const { webhook, node, event } = observation;
    const what = `node ${node.number} sends ${event.id} to receiver ${webhook.number}`;
    const [lease] = this.#world.database.query(
      "SELECT node, leased_until FROM webhook_work WHERE webhook_id = ?",
      observation.webhook.id,
    );
    if (!lease || Number(lease[1]) <= this.#world.machine.now) return `${what} without a lease`;
    const name = String(lease[0]);
    const owner = this.#owners.get(name);
    if (owner === node) return undefined;
    return owner === undefined ? this.#learn(name, node) : `${what}, and node ${owner.number} has the lease`;
  }

  #learn(name: string, node: SimulatedNode): undefined {
    this.#owners.set(name, node);
  }
}
