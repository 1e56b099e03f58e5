import { describeCredential, isValid } from "../credential.ts";
import type { Invariant } from "../invariant.ts";
import type { Observation } from "../observation.ts";
import type { World } from "../world.ts";

export class AccessIsGiven implements Invariant {
  readonly name = "A caller with a valid key or session is never refused, on any node";
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  observe(observation: Observation): string | undefined {
    if (observation.kind !== "answered" || observation.answer?.status !== 401) return undefined;
    const { call, answer } = observation;
    const { credential, requestId, node } = call;
    const isOpen = credential.kind === "none" && !this.#world.isFirstKeyRequested;
    if (!isOpen && !isValid(credential)) return undefined;
    return `${requestId} by ${describeCredential(credential)} got ${answer.text} from node ${node.number}`;
  }
}
