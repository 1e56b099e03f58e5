// Generated from the schemas in src/contract by `npm run docs`. Change the schemas instead.

import type { CustomFields, Json } from "./custom-fields.ts";

/** A user with its custom fields. */
export type User<Custom = CustomFields> = Custom & {
  /** Assigned by the service in ascending order and never reused. */
  readonly id: number;
  name: string;
  /** Unique, ignoring case. Stored as sent. Absent if the user has no email. */
  email?: string;
  /** What the user signs in with, if it is not the email. Unique, ignoring case, also among the emails of users without one. Stored as sent. */
  userName?: string;
  /** Absent means true. It has no other effect: you decide what an inactive user may do. */
  active?: boolean;
  /** What SCIM clients send and has no other field. Programs that do not use SCIM leave it out. */
  scim?: { [name: string]: Json };
  /** Starts at 1 and grows by 1 with each change. The ETag. */
  readonly version: number;
  /** When the user was created. */
  readonly createdAt: string;
  /** When the user last changed. */
  readonly updatedAt: string;
};

/** A deleted user with its custom fields. */
export type DeletedUser<Custom = CustomFields> = User<Custom> & {
  /** When the user was deleted. */
  readonly deletedAt: string;
};

/** The whole record. The fields that the service adds are ignored, so you can send back a whole record. */
export type UserInput<Custom = CustomFields> = Custom & {
  /** 1 to 256 characters, without control characters. Spaces around it are removed. */
  name: string;
  /** An email address that no other user has, or null for none. */
  email?: string | null;
  /** A name of 1 to 256 characters that no other user has, nor as email, and not of the form `roster-42`; or null for none: then the email is the user name. */
  userName?: string | null;
  /** True or false. Null is the same as absent, which means true. */
  active?: boolean | null;
  /** An object, or null for none. For what SCIM sends and has no other field. */
  scim?: { [name: string]: Json } | null;
};

/** Omitted fields stay, null removes a field, and objects are merged member by member. */
export type UserPatch<Custom = CustomFields> = { [Field in keyof Custom]?: Custom[Field] | null } & {
  /** 1 to 256 characters, without control characters. Spaces around it are removed. */
  name?: string;
  /** An email address that no other user has, or null for none. */
  email?: string | null;
  /** A name of 1 to 256 characters that no other user has, nor as email, and not of the form `roster-42`; or null for none: then the email is the user name. */
  userName?: string | null;
  /** True or false. Null is the same as absent, which means true. */
  active?: boolean | null;
  /** An object, or null for none. For what SCIM sends and has no other field. */
  scim?: { [name: string]: Json } | null;
};

/** A group with its custom fields. */
export type Group<Custom = CustomFields> = Custom & {
  /** Assigned by the service in ascending order and never reused. */
  readonly id: number;
  name: string;
  /** What SCIM clients send and has no other field. Programs that do not use SCIM leave it out. */
  scim?: { [name: string]: Json };
  /** How many members the group has. */
  readonly memberCount: number;
  /** Starts at 1 and grows by 1 with each change. The ETag. */
  readonly version: number;
  /** When the group was created. */
  readonly createdAt: string;
  /** When the group last changed. */
  readonly updatedAt: string;
};

/** The whole record. The fields that the service adds are ignored, so you can send back a whole record. */
export type GroupInput<Custom = CustomFields> = Custom & {
  /** 1 to 256 characters, without control characters. Spaces around it are removed. */
  name: string;
  /** An object, or null for none. For what SCIM sends and has no other field. */
  scim?: { [name: string]: Json } | null;
};

/** Omitted fields stay, null removes a field, and objects are merged member by member. */
export type GroupPatch<Custom = CustomFields> = { [Field in keyof Custom]?: Custom[Field] | null } & {
  /** 1 to 256 characters, without control characters. Spaces around it are removed. */
  name?: string;
  /** An object, or null for none. For what SCIM sends and has no other field. */
  scim?: { [name: string]: Json } | null;
};

export interface ChangedMembers {
  /** Users that became members. Users that were members before do not count. */
  readonly added: number;
  /** Users that were members. */
  readonly removed: number;
}

/** A field of every user that lists can sort by. */
export type SortField = "id" | "name" | "email" | "version" | "createdAt" | "updatedAt";

