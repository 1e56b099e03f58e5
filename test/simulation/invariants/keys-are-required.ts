import type { Invariant } from "../invariant.ts";
import type { Observation } from "../observation.ts";
import type { World } from "../world.ts";

export class KeysAreRequired implements Invariant {
  readonly name = "After the first key, no node serves a caller without a key";
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  observe(observation: Observation): string | undefined {
    if (observation.kind !== "answered" || !observation.answer) return undefined;
    const { call, answer } = observation;
    const { credential, node, sentAt, requestId } = call;
    const [first] = this.#world.keys;
    // Anybody may sign in.
    if (credential.kind !== "none" || !first || call.path === "/api/session") return undefined;
    if (answer.status >= 500 || answer.status === 401) return undefined;
    if (sentAt < Math.max(first.createdAt, this.#world.undisturbedSince(node))) return undefined;
    return `${requestId} without a key got ${answer.status} from node ${node.number}`;
  }
}
