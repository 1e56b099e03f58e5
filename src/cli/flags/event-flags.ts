import type { Client, EventFilters, EventTypeFilter } from "../../client/index.ts";
import { ConfigError } from "../../config/config.ts";
import type { Flag } from "../../config/flag.ts";
import { wholeNumberIn } from "../../config/setting.ts";
import {
  EVENT_ID_PATTERN,
  eventSubjectTypes,
  eventTypes,
  REQUEST_ID_PATTERN,
} from "../../contract/events/event.ts";
import { findGroupId, type GroupWord } from "../find-group.ts";
import { optionalGroupFlag } from "./group-flags.ts";

/** Types of events, and patterns for all types of a subject. */
export const typeFilters: readonly EventTypeFilter[] = [
  ...eventTypes,
  ...eventSubjectTypes.map((subject) => `${subject}.*` as const),
];

/** Flags that choose events. */
export const eventFlags = {
  type: {
    flag: "type",
    form: "list",
    default: "",
    takes: `types separated by commas: ${typeFilters.join(", ")}`,
    about: "Only events of these types, such as user.created or user.*.",
    parse: (text) => parseTypes(text, typeFilters),
  },
  user: {
    flag: "user",
    default: "",
    takes: "the id of a user",
    about: "The history of the user with this id, with the changes of members of groups that name it.",
    parse: parseUserId,
  },
  group: optionalGroupFlag("group", "The history of this group: its id, or its name."),
} as const satisfies Record<string, Flag<unknown>>;

const TIME = "a time with its offset, such as 2026-11-16T08:00:00Z";

/** A required time. */
export const timeFlag = (flag: "from" | "to", about: string) =>
  ({ flag, takes: TIME, about, parse: parseTime }) as const satisfies Flag<string>;

export const optionalTimeFlag = (flag: "from" | "to", about: string) =>
  ({
    ...timeFlag(flag, about),
    default: "",
    parse: (text: string) => (text === "" ? undefined : parseTime(text)),
  }) as const satisfies Flag<string | undefined>;

export const requestIdFlag = {
  flag: "request-id",
  default: "",
  takes: "1 to 128 letters, digits and ._:/+=-",
  about: "Only events of the request with this X-Request-Id. Add --from if there are many later events.",
  parse: parseRequestId,
} as const satisfies Flag<string | undefined>;

export const afterEventFlag = {
  flag: "after",
  default: "",
  takes: "the id of an event",
  about: "The id of an event: begin after it.",
  parse: (text: string) => (text === "" ? undefined : parseEventId(text)),
} as const satisfies Flag<string | undefined>;

export function parseEventId(text: string): string {
  if (!new RegExp(EVENT_ID_PATTERN).test(text)) throw new RangeError(text);
  return text;
}

const MAX_ITEMS = 10_000;

/** The number of items that a command lists. */
export const limitFlag = (items: "events" | "deliveries") =>
  ({
    flag: "limit",
    default: "20",
    about: `The maximum number of ${items}.`,
    ...wholeNumberIn(1, MAX_ITEMS),
  }) as const satisfies Flag<number>;

/** The flags as options of the client. Throws a `ConfigError` or a `GroupNameError`. */
export async function toEventFilters(
  client: Client,
  {
    type,
    user,
    group,
  }: {
    readonly type: readonly EventTypeFilter[] | undefined;
    readonly user: number | undefined;
    readonly group: GroupWord | undefined;
  },
): Promise<EventFilters> {
  if (user !== undefined && group) throw new ConfigError("Choose --user or --group, not both.");
  return {
    ...(type && { type }),
    ...(user !== undefined && { user }),
    ...(group && { subject: `group:${await findGroupId(client, group)}` as const }),
  };
}

/** Parses known types that are separated by commas. Undefined for an empty text. */
export function parseTypes<T extends string>(text: string, known: readonly T[]): readonly T[] | undefined {
  if (text === "") return undefined;
  return text.split(",").map((name) => {
    const type = known.find((filter) => filter === name.trim());
    if (type === undefined) throw new RangeError(name);
    return type;
  });
}

function parseTime(text: string): string {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) || Number.isNaN(Date.parse(text))) throw new RangeError(text);
  return new Date(text).toISOString();
}

function parseRequestId(text: string): string | undefined {
  if (text === "") return undefined;
  if (!new RegExp(REQUEST_ID_PATTERN).test(text)) throw new RangeError(text);
  return text;
}

function parseUserId(text: string): number | undefined {
  if (text === "") return undefined;
  if (!/^[1-9]\d{0,15}$/.test(text)) throw new RangeError(text);
  return Number(text);
}
