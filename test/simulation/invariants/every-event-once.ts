import type { SimulatedFollower } from "../follower.ts";
import type { Invariant } from "../invariant.ts";
import type { Observation, PublishedEvent, ReceivedEvent } from "../observation.ts";
import type { World } from "../world.ts";

/** Ids sort by their characters, in the order of the feed. */
export class EveryEventOnce implements Invariant {
  readonly name = "A follower gets every event once, in the order of the feed";
  readonly #world: World;
  /** How many events of the history each follower has certainly got, or need not get. */
  readonly #compared = new Map<SimulatedFollower, number>();

  constructor(world: World) {
    this.#world = world;
  }

  observe(observation: Observation): string | undefined {
    if (observation.kind === "followed") return this.#checkReceived(observation.follower, observation.event);
    if (observation.kind === "published") return this.#checkPublished(observation.event);
    return undefined;
  }

  checkEnd(): string | undefined {
    const unpublished = this.#world.history.changes.find(({ eventId }) => eventId === undefined);
    if (unpublished)
      return `${unpublished.type} of ${unpublished.subject.type} ${unpublished.subject.id} never became part of the feed`;
    for (const follower of this.#world.followers) {
      if (follower.isEnded) continue;
      const missing = this.#world.history.events.find(
        ({ id, type }) =>
          id > (follower.plan.after ?? "") && follower.matches(type) && !follower.received.has(id),
      );
      if (missing) return `follower ${follower.number} never got ${missing.id} ${missing.type}`;
    }
    return undefined;
  }

  #checkReceived(follower: SimulatedFollower, { id, type }: ReceivedEvent): string | undefined {
    const name = `follower ${follower.number}`;
    if (follower.received.has(id)) return `${name} got ${id} twice`;
    if (id <= follower.cursor) return `${name} got ${id} after ${follower.cursor}`;
    if (!follower.matches(type)) return `${name} got ${id} ${type}, which it did not ask for`;
    const { events } = this.#world.history;
    if (!events.some((event) => event.id === id)) return `${name} got ${id}, which is not part of the feed`;
    let index = this.#compared.get(follower) ?? 0;
    for (let event = events[index]; event && event.id < id; event = events[++index]) {
      if (
        event.id > (follower.plan.after ?? "") &&
        follower.matches(event.type) &&
        !follower.received.has(event.id)
      )
        return `${name} got ${id}, but not ${event.id} before it`;
    }
    this.#compared.set(follower, index);
    return undefined;
  }

  /** An event that was published late: nobody who has seen later ones gets it any more. */
  #checkPublished({ id, type }: PublishedEvent): string | undefined {
    const passed = this.#world.followers.find(
      (follower) =>
        !follower.isEnded &&
        follower.cursor >= id &&
        id > (follower.plan.after ?? "") &&
        follower.matches(type),
    );
    return passed && `follower ${passed.number} is at ${passed.cursor}, and ${id} was published only now`;
  }
}
