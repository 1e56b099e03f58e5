import { describeCredential, endOf } from "../credential.ts";
import type { Invariant } from "../invariant.ts";
import type { Observation } from "../observation.ts";
import type { World } from "../world.ts";

const WITHIN_MS = 1000;
/** What was sent in time may arrive later. */
const NETWORK_MS = 10;

export class AccessEnds implements Invariant {
  readonly name = "A revoked key and an ended session stop working within a second, on every node";
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** The service disconnects followers of the events, too. */
  check(): string | undefined {
    const { followers, nowMs } = this.#world;
    for (const { number, connected } of followers) {
      const end = connected && endOf(connected.credential);
      if (!end) continue;
      const { node, since, credential } = connected;
      const from = Math.max(end.at, since, this.#world.undisturbedSince(node));
      if (nowMs > from + WITHIN_MS + NETWORK_MS)
        return `follower ${number} still reads on node ${node.number} by ${describeCredential(credential)}, ${Math.round(nowMs - end.at)} ms after its end`;
    }
    return undefined;
  }

  observe(observation: Observation): string | undefined {
    if (observation.kind !== "answered" || !observation.answer) return undefined;
    const { call, answer } = observation;
    const { credential, node, sentAt, requestId } = call;
    const end = endOf(credential);
    // Anybody may sign out.
    if (!end || (call.path === "/api/session" && call.method === "DELETE")) return undefined;
    if (answer.status >= 500 || answer.status === 401) return undefined;
    const allowedMs = end.node === node ? 0 : WITHIN_MS;
    if (sentAt < Math.max(end.at, this.#world.undisturbedSince(node)) + allowedMs) return undefined;
    return `${requestId} by ${describeCredential(credential)} got ${answer.status} from node ${node.number}, ${Math.round(sentAt - end.at)} ms after its end`;
  }
}
