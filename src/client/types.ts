export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A user as the service returns it, with your custom fields. */
export type User<Custom = CustomFields> = Custom & {
  readonly id: number;
  name: string;
  email?: string;
  /** Absent means true. */
  active?: boolean;
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
};

/** A user that was deleted and can be restored. */
export type DeletedUser<Custom = CustomFields> = User<Custom> & { readonly deletedAt: string };

/** Custom fields of any name and type: the default until you declare yours. */
export type CustomFields = { [field: string]: Json | undefined };

/** The record of a user. The fields that the service adds are ignored, so you can send back a whole user. */
export type UserInput<Custom = CustomFields> = Custom & {
  name: string;
  email?: string | null;
  active?: boolean | null;
};

/** A JSON Merge Patch: omitted fields stay, null removes a field. */
export type UserPatch<Custom = CustomFields> = { [Field in keyof Custom]?: Custom[Field] | null } & {
  name?: string;
  email?: string | null;
  active?: boolean | null;
};

/** What a list returns with `fields`: these fields, and always the id and the version. */
export type PartialUser<Custom = CustomFields> = {
  readonly id: number;
  readonly version: number;
} & DeepPartial<Omit<User<unknown>, "id" | "version">> &
  DeepPartial<Custom>;

/** Objects with members of any name stay as they are. */
type DeepPartial<T> = T extends readonly (infer Element)[]
  ? Json extends Element
    ? T
    : DeepPartial<Element>[]
  : T extends object
    ? string extends keyof T
      ? T
      : { [Member in keyof T]?: DeepPartial<T[Member]> }
    : T;

export type SortField = "id" | "name" | "email" | "version" | "createdAt" | "updatedAt";

/** A field, or a value inside a custom field: `address.city`. */
export type FieldPath<Custom = CustomFields> =
  | SortField
  | (keyof Custom & string)
  | `${keyof Custom & string}.${string}`;

/** A custom field that some user has. */
export interface CustomField {
  readonly name: string;
  /** The types of its values. */
  readonly types: readonly FieldType[];
}

export type FieldType = "number" | "string" | "boolean" | "null" | "object" | "array";

/** A value of a custom field, or an element of an array in it. */
export type FieldValue = number | string | boolean;

/** What a key allows. */
export type Scope =
  | "users:read"
  | "users:write"
  | "users:purge"
  | "events:read"
  | "schema:manage"
  | "webhooks:manage"
  | "keys:manage";

/** A maximum number of requests in a number of seconds. */
export interface RateLimit {
  readonly requests: number;
  readonly seconds: number;
}

/** An API key as the service returns it, without its secret. */
export interface Key {
  readonly id: number;
  readonly name: string;
  /** The first characters of the secret, to recognise the key. */
  readonly prefix: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly lastUsedAt: string | null;
  /** Null for the service's default. */
  readonly rateLimit: RateLimit | null;
  /** Requests per calendar month (UTC); null for no quota. */
  readonly quota: number | null;
  /** Requests in the current month. */
  readonly usage: { readonly month: string; readonly requests: number };
}

/** How many days to read, up to today (UTC): 1 to 366, default 30. */
export interface DaysOptions extends CallOptions {
  readonly days?: number;
}

/** The history of the directory. The days are in order; the last one is today (UTC). */
export interface Stats {
  readonly days: readonly {
    /** Like 2026-11-16. */
    readonly date: string;
    readonly created: number;
    readonly deleted: number;
    readonly restored: number;
    /** Users at the end of the day, or now. */
    readonly total: number;
  }[];
}

/** The requests with a key, day by day. */
export interface UsageHistory {
  readonly days: readonly { readonly date: string; readonly requests: number }[];
}

/** A newly created key. */
export interface CreatedKey extends Key {
  /** The secret. Store it now: it is not shown again. */
  readonly key: string;
}

/** The fields of a new key. */
export interface KeyInput {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt?: string | null;
  readonly rateLimit?: RateLimit | null;
  readonly quota?: number | null;
}

/** How a key's successor differs from the key. */
export interface KeyReplacement extends Partial<KeyInput> {
  /** Seconds that the old key stays active; 0 ends it immediately. */
  readonly graceSeconds: number;
}

/** An error response of the service (RFC 9457). */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly requestId: string;
  readonly errors?: readonly {
    readonly pointer?: string;
    readonly parameter?: string;
    readonly detail: string;
    /** Where a filter expression is invalid: the number of the character, from 1. */
    readonly position?: number;
  }[];
}

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Timeout of the call with all its retries, in milliseconds. */
  readonly timeout?: number | undefined;
}

/** The precondition of a change. If it fails, the service responds 412 and changes nothing. */
export interface ChangeOptions extends CallOptions {
  /** The version that the user must have, or `"*"` for any version. */
  readonly ifMatch?: number | "*";
  /** The user as you read it: short for its version in `ifMatch`. */
  readonly ifUnchanged?: { readonly version: number };
}

export interface DeleteOptions extends ChangeOptions {
  /** Purges the user too: it cannot be restored. Needs the scope `users:purge`. */
  readonly purge?: boolean;
}

export interface RestoreOptions extends ChangeOptions {
  /** Another email for the user, or null for none. */
  readonly email?: string | null;
}

export interface CreateOptions extends CallOptions {
  /** Identifies the create: repeating it with the same key creates no second user. Default: a random key. */
  readonly idempotencyKey?: string;
}

export interface ListOptions<Custom = CustomFields> extends CallOptions {
  /** Finds users by words: each occurs in the name or the email. */
  readonly q?: string;
  /** A field, with `-` in front for descending order. */
  readonly sort?: FieldPath<Custom> | `-${FieldPath<Custom>}`;
  /** A filter expression, as text or from `roster-client/filter`. */
  readonly filter?: string | FilterExpression | undefined;
  /** Equality filters by field. A list of values matches any of them. */
  readonly where?: { readonly [field: string]: Filter | readonly Filter[] };
  /** Users per page, up to 1000. */
  readonly limit?: number;
  /** The cursor: `next` of the previous page. */
  readonly after?: string | undefined;
  /** Number of users to skip, up to 10,000. */
  readonly offset?: number;
}

/** Which deleted users to list. */
export type DeletedListOptions = CallOptions & Pick<ListOptions, "q" | "filter" | "limit" | "after">;

/** A filter expression from `roster-client/filter`. */
export interface FilterExpression {
  toString(): string;
  /** The text as an operand of `and` or `or`. */
  toOperand(joint: "and" | "or"): string;
}

/** Only some fields of each user. */
export interface FieldOptions<Custom = CustomFields> {
  /** The fields. The id and the version are always there. */
  readonly fields: readonly FieldPath<Custom>[];
}

export type KeyListOptions = CallOptions & Pick<ListOptions, "limit" | "after">;

type Filter = string | number | boolean | null;

export interface Page<Custom = CustomFields, Item = User<Custom>> {
  readonly users: Item[];
  /** The cursor for `after`; undefined on the last page. */
  readonly next: string | undefined;
  /** The total number of users, if you requested it. If `capped`, there are at least this many. */
  readonly total: { readonly count: number; readonly capped: boolean } | undefined;
}

export interface DeletedPage<Custom = CustomFields> {
  readonly users: DeletedUser<Custom>[];
  /** The cursor for `after`; undefined on the last page. */
  readonly next: string | undefined;
}

export interface KeyPage {
  readonly keys: Key[];
  /** The cursor for `after`; undefined on the last page. */
  readonly next: string | undefined;
}
