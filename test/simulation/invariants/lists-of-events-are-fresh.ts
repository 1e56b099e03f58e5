import { findNext } from "../find-next.ts";
import type { Invariant } from "../invariant.ts";
import type { Answer, Call, Change, Observation, ReceivedEvent } from "../observation.ts";
import type { World } from "../world.ts";

/** The newest event of a list. */
export const NEWEST_EVENT = "/api/events?sort=-id&limit=1";
/** A list of the events of a request, oldest first. Its id follows. */
export const EVENTS_OF_REQUEST = "/api/events?requestId=";

export class ListsOfEventsAreFresh implements Invariant {
  readonly name = "A list of events has the event of every change that was committed before";
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  observe(observation: Observation): string | undefined {
    if (observation.kind !== "answered") return undefined;
    const { call, answer } = observation;
    if (answer?.status !== 200) return undefined;
    if (call.path === NEWEST_EVENT) return this.#checkNewest(call, JSON.parse(answer.text)[0]?.id ?? "");
    return call.path.startsWith(EVENTS_OF_REQUEST) ? this.#checkRequest(call, answer) : undefined;
  }

  #checkNewest(call: Call, newest: string): string | undefined {
    const missing = this.#world.history.changes.findLast(
      ({ at, eventId }) => at < call.sentAt && (eventId === undefined || eventId > newest),
    );
    return missing && `${call.requestId} got ${newest} as the newest event, and ${describe(missing)}`;
  }

  /** A page has the events of the request between its cursor and the next one. */
  #checkRequest(call: Call, answer: Answer): string | undefined {
    const parameters = new URLSearchParams(call.path.slice(call.path.indexOf("?")));
    const requestId = parameters.get("requestId");
    const after = parameters.get("after") ?? "";
    const next = findNext(answer);
    const events: ReceivedEvent[] = JSON.parse(answer.text);
    const other = events.find((event) => event.requestId !== requestId);
    if (other) return `${call.requestId} asked for events of ${requestId}, and got one of ${other.requestId}`;
    const isOnPage = (id: string) => id > after && (next === undefined || id <= next);
    const missing = this.#world.history.changes.find(
      (change) =>
        change.requestId === requestId &&
        change.at < call.sentAt &&
        (change.eventId === undefined ||
          (isOnPage(change.eventId) && !events.some(({ id }) => id === change.eventId))),
    );
    return (
      missing && `${call.requestId} got ${events.length} events of ${requestId}, and ${describe(missing)}`
    );
  }
}

function describe({ type, subject }: Change): string {
  return `${type} of ${subject.type} ${subject.id} was committed before`;
}
