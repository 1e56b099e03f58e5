import { describeCredential, endOf } from "../credential.ts";
import type { Invariant } from "../invariant.ts";
import type { Answer, Call, Observation } from "../observation.ts";
import type { World } from "../world.ts";

const WITHIN_MS = 1000;

export class AccessEnds implements Invariant {
  readonly name =
    "A revoked key and an ended session stop working within a second on every node, and nobody calls without a key after the first one";
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  observe(observation: Observation): string | undefined {
    if (observation.kind === "answered" && observation.answer)
      return this.#checkAnswer(observation.call, observation.answer);
    return undefined;
  }

  #checkAnswer(call: Call, answer: Answer): string | undefined {
    const { credential, node, sentAt, requestId } = call;
    const isPublic = call.path === "/api/session" && call.method !== "GET";
    if (isPublic || answer.status >= 500 || answer.status === 401) return undefined;
    if (credential.kind === "none") {
      const [first] = this.#world.keys;
      const isLate = first && sentAt >= Math.max(first.createdAt, this.#since(call));
      return isLate ? `${requestId} without a key got ${answer.status} from node ${node.number}` : undefined;
    }
    const end = endOf(credential);
    if (!end) return undefined;
    const allowedMs = end.node === node ? 0 : WITHIN_MS;
    if (sentAt < Math.max(end.at, this.#since(call)) + allowedMs) return undefined;
    return `${requestId} by ${describeCredential(credential)} got ${answer.status} from node ${node.number}, ${Math.round(sentAt - end.at)} ms after its end`;
  }

  #since({ node }: Call): number {
    return this.#world.undisturbedSince(node);
  }
}
