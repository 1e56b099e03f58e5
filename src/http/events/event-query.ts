import {
  type EventType,
  eventLimits,
  eventPatterns,
  eventSubjectTypes,
  matchEventTypes,
} from "../../contract/events/event.ts";
import type { FieldError } from "../../contract/problems.ts";
import { type Actor, COMMAND_ACTOR, SYSTEM_ACTOR } from "../../domain/caller.ts";
import { type EventSubject, parseEventId } from "../../domain/events/event.ts";
import type { EventQuery } from "../../domain/events/event-store.ts";
import type { FollowQuery } from "../../domain/events/follower.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import { parseId } from "../query/ids.ts";
import { invalidQuery } from "../query/query-string.ts";

const single = ["after", "limit", "actor", "from", "to", "sort", "subject", "wait"];

type AddError = (parameter: string, detail: string) => undefined;

interface EventRequest {
  readonly query: EventQuery;
  /** How long to wait for an event if there is none. */
  readonly waitSeconds: number | undefined;
}

/** The query of an event stream, which has no end. Throws `invalid-query` or `invalid-header`. */
export function parseFollowQuery(queryString: string, request: Request, subject?: EventSubject): FollowQuery {
  const { query, waitSeconds } = parseEventQuery(queryString, subject);
  const errors: FieldError[] = [];
  const detail = "An event stream has no end. Omit this parameter.";
  if (query.descending) errors.push({ parameter: "sort", detail });
  if (query.to !== undefined) errors.push({ parameter: "to", detail });
  if (waitSeconds !== undefined) errors.push({ parameter: "wait", detail });
  if (errors.length > 0) throw invalidQuery(errors);
  const after = readLastEventId(request);
  return after === undefined ? query : { ...query, after };
}

/** The position of Last-Event-ID; undefined without this header. Throws `invalid-header`. */
export function readLastEventId({ headers }: Request): number | undefined {
  const id = headers.get("last-event-id");
  if (id === null) return undefined;
  const position = parseEventId(id);
  if (position === undefined)
    throw new ProblemError("invalid-header", "Last-Event-ID must be the id of an event.");
  return position;
}

/** Parses a query string without its question mark. `subject` is that of the path. Throws `invalid-query` with every error. */
export function parseEventQuery(queryString: string, subject?: EventSubject): EventRequest {
  const parameters = new URLSearchParams(queryString);
  const errors: FieldError[] = [];
  const addError: AddError = (parameter, detail) => {
    errors.push({ parameter, detail });
    return undefined;
  };
  const names = subject ? single.filter((name) => name !== "subject") : single;
  for (const name of new Set(parameters.keys())) {
    if (name !== "type" && !names.includes(name))
      addError(name, `Unknown parameter. Events support ${[...names, "type"].join(", ")}.`);
    else if (name !== "type" && parameters.getAll(name).length > 1)
      addError(name, "Send this parameter once.");
  }
  const read = <T>(
    name: string,
    parse: (text: string, fail: (detail: string) => undefined) => T | undefined,
  ) => {
    const text = names.includes(name) ? parameters.get(name) : null;
    return text === null ? undefined : parse(text, (detail) => addError(name, detail));
  };
  const { maximum, default: defaultLimit } = eventLimits.pageSize;
  const after = read("after", (text, fail) => parseEventId(text) ?? fail("Use the id of an event."));
  const limit = read("limit", (text, fail) => {
    const number = parseId(text);
    return number !== undefined && number <= maximum
      ? number
      : fail(`Enter an integer from 1 to ${maximum}.`);
  });
  const actor = read("actor", parseActor);
  const from = read("from", parseTime);
  const to = read("to", parseTime);
  const sort = read("sort", (text, fail) =>
    text === "id" || text === "-id" ? text : fail("Use id, or -id for newest first."),
  );
  const waitSeconds = read("wait", (text, fail) => {
    const number = parseId(text);
    const { waitSeconds: longest } = eventLimits;
    return number !== undefined && number <= longest
      ? number
      : fail(`Enter an integer from 1 to ${longest}.`);
  });
  const requestedSubject = subject ?? read("subject", parseSubject);
  const types = parseTypes(parameters.getAll("type"), addError);
  if (errors.length > 0) throw invalidQuery(errors);
  const query: EventQuery = {
    limit: limit ?? defaultLimit,
    descending: sort === "-id",
    ...(after !== undefined && { after }),
    ...(types && { types }),
    ...(requestedSubject && { subject: requestedSubject }),
    ...(actor !== undefined && { actor }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  };
  return { query, waitSeconds };
}

function parseTypes(patterns: readonly string[], addError: AddError): EventType[] | undefined {
  if (patterns.length === 0) return undefined;
  if (patterns.length > eventLimits.types)
    return addError("type", `Send at most ${eventLimits.types} types.`);
  const matched = patterns.map(matchEventTypes);
  if (matched.some((types) => types.length === 0))
    return addError("type", "Use a type such as user.created, or user.* for all types of a subject.");
  return [...new Set(matched.flat())];
}

function parseSubject(text: string, fail: (detail: string) => undefined): EventSubject | undefined {
  const [subject, id] = SUBJECT.test(text) ? text.split(":") : [];
  const type = eventSubjectTypes.find((known) => known === subject);
  return type ? { type, id: Number(id) } : fail("Use a type and an id, such as user:42 or key:3.");
}

function parseActor(text: string, fail: (detail: string) => undefined): Actor | undefined {
  if (!ACTOR.test(text)) return fail("Use a key such as key:3, or anonymous, command or system.");
  if (text === "anonymous") return null;
  if (text === "command") return COMMAND_ACTOR;
  if (text === "system") return SYSTEM_ACTOR;
  return Number(text.slice("key:".length));
}

/** There are no events before 1970: such a time, which has an offset, counts as 1970. */
function parseTime(text: string, fail: (detail: string) => undefined): number | undefined {
  return TIME.test(text) && hasRealDay(text)
    ? Math.max(0, Date.parse(text))
    : fail("Enter a time since 1970 with its offset, such as 2026-11-16T08:00:00Z.");
}

/** Date.parse takes February 30 for March 2. */
function hasRealDay(time: string): boolean {
  const date = time.slice(0, "2026-11-16".length);
  return new Date(`${date}T00:00:00Z`).toISOString().startsWith(date);
}

const SUBJECT = new RegExp(eventPatterns.subject);
const ACTOR = new RegExp(eventPatterns.actor);
const TIME = new RegExp(eventPatterns.time);