/** How a page of a list was found. */
export interface ListExplanation {
  /** The parameter `sort`. */
  readonly order: string;
  readonly plan: ListPlan;
  /** How many rows of the table, or entries of indexes, all rounds read. */
  readonly rowsRead: number;
  /** How many SQL statements found the page, with those that estimate. */
  readonly statements: number;
  /** How many records the page has. */
  readonly found: number;
  /** Whether the list goes on after the page. */
  readonly hasMore: boolean;
  /** False if the allowed work ended before the page was full. The list itself then goes on, for up to 250 ms. */
  readonly complete: boolean;
  /** Null if the list has no conditions, or one record is looked up. */
  readonly estimates: ListEstimates | null;
  /** The plans that were last compared, the cheapest first. Empty if there was no choice. */
  readonly compared: readonly ComparedPlan[];
  /** What was done, in this order. */
  readonly rounds: readonly ListRound[];
}

/** One way to find the records of a list. */
export interface ListPlan {
  /** `all`: reads records in the order of the list; all of them match. `unique`: looks up one record by a unique value. `walk`: reads records in the order of the list, and tests each; with a condition, it first collects the ids in the index of the condition, and reads only these records. `index`: reads the index of a condition in order of id, and tests the records that it names for the other conditions. `sort`: reads the whole index of a condition, and tests and sorts the records that it names. */
  readonly kind: "all" | "unique" | "walk" | "index" | "sort";
  /** The condition whose index is read: the name of a parameter, such as `q` or `department`, or a part of `filter`. Several of them, joined by `and`, if only the ids that their indexes have in common are read. */
  readonly condition?: string;
}

/** What Roster knew about a list when it last compared plans. */
export interface ListEstimates {
  /** About how many records there are: the highest id. */
  readonly rows: number;
  /** About how many records meet all conditions. */
  readonly matches: number;
  readonly conditions: readonly ListCondition[];
}

/** A condition of a list. */
export interface ListCondition {
  /** The name of a parameter, such as `q` or `department`, or a part of `filter`. */
  readonly condition: string;
  /** About how many entries its index has. Null if no index is used: records are only tested. */
  readonly entries: number | null;
  /** Whether the entries were counted, and all of them. */
  readonly exact: boolean;
}

/** A plan that was considered. */
export interface ComparedPlan {
  readonly plan: ListPlan;
  /** How many rows of the table, or entries of the index, it was expected to read. */
  readonly rowsExpected: number;
  /** The CPU time that it was expected to take. */
  readonly microseconds: number;
}

/** A part of the work: one plan, up to its limit. */
export interface ListRound {
  /** Whether the round skips records for `offset`, or finds records of the page. */
  readonly phase: "offset" | "page";
  readonly plan: ListPlan;
  /** How many rows of the table, or entries of the index, it was expected to read. */
  readonly rowsExpected: number;
  /** After so many rows or entries, plans are compared again. Where only ids can be limited, so many are expected among these ids. Null without a limit. */
  readonly limit: number | null;
  /** How many rows of the table, or entries of the index, it read. */
  readonly rowsRead: number;
  /** How many records it found or skipped. */
  readonly matches: number;
}

/** A custom field in use. */
export interface CustomField {
  readonly name: string;
  /** The types of its values. */
  readonly types: readonly FieldType[];
}

export type FieldType = "number" | "string" | "boolean" | "null" | "object" | "array";

/** A format of imports and exports. */
export type BulkFormat = "ndjson" | "csv";

/** What happens to a line whose record exists. */
export type ConflictAction = "fail" | "skip" | "update";

/** The result for one user. */
export interface ChangedUser {
  /** Assigned by the service in ascending order and never reused. */
  readonly id: number;
  /** 200 if the user was updated or unchanged, 204 if it was deleted, or the status of the problem. */
  readonly status: number;
  readonly problem?: Problem;
}

/** A line whose user was created, or existed. */
export interface CreatedLine {
  /** The line number in the request body, from 1. */
  readonly line: number;
  /** 201: the record was created. 200: the record existed, and was updated, unchanged or skipped. Otherwise the status of the problem. */
  readonly status: number;
  /** The record's id. Absent for a record that a dry run would create, and for a record that existed if the key must not read it. */
  readonly id?: number;
  readonly problem?: never;
}

/** A line that failed. */
export interface FailedLine {
  /** The line number in the request body, from 1. */
  readonly line: number;
  /** 201: the record was created. 200: the record existed, and was updated, unchanged or skipped. Otherwise the status of the problem. */
  readonly status: number;
  readonly id?: never;
  readonly problem: Problem;
}

