import Type from "typebox";
import { link, vary } from "../headers.ts";
import { mediaTypes, type Operation, type Parameter, type ResponseDescription } from "../operation.ts";
import { limitParameter } from "../parameters.ts";
import { Integer, withDefault } from "../scalars.ts";
import { ada, userId } from "../users/user-operations.ts";
import { EVENT_ID_PATTERN, eventLimits, eventPatterns, hasRealDay, REQUEST_ID_PATTERN } from "./event.ts";
import { Event } from "./event-schemas.ts";

const moved: Event = {
  id: "0ho78yaryg6",
  type: "user.updated",
  time: "2026-11-16T08:00:00.000Z",
  actor: { type: "key", id: 7, name: "ci" },
  requestId: "k2vw1x-42",
  subject: { type: "user", id: ada.id },
  version: 2,
  changes: { department: { from: "engines", to: "research" } },
  record: { ...ada, department: "research", version: 2, updatedAt: "2026-11-16T08:00:00.000Z" },
};

const INVALID_TIME = "Enter a time since 1970 with its offset, such as 2026-11-16T08:00:00Z.";

const Time = Type.String({ format: "date-time", pattern: eventPatterns.time });

const pageParameters = [
  {
    in: "query",
    name: "after",
    description: "The id of an event: the page begins after it, in the order of the list.",
    schema: Type.String({ pattern: EVENT_ID_PATTERN }),
    correction: "Use the id of an event.",
    component: "AfterEvent",
  },
  limitParameter(
    "The maximum number of events per page. Ignored for NDJSON.",
    { component: "EventLimit" },
    eventLimits.pageSize,
  ),
  {
    in: "query",
    name: "type",
    description: `Only events of this type, such as \`user.created\`, or of all types of a subject: \`user.*\`. Repeat the parameter for several types, at most ${eventLimits.types}.`,
    schema: Type.Array(Type.String({ pattern: eventPatterns.type }), {
      minItems: 1,
      maxItems: eventLimits.types,
    }),
    correction: "Use a type such as user.created, or user.* for all types of a subject.",
    component: "EventTypes",
  },
  {
    in: "query",
    name: "actor",
    description: "Only events of this actor: `key:3`, `anonymous`, `command` or `system`.",
    schema: Type.String({ pattern: eventPatterns.actor }),
    correction: "Use a key such as key:3, or anonymous, command or system.",
    example: "key:3",
    component: "ActorFilter",
  },
  {
    in: "query",
    name: "requestId",
    description:
      "Only events of the request with this X-Request-Id. No index has these ids: set `from` and `to`, or `after`, and follow `next`.",
    schema: Type.String({ pattern: REQUEST_ID_PATTERN }),
    correction: "Use 1 to 128 letters, digits and ._:/+=-, with %2B for +.",
    example: "k2vw1x-42",
    component: "RequestIdFilter",
  },
  {
    in: "query",
    name: "from",
    description: "Only events at or after this time (RFC 3339).",
    schema: Time,
    accepts: hasRealDay,
    correction: INVALID_TIME,
    component: "FromTime",
  },
  {
    in: "query",
    name: "to",
    description: "Only events before this time (RFC 3339).",
    schema: Time,
    accepts: hasRealDay,
    correction: INVALID_TIME,
    component: "ToTime",
  },
  {
    in: "query",
    name: "sort",
    description: "`id`: oldest first. `-id`: newest first.",
    schema: withDefault(Type.String({ pattern: "^-?id$" }), "id"),
    correction: "Use id, or -id for newest first.",
    component: "EventSort",
  },
  {
    in: "query",
    name: "wait",
    description:
      "If there is no event, wait this many seconds for one. For JSON only: event streams never end by themselves.",
    schema: Integer({ minimum: 1, maximum: eventLimits.waitSeconds }),
    component: "Wait",
  },
  {
    in: "header",
    name: "Last-Event-ID",
    description: "For event streams: the id of the last event that the client received. Replaces `after`.",
    schema: Type.String({ pattern: EVENT_ID_PATTERN }),
    component: "LastEventId",
  },
] as const satisfies Parameter[];

const page = {
  description:
    "A page of events, oldest first. NDJSON has all of them, one per line. An event stream goes on with new events.",
  headers: { Link: link, Vary: vary },
  body: { type: mediaTypes.json, schema: Type.Array(Event), examples: { page: [moved] } },
  alternatives: [
    {
      type: mediaTypes.ndjson,
      schema: Type.String({ description: "One event per line, as JSON." }),
      examples: { lines: `${JSON.stringify(moved)}\n` },
    },
    {
      type: mediaTypes.eventStream,
      schema: Type.String({
        description:
          "Server-sent events, without an end: `id` and `data` for each event, and a comment every 15 seconds. Without `after` and Last-Event-ID, the stream begins with the next event.",
      }),
      examples: { stream: `id: ${moved.id}\ndata: ${JSON.stringify(moved)}\n\n` },
    },
  ],
} as const satisfies ResponseDescription;

/** A list that waits for an event, and the export of all events. An event stream never ends: it has its own rules. */
const takesLong = { parameter: "wait", type: mediaTypes.ndjson } as const;

/** Operations on the feed of events. */
export const eventOperations = {
  listEvents: {
    id: "listEvents",
    method: "GET",
    path: "/api/events",
    tag: "events",
    access: ["events:read"],
    summary: "List events",
    description:
      "Every change of a user, a group, a key or a webhook is an event. If you read on after the last event that you know, you get every later event once, and the events of one user or group in the order of its versions. The `Link` header has the URL of the `next` page; the last page has none. A page can have fewer events than `limit`, even none, and still have a `next`.",
    parameters: [
      ...pageParameters,
      {
        in: "query",
        name: "subject",
        description: "Only events of this user, group, key or webhook, such as `user:42` or `key:3`.",
        schema: Type.String({ pattern: eventPatterns.subject }),
        correction: "Use a type and an id, such as user:42 or key:3.",
        example: "user:42",
      },
    ],
    responses: { 200: page },
    list: ["next"],
    problems: ["invalid-query", "events-expired"],
    takesLong,
  },
  listUserEvents: {
    id: "listUserEvents",
    method: "GET",
    path: "/api/users/{id}/events",
    tag: "events",
    access: ["events:read"],
    summary: "List the events of a user",
    description:
      "The history of one user, also of a deleted one: its own events, and those of groups that it came to or left (`group.members_changed`). Events are removed after some time, so the list of a user without recent changes can be empty.",
    parameters: [userId, ...pageParameters],
    responses: { 200: page },
    list: ["next"],
    problems: ["invalid-query", "user-not-found", "events-expired"],
    takesLong,
  },
} as const satisfies Record<string, Operation>;
