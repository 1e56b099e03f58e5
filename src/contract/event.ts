/** Every type of event: a kind of subject, and what happened to it. */
export const eventTypes = [
  "user.created",
  "user.updated",
  "user.deleted",
  "key.created",
  "key.replaced",
  "key.revoked",
  "webhook.created",
  "webhook.updated",
  "webhook.deleted",
  "webhook.disabled",
] as const;

export type EventType = (typeof eventTypes)[number];

export const eventSubjectTypes = ["user", "key", "webhook"] as const;

export type EventSubjectType = (typeof eventSubjectTypes)[number];

export const actorTypes = ["key", "anonymous", "command", "system"] as const;

/** An event id sorts by its bytes, in the order of the feed. */
export const EVENT_ID_PATTERN = "^[0-9a-z]{11}$";

export const eventLimits = {
  pageSize: { maximum: 100, default: 20 },
  /** Values of the parameter `type`. */
  types: 20,
  /** The longest wait for an event, in seconds. */
  waitSeconds: 60,
  /** Callers that follow the events of one node at a time. */
  followers: 5000,
} as const;

/** The types that a pattern matches: a type, or `user.*` for all types of a subject. */
export function matchEventTypes(pattern: string): readonly EventType[] {
  return eventTypes.filter((type) => type === pattern || `${type.split(".")[0]}.*` === pattern);
}
