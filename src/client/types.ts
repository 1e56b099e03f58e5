import type { CustomFields, Json } from "./custom-fields.ts";
import type { DeletedUser, Key, SortField, User } from "./service-types.ts";

/** What a list returns with `fields`: these fields, and always the id and the version. */
export type PartialUser<Custom = CustomFields> = Pick<User<unknown>, "id" | "version"> &
  DeepPartial<Omit<User<unknown>, "id" | "version">> &
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

/** A field, or a value inside a custom field: `address.city`. */
export type FieldPath<Custom = CustomFields> =
  | SortField
  | (keyof User<Custom> & string)
  | `${(keyof Custom & string) | "scim"}.${string}`;

/** A value of a custom field, or an element of an array in it. */
export type FieldValue = number | string | boolean;

/** A value of a custom field, and how many users have it. If `capped`, there are at least this many. */
export interface CountedFieldValue {
  readonly value: FieldValue;
  readonly count: number;
  readonly capped: boolean;
}

/** How many days to read, up to today (UTC): 1 to 366, default 30. */
export interface DaysOptions extends CallOptions {
  readonly days?: number;
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
  /** Another user name for the user, or null for none. */
  readonly userName?: string | null;
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
  /** Equality filters by field. A list of values matches any of them. `group` has ids of groups: members of any of them match. */
  readonly where?: { readonly [field: string]: Filter | readonly Filter[] };
  /** Users per page, up to 1000. */
  readonly limit?: number;
  /** The cursor: `next` of the previous page. */
  readonly after?: string | undefined;
  /** Number of users to skip, up to 10,000,000. */
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
