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

/** `ndjson`: one JSON object per line. `csv`: a table whose first row names the fields. */
export type BulkFormat = "ndjson" | "csv";

/** Options of imports and exports. */
export interface StreamOptions {
  /** Aborts the call, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** The longest wait for the next data from the service, in milliseconds. */
  readonly timeout?: number | undefined;
}

export type ExportOptions<Custom = CustomFields> = StreamOptions &
  Pick<ListOptions<Custom>, "q" | "sort" | "filter" | "where">;

export interface ImportOptions extends StreamOptions {
  /** The format of text or bytes in the source. Default: `ndjson`. */
  readonly format?: BulkFormat;
  /** Identifies the import: repeating it with the same key creates no user twice. Default: a random key. */
  readonly idempotencyKey?: string;
  /** What happens to a line whose user exists. Default: `fail`. `update` applies the line as a merge patch. */
  readonly onConflict?: "fail" | "skip" | "update";
  /** The field by which a line finds its user: `email` (the default), `id`, or a custom field that is unique in the schema. */
  readonly match?: string;
  /** Change nothing, and return the results that the import would have. New users have no id. */
  readonly dryRun?: boolean;
}

export interface BulkOptions extends StreamOptions {
  /** Identifies the change: repeating it with the same key has no further effect. Default: a random key. */
  readonly idempotencyKey?: string;
}

/**
 * A change of many users: by up to 100,000 ids, or all that match a filter expression. `restore` applies to deleted users.
 */
export type BulkChange<Custom = CustomFields> = (
  | { readonly ids: readonly (number | string)[]; readonly filter?: never }
  | { readonly filter: string | FilterExpression; readonly ids?: never }
) &
  (
    | { readonly patch: UserPatch<Custom>; readonly delete?: never; readonly restore?: never }
    | { readonly delete: true; readonly patch?: never; readonly restore?: never }
    | { readonly restore: true; readonly patch?: never; readonly delete?: never }
  );

/** The result of a bulk change for one user. */
export interface ChangedUser {
  readonly id: number;
  /** 200: updated, unchanged or restored. 204: deleted. Otherwise the status of the problem. */
  readonly status: number;
  readonly problem?: Problem;
}

export interface BulkSummary {
  readonly changed: number;
  readonly failed: number;
  /** The first users that could not be changed. */
  readonly failures: readonly ChangedUser[];
}

/**
 * Users, or text or bytes in an import format. Sources in memory (arrays, strings, bytes, Blobs) can be retried; other
 * sources can be read only once.
 */
export type ImportSource<Custom = CustomFields> =
  | string
  | Uint8Array
  | Blob
  | Iterable<ImportPart<Custom>>
  | AsyncIterable<ImportPart<Custom>>
  | ReadableStream<ImportPart<Custom>>;

export type ImportPart<Custom = CustomFields> = UserInput<Custom> | string | Uint8Array;

/** The result of one line: the id of the created user, or a problem. */
export type ImportedLine = CreatedLine | FailedLine;

export interface CreatedLine {
  /** The line number in the source, from 1. For objects: their position, from 1. */
  readonly line: number;
  /** 201: created. 200: the user existed, and was updated, unchanged or skipped. */
  readonly status: number;
  /** Undefined for a user that a dry run would create. */
  readonly id?: number;
  readonly problem?: never;
}

export interface FailedLine {
  readonly line: number;
  readonly status: number;
  readonly problem: Problem;
  readonly id?: never;
}

export interface ImportSummary {
  readonly created: number;
  /** Users that existed, and were updated, unchanged or skipped. */
  readonly existing: number;
  readonly failed: number;
  /** The first failed lines. */
  readonly failures: readonly FailedLine[];
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