/** The history of the directory, day by day. */
export interface Stats {
  /** Every day, oldest first. The last one is today. */
  readonly days: readonly {
    /** A calendar day (UTC). */
    readonly date: string;
    /** Users created on this day. */
    readonly created: number;
    /** Users deleted on this day. */
    readonly deleted: number;
    /** Deleted users restored on this day. */
    readonly restored: number;
    /** Users at the end of the day; today: users now. */
    readonly total: number;
  }[];
}

/** A JSON Schema (2020-12) of the custom fields. `{}` allows everything. docs/schema.md lists the supported keywords. */
export interface JsonSchema {
  readonly [name: string]: unknown;
}

/** A version of the schema. `{}` if the schema was removed. */
export interface SchemaVersion {
  readonly version: number;
  /** When this version was stored. */
  readonly createdAt: string;
  readonly schema: JsonSchema;
}

/** A user that the schema does not allow. */
export interface SchemaViolation {
  /** Assigned by the service in ascending order and never reused. */
  readonly id: number;
  /** What the schema does not allow, with a JSON Pointer into the user. */
  readonly errors: readonly FieldError[];
}

/** What a schema would mean for the users that exist. */
export interface SchemaCheck {
  /** Users that were checked. */
  readonly checked: number;
  /** Users that the schema does not allow. */
  readonly violating: number;
  /** The first of them, up to 100. */
  readonly violations: readonly SchemaViolation[];
}

/** What happened. Later versions add types. */
export type EventType =
  | "user.created"
  | "user.updated"
  | "user.deleted"
  | "user.restored"
  | "user.purged"
  | "group.created"
  | "group.updated"
  | "group.deleted"
  | "group.members_changed"
  | "key.created"
  | "key.replaced"
  | "key.revoked"
  | "webhook.created"
  | "webhook.updated"
  | "webhook.deleted"
  | "webhook.disabled"
  | "schema.updated";

/** A type of event, or all types of a subject. */
export type EventTypeFilter = EventType | "user.*" | "group.*" | "key.*" | "webhook.*" | "schema.*";

/** Who made the change. */
export interface EventActor {
  /** `key`: a request with an API key. `anonymous`: a request without one. `command`: a command on the host. `system`: the service itself. */
  readonly type: "key" | "anonymous" | "command" | "system";
  /** The key's id; 0 for the key in ROSTER_API_KEY. */
  readonly id?: number;
  /** The key's name. */
  readonly name?: string | null;
}

/** What has changed. */
export interface EventSubject {
  readonly type: "user" | "group" | "key" | "webhook" | "schema";
  /** Assigned by the service in ascending order and never reused. */
  readonly id: number;
}

/** A change of a user, a group, a key or a webhook. */
export interface ChangeEvent<Type extends EventType, Subject extends EventSubject["type"], Version, Item> {
  /** Opaque and unique. Ids sort by their bytes, in the order of the feed. */
  readonly id: string;
  /** What happened. Later versions add types. */
  readonly type: Type;
  /** When the change was committed. */
  readonly time: string;
  readonly actor: EventActor;
  /** The X-Request-Id of the request. Null for a change without a request. */
  readonly requestId: string | null;
  /** What has changed. */
  readonly subject: { readonly type: Subject; readonly id: number };
  /** The version of the user, group or webhook after the change, or before its deletion. Null for keys. */
  readonly version: Version;
  /** The old and the new value of each top-level field that an update or a restore changed. Empty if the subject was created or deleted, and after a purge. Of `group.members_changed`: `members`, with the ids that were added and removed. */
  readonly changes: {
    readonly [name: string]: {
      /** Absent if the field did not exist. */
      readonly from?: unknown;
      /** Absent if the field was removed. */
      readonly to?: unknown;
      /** Of `members` only: the users that became members. */
      readonly added?: readonly number[];
      /** Of `members` only: the users that are not members any more. */
      readonly removed?: readonly number[];
    };
  };
  /** The user, group, key or webhook after the change, or before its deletion. Null if the user was purged. */
  readonly record: Item;
}

