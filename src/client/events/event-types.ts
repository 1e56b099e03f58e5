import type { JsonSchema } from "../schema-types.ts";
import type { CallOptions, CustomFields, Key, User } from "../types.ts";
import type { Webhook } from "../webhook-types.ts";
import type {
  EventTypeFilter,
  KeyEventType,
  SchemaEventType,
  UserEventType,
  WebhookEventType,
} from "./event-type.ts";

/** Who made a change. */
export interface EventActor {
  /** A request with an API key or without one, a command on the host, or the service itself. */
  readonly type: "key" | "anonymous" | "command" | "system";
  /** The key's id; 0 for the key in ROSTER_API_KEY. */
  readonly id?: number;
  /** The key's name. */
  readonly name?: string | null;
}

interface ChangeEvent<Type extends string, Subject extends string, Version, Item> {
  /** Ids sort by their bytes, in the order of the events. */
  readonly id: string;
  readonly type: Type;
  readonly time: string;
  readonly actor: EventActor;
  /** The X-Request-Id of the request; null for a change without a request. */
  readonly requestId: string | null;
  readonly subject: { readonly type: Subject; readonly id: number };
  readonly version: Version;
  /** The old and the new value of each field that an update changed. A value that does not exist is absent. */
  readonly changes: { readonly [field: string]: { readonly from?: unknown; readonly to?: unknown } };
  /** The user, key or webhook after the change, or before its deletion. */
  readonly record: Item;
}

export type UserEvent<Custom = CustomFields> = ChangeEvent<
  UserEventType,
  "user",
  number,
  /** Null after the user was purged. */
  User<Custom> | null
>;

export type KeyEvent = ChangeEvent<KeyEventType, "key", null, Omit<Key, "lastUsedAt" | "usage">>;

export type WebhookEvent = ChangeEvent<WebhookEventType, "webhook", number, Webhook>;

/** `version` is that of the schema, and `record` the schema itself: `{}` if it was removed. */
export type SchemaEvent = ChangeEvent<SchemaEventType, "schema", number, JsonSchema>;

/** A change of a user, a key, a webhook or the schema. Compare `type` to know which. */
export type RosterEvent<Custom = CustomFields> = UserEvent<Custom> | KeyEvent | WebhookEvent | SchemaEvent;

export type { EventTypeFilter };

/** Which events to get. */
export interface EventFilters extends CallOptions {
  readonly type?: EventTypeFilter | readonly EventTypeFilter[];
  /** Only events of this user, key or webhook, or of the schema (`schema:1`). */
  readonly subject?: `${"user" | "key" | "webhook" | "schema"}:${number}`;
  readonly actor?: `key:${number}` | "anonymous" | "command" | "system";
  /** At or after this time, and before `to`. */
  readonly from?: string | Date;
  readonly to?: string | Date;
}

export interface EventListOptions extends EventFilters {
  /** `-id`: newest first. */
  readonly sort?: "id" | "-id";
  /** Events per page, at most 100. */
  readonly limit?: number;
  /** The id of an event: the list begins after it. */
  readonly after?: string;
}

export interface FollowOptions extends Omit<EventFilters, "to"> {
  /** The id of the last event that you know. Default: the last event now. */
  readonly after?: string;
}

export interface EventPage<Custom = CustomFields> {
  readonly events: RosterEvent<Custom>[];
  /** The id for `after`; undefined on the last page. */
  readonly next: string | undefined;
}
