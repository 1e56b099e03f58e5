import type { Invariant } from "../invariant.ts";
import type { Answer, Observation } from "../observation.ts";
import type { World } from "../world.ts";

export class RefusedNeverHappens implements Invariant {
  readonly name = "A refused write never happens, and an accepted one has happened";
  readonly #world: World;
  readonly #refused = new Map<string, Answer>();
  readonly #counts = new Map<string, number>();

  constructor(world: World) {
    this.#world = world;
  }

  observe(observation: Observation): string | undefined {
    if (observation.kind === "committed") return this.#checkCommitted(observation.change.requestId);
    if (observation.kind !== "answered" || !observation.answer || observation.call.method === "GET")
      return undefined;
    const { call, answer } = observation;
    const { requestId } = call;
    if (answer.status >= 400 && !answer.text.includes("may or may not")) {
      this.#refused.set(requestId, answer);
      return this.#counts.has(requestId)
        ? `${requestId} was refused with ${answer.status}, and has happened`
        : undefined;
    }
    const isChange = answer.status === 201 || (answer.status === 204 && call.path.startsWith("/api/users"));
    const isReplayed = answer.headers.has("idempotency-replayed");
    if (isChange && !isReplayed && !this.#counts.has(requestId))
      return `${requestId} was accepted with ${answer.status}, and has not happened`;
    return undefined;
  }

  #checkCommitted(requestId: string | null): string | undefined {
    if (requestId === null) return undefined;
    const answer = this.#refused.get(requestId);
    if (answer)
      return `${requestId} happens ${Math.round(this.#world.nowMs - answer.at)} ms after it was refused with ${answer.status} ${JSON.parse(answer.text).detail}`;
    this.#counts.set(requestId, (this.#counts.get(requestId) ?? 0) + 1);
    return undefined;
  }
}
