import type { Invariant } from "../invariant.ts";
import type { Observation, ReceivedEvent } from "../observation.ts";
import type { World } from "../world.ts";

/** A node that has events in memory finds the purge when it looks for new ones. */
const WITHIN_MS = 1500;

export class PurgedIsGone implements Invariant {
  readonly name = "Nothing of the data of a purged user is sent to anybody";
  readonly #world: World;
  readonly #purgedAt = new Map<number, number>();

  constructor(world: World) {
    this.#world = world;
  }

  observe(observation: Observation): string | undefined {
    if (observation.kind === "committed" && observation.change.type === "user.purged")
      this.#purgedAt.set(observation.change.subject.id, observation.change.at);
    if (observation.kind === "followed") {
      const { node } = observation.follower.connected ?? {};
      const since = node ? this.#world.undisturbedSince(node) : this.#world.nowMs;
      return this.#check(observation.event, since, `follower ${observation.follower.number}`);
    }
    if (observation.kind === "sent") {
      const { event, node, webhook } = observation;
      return this.#check(event, this.#world.undisturbedSince(node), `receiver ${webhook.number}`);
    }
    return undefined;
  }

  #check({ id, subject, record }: ReceivedEvent, since: number, receiver: string): string | undefined {
    const purgedAt = subject.type === "user" ? this.#purgedAt.get(subject.id) : undefined;
    if (purgedAt === undefined || record === null) return undefined;
    const { nowMs } = this.#world;
    if (nowMs < Math.max(purgedAt, since) + WITHIN_MS) return undefined;
    return `${receiver} got the record of ${id}, ${Math.round(nowMs - purgedAt)} ms after user ${subject.id} was purged`;
  }
}