/** A webhook, without its secret. */
export interface Webhook {
  /** Assigned by the service in ascending order and never reused. */
  readonly id: number;
  /** Where events are sent. */
  readonly url: string;
  /** Which events are sent. A type such as `user.created`, all types of a subject such as `user.*`, or `*`. */
  readonly types: readonly string[];
  readonly description: string;
  /** A filter expression on the record of an event, as in `GET /api/users`. Null for all events. */
  readonly filter: string | null;
  /** Whether events are sent. Events of the time while a webhook is not active are not sent later. */
  readonly active: boolean;
  /** Why the service disabled the webhook. Null if it did not, and after the webhook was activated again. */
  readonly disabledReason: "gone" | "failing" | "restored" | null;
  /** Every delivery since this time has failed. Null if the last delivery succeeded. Changes without a new version. */
  readonly failingSince: string | null;
  /** Until this time, deliveries are also signed with the secret before the last rotation. Null if there was no rotation. */
  readonly previousSecretUntil: string | null;
  /** Increases by 1 with each change. */
  readonly version: number;
  /** When the webhook was created. */
  readonly createdAt: string;
  /** When the webhook was last changed. */
  readonly updatedAt: string;
}

/** A webhook, with its secret. */
export interface WebhookWithSecret extends Webhook {
  /** The secret that signs deliveries. Only this response contains it. */
  readonly secret: string;
}

/** A webhook to create. */
export interface WebhookInput {
  /** Where events are sent: an `https:` URL without a user name and a password. Its host must have public addresses, unless the service has ROSTER_WEBHOOK_PRIVATE=allow: it may then also be an `http:` URL. */
  readonly url: string;
  /** Which events are sent. A type such as `user.created`, all types of a subject such as `user.*`, or `*`. */
  readonly types: readonly (EventTypeFilter | "*")[];
  /** What the webhook is for. Null removes it. */
  readonly description?: string | null;
  /** Whether events are sent. Events of the time while a webhook is not active are not sent later. */
  readonly active?: boolean;
  /** A filter expression on the record of an event, as in `GET /api/users`. Null for all events. */
  readonly filter?: string | null;
}

/** An event that was sent to a webhook, or that waits for its next attempt. */
export interface Delivery {
  /** The id of the event. */
  readonly id: string;
  /** The type of the event. */
  readonly type: string;
  /** What has changed. */
  readonly subject: { readonly type: string; readonly id: number };
  /** `waiting`: for its next attempt, or for an earlier event of the same subject. `failed`: all attempts failed. */
  readonly state: "waiting" | "delivered" | "failed";
  /** The last attempts, oldest first. */
  readonly attempts: readonly DeliveryAttempt[];
  /** Null if no attempt is planned, or if an earlier event of the same subject comes first. */
  readonly nextAttemptAt: string | null;
}

/** One request to the receiver. */
export interface DeliveryAttempt {
  /** When the attempt began. */
  readonly time: string;
  /** The status of the response. Null if there was none. */
  readonly status: number | null;
  /** How long the attempt took, in milliseconds. */
  readonly durationMs: number;
  /** Why the attempt failed. Null if the receiver accepted the event. */
  readonly error: string | null;
}

/** A delivery with its last request, and the last response if it is stored. */
export interface DeliveryDetails extends Delivery {
  /** The request of the last attempt. Null if there was no attempt, or if the event is no longer kept. */
  readonly request: DeliveryRequest | null;
  /** The last response that is stored. Null if none is: the service does not store responses, the receiver has a private address or sent a compressed body, there was no response, or the user of the event was purged. */
  readonly response: DeliveryResponse | null;
  /** Whether the service stores responses: ROSTER_WEBHOOK_STORE_RESPONSES. */
  readonly storesResponses: boolean;
}

/** The request of the last attempt, built again from its event. */
export interface DeliveryRequest {
  /** Where the request was sent. */
  readonly url: string;
  /** The headers by name. Without `webhook-signature` if the request is not exact, and without `traceparent`. */
  readonly headers: {
    readonly [name: string]: string;
  };
  /** The body, which is JSON. */
  readonly body: string;
  /** Whether the request had exactly these bytes. False if the user of the event was purged, or if the URL or the secret of the webhook, ROSTER_PUBLIC_URL or the version of the service has changed since. */
  readonly exact: boolean;
}

/** What the receiver answered. Any text can be in it: never show it as HTML. */
export interface DeliveryResponse {
  /** When the attempt began that got this response. */
  readonly time: string;
  /** The first 4 KiB as text. What is not UTF-8, and control characters except tabs and line breaks, are replaced by U+FFFD. */
  readonly body: string;
  /** Whether the response had more. */
  readonly cut: boolean;
}

