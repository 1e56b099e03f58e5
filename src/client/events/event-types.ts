import type { CustomFields } from "../custom-fields.ts";
import type {
  ChangeEvent,
  EventActor,
  EventSubject,
  EventType,
  EventTypeFilter,
  Group,
  JsonSchema,
  Key,
  User,
  Webhook,
} from "../service-types.ts";
import type { CallOptions } from "../types.ts";

type FieldChange = ChangeEvent<EventType, "group", number, Group>["changes"][string];
type TypesOf<Subject extends EventSubject["type"]> = Extract<EventType, `${Subject}.${string}`>;

/** The record is null after the user was purged. */
export type UserEvent<Custom = CustomFields> = ChangeEvent<
  TypesOf<"user">,
  "user",
  number,
  User<Custom> | null
>;

export type GroupEvent<Custom = CustomFields> =
  | ChangeEvent<Exclude<TypesOf<"group">, "group.members_changed">, "group", number, Group<Custom>>
  | MembersEvent<Custom>;

/** The ids of the users that a change added to a group and removed from it: at most 1,000. */
export type MembersEvent<Custom = CustomFields> = ChangeEvent<
  "group.members_changed",
  "group",
  number,
  Group<Custom>
> & {
  readonly changes: { readonly members: FieldChange & Required<Pick<FieldChange, "added" | "removed">> };
};

export type KeyEvent = ChangeEvent<TypesOf<"key">, "key", null, Omit<Key, "lastUsedAt" | "usage">>;

export type WebhookEvent = ChangeEvent<TypesOf<"webhook">, "webhook", number, Webhook>;

/** `version` is that of the schema, and `record` the schema itself: `{}` if it was removed. */
export type SchemaEvent = ChangeEvent<TypesOf<"schema">, "schema", number, JsonSchema>;

/** A change of a user, a group, a key, a webhook or the schema. Compare `type` to know which. */
export type RosterEvent<Custom = CustomFields> =
  | UserEvent<Custom>
  | GroupEvent
  | KeyEvent
  | WebhookEvent
  | SchemaEvent;

/** Which events to get. */
export interface EventFilters extends CallOptions {
  readonly type?: EventTypeFilter | readonly EventTypeFilter[];
  /** Only events of this user, group, key or webhook, or of the schema (`schema:1`). */
  readonly subject?: `${EventSubject["type"]}:${number}`;
  /** The history of the user with this id: its events, and the changes of the members of groups that name it. Not with `subject`. */
  readonly user?: number;
  readonly actor?: `key:${number}` | Exclude<EventActor["type"], "key">;
  /** Only events of the request with this X-Request-Id. No index has these ids: set `from` and `to`, or `after`. */
  readonly requestId?: string;
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
