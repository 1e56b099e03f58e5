/** Every type of event: a kind of subject, and what happened to it. */
export const eventTypes = [
  "user.created",
  "user.updated",
  "user.deleted",
  "user.restored",
  "user.purged",
  "group.created",
  "group.updated",
  "group.deleted",
  "group.members_changed",
  "key.created",
  "key.replaced",
  "key.revoked",
  "webhook.created",
  "webhook.updated",
  "webhook.deleted",
  "webhook.disabled",
  "schema.updated",
] as const;

export type EventType = (typeof eventTypes)[number];

export const eventSubjectTypes = ["user", "group", "key", "webhook", "schema"] as const;

export type EventSubjectType = (typeof eventSubjectTypes)[number];

export const actorTypes = ["key", "anonymous", "command", "system"] as const;

/** An event id sorts by its bytes, in the order of the feed. */
export const EVENT_ID_PATTERN = "^[0-9a-z]{11}$";

/** What X-Request-Id accepts, and so what the request of an event can have. */
export const REQUEST_ID_PATTERN = "^[A-Za-z0-9._:/+=-]{1,128}$";

const ID_DIGITS = "[1-9]\\d{0,14}";

/** What the parameters of events accept. */
export const eventPatterns = {
  /** A type, or all types of a subject. */
  type: `^(${[...eventTypes, ...eventSubjectTypes.map((subject) => `${subject}.*`)].join("|").replace(/[.*]/g, "\\$&")})$`,
  subject: `^(${eventSubjectTypes.join("|")}):${ID_DIGITS}$`,
  actor: `^(key:(0|${ID_DIGITS})|anonymous|command|system)$`,
  /** RFC 3339, with an offset. Positions of events after the year 2199 would not be exact. */
  time: "^(19[7-9]\\d|2[01]\\d\\d)-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])T([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d{1,9})?(Z|[+-]([01]\\d|2[0-3]):[0-5]\\d)$",
} as const;

export const eventLimits = {
  pageSize: { maximum: 100, default: 20 },
  /** Values of the parameter `type`. */
  types: 20,
  /** The longest wait for an event, in seconds. */
  waitSeconds: 60,
  /** Callers that follow the events of one node at a time. */
  followers: 5000,
  /** Of these, those of one key or, without keys, of one address. */
  followersPerCaller: 500,
} as const;

/** The types that a pattern matches: a type, or `user.*` for all types of a subject. */
export function matchEventTypes(pattern: string): readonly EventType[] {
  return eventTypes.filter((type) => type === pattern || `${type.split(".")[0]}.*` === pattern);
}

/** Whether the day of an RFC 3339 time exists. Date.parse takes February 30 for March 2. */
export function hasRealDay(time: string): boolean {
  const date = time.slice(0, "2026-11-16".length);
  return new Date(`${date}T00:00:00Z`).toISOString().startsWith(date);
}
