import { eventSubjectTypes, matchEventTypes } from "../../contract/events/event.ts";
import type { operations } from "../../contract/operations.ts";
import { type Actor, toKeyActor } from "../../domain/caller.ts";
import { type EventSubject, parseEventId } from "../../domain/events/event.ts";
import type { EventQuery } from "../../domain/events/event-store.ts";
import type { FollowQuery } from "../../domain/events/follower.ts";
import type { Input } from "../operation-input.ts";
import { collectErrors } from "../query/query-string.ts";

/** What a request for events says. Events of a user have no parameter `subject`. */
export type EventInput = Omit<Input<typeof operations.listEvents>, "subject"> & {
  readonly subject?: string | undefined;
};

/** The query of an event stream, which has no end. Throws `invalid-query`. */
export function parseFollowQuery(input: EventInput, historyOf?: number): FollowQuery {
  const query = parseEventQuery(input, historyOf);
  collectErrors((addError) => {
    const detail = "An event stream has no end. Omit this parameter.";
    if (query.descending) addError("sort", detail);
    if (query.to !== undefined) addError("to", detail);
    if (input.wait !== undefined) addError("wait", detail);
  });
  const { lastEventId } = input;
  return lastEventId === undefined ? query : { ...query, after: lastEventId };
}

/** What parameters mean. `historyOf` is the user of the path. */
export function parseEventQuery(input: EventInput, historyOf?: number): EventQuery {
  const subject = input.subject === undefined ? undefined : parseSubject(input.subject);
  const after = input.after === undefined ? undefined : parseEventId(input.after);
  return {
    limit: input.limit,
    descending: input.sort === "-id",
    ...(after !== undefined && { after }),
    ...(input.type && { types: [...new Set(input.type.flatMap(matchEventTypes))] }),
    ...(subject && { subject }),
    ...(historyOf !== undefined && { historyOf }),
    ...(input.actor !== undefined && { actor: parseActor(input.actor) }),
    ...(input.requestId !== undefined && { requestId: input.requestId }),
    ...(input.from !== undefined && { from: parseTime(input.from) }),
    ...(input.to !== undefined && { to: parseTime(input.to) }),
  };
}

/** Parses a text such as `user:42`. */
function parseSubject(text: string): EventSubject | undefined {
  const [subject, id] = text.split(":");
  const type = eventSubjectTypes.find((known) => known === subject);
  return type && { type, id: Number(id) };
}

function parseActor(text: string): Actor {
  if (text === "anonymous" || text === "command" || text === "system") return { type: text };
  return toKeyActor(Number(text.slice("key:".length)));
}

/** There are no events before 1970: such a time, which has an offset, counts as 1970. */
function parseTime(text: string): number {
  return Math.max(0, Date.parse(text));
}
