import type { Invariant } from "../invariant.ts";
import type { Observation } from "../observation.ts";
import type { World } from "../world.ts";

/** The newest event of a list. */
export const NEWEST_EVENT = "/api/events?sort=-id&limit=1";

export class ListsOfEventsAreFresh implements Invariant {
  readonly name = "A list of events has the event of every change that was committed before";
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  observe(observation: Observation): string | undefined {
    if (observation.kind !== "answered" || observation.call.path !== NEWEST_EVENT) return undefined;
    const { call, answer } = observation;
    if (answer?.status !== 200) return undefined;
    const newest: string = JSON.parse(answer.text)[0]?.id ?? "";
    const missing = this.#world.history.changes.findLast(
      ({ at, eventId }) => at < call.sentAt && (eventId === undefined || eventId > newest),
    );
    return (
      missing &&
      `${call.requestId} got ${newest} as the newest event, and ${missing.type} of ${missing.subject.type} ${missing.subject.id} was committed before`
    );
  }
}