/** The attempts of a webhook, hour by hour. */
export interface AttemptHistory {
  /** Every hour, oldest first. The last one is not over yet. */
  readonly hours: readonly AttemptsInHour[];
}

/** The attempts of a webhook that began in one hour. */
export interface AttemptsInHour {
  /** When the hour begins. */
  readonly hour: string;
  /** Attempts that the receiver accepted with a 2xx status. */
  readonly accepted: number;
  /** Attempts that failed. Most are retried. */
  readonly failed: number;
}

/** The outcome of a sample delivery. */
export interface WebhookTestResult {
  /** Whether the receiver accepted the sample. */
  readonly delivered: boolean;
  /** The status of the response. Null if there was none. */
  readonly status: number | null;
  /** How long the attempt took, in milliseconds. */
  readonly durationMs: number;
  /** Why the attempt failed. Null if the receiver accepted the event. */
  readonly error: string | null;
}

/** The events to send again. */
export interface ReplayRange {
  /** Events at or after this time (RFC 3339). */
  readonly from: string | Date;
  /** Events before this time (RFC 3339). Default: now. */
  readonly to?: string | Date;
}

/** An API key, without its secret. */
export interface Key {
  /** Assigned by the service in ascending order and never reused. */
  readonly id: number;
  readonly name: string;
  /** The first characters of the secret, to recognize the key by. */
  readonly prefix: string;
  readonly scopes: readonly Scope[];
  /** When the key was created. */
  readonly createdAt: string;
  /** When the key expires. Null for never. */
  readonly expiresAt: string | null;
  /** When the key was revoked. Null if it was not. */
  readonly revokedAt: string | null;
  /** When the key was last used, accurate to about a second. Null if it was never used. */
  readonly lastUsedAt: string | null;
  /** The key's own rate limit. Null for the service's default. */
  readonly rateLimit: RateLimit | null;
  /** Requests per calendar month (UTC). Null for no quota. */
  readonly quota: number | null;
  /** Requests in the current calendar month (UTC), accurate to about a second. */
  readonly usage: {
    readonly month: string;
    readonly requests: number;
  };
}

/** A new API key, with its secret. */
export interface CreatedKey extends Key {
  /** The secret. Only this response contains it. */
  readonly key: string;
}

/** An API key to create. */
export interface KeyInput {
  /** What the key is for: 1 to 100 characters, without control characters. Spaces around it are removed. */
  readonly name: string;
  /** What the key can do. You can only grant scopes that your own key has. */
  readonly scopes: readonly Scope[];
  /** When the key expires. Null for never. */
  readonly expiresAt?: string | null;
  /** The key's own rate limit. Null for the service's default. */
  readonly rateLimit?: RateLimit | null;
  /** Requests per calendar month (UTC). Null for no quota. */
  readonly quota?: number | null;
}

/** How a key's successor differs from the key. */
export interface KeyReplacement extends Partial<KeyInput> {
  /** How long the replaced key stays active. 0 expires it at once. */
  readonly graceSeconds: number;
}

/** What an API key can do. */
export type Scope =
  | "users:read"
  | "users:write"
  | "users:purge"
  | "groups:read"
  | "groups:write"
  | "events:read"
  | "schema:manage"
  | "webhooks:manage"
  | "keys:manage";

/** A token bucket: this many requests per this many seconds. */
export interface RateLimit {
  readonly requests: number;
  readonly seconds: number;
}

/** The usage of a key, day by day. */
export interface UsageHistory {
  /** Every day, oldest first. The last one is today. */
  readonly days: readonly {
    /** A calendar day (UTC). */
    readonly date: string;
    /** Requests with the key on this day. */
    readonly requests: number;
  }[];
}

/** An error response (RFC 9457). */
export interface Problem {
  /** The problem type: the path of a page that explains the problem. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  /** What went wrong in this request, and what to do. */
  readonly detail: string;
  /** The path of the request. */
  readonly instance: string;
  /** The same as X-Request-Id. The service's log contains it too. */
  readonly requestId: string;
  /** Every error in the request body or the query string. */
  readonly errors?: readonly FieldError[];
}

/** One error in the request body or the query string. */
export interface FieldError {
  /** A JSON Pointer to the invalid value in the request body. */
  readonly pointer?: string;
  /** The invalid query parameter. */
  readonly parameter?: string;
  readonly detail: string;
  /** Where a filter expression is invalid: the number of the character (Unicode code point), from 1. */
  readonly position?: number;
}
