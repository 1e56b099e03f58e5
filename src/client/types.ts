import type { CustomFields, Json } from "./custom-fields.ts";
import type { DeletedUser, Group, Key, SortField, User } from "./service-types.ts";

/** Ids are numbers. They can also be text, as in a URL. */
export type Id = number | string;

/** What a list of users returns with `fields`: these fields, and always the id and the version. */
export type PartialUser<Custom = CustomFields> = PartOf<User<unknown>, Custom>;
/** The same of a list of groups. */
export type PartialGroup = PartOf<Group<unknown>, CustomFields>;

type PartOf<Fields extends { id: number; version: number }, Custom> = Pick<Fields, "id" | "version"> &
  DeepPartial<Omit<Fields, "id" | "version">> &
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
  /** The version that the record must have, or `"*"` for any version. */
  readonly ifMatch?: number | "*";
  /** The record as you read it: short for its version in `ifMatch`. */
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
  /** Identifies the create: repeating it with the same key creates no second record. Default: a random key. */
  readonly idempotencyKey?: string;
}

/** What a list of any records has. */
interface RecordListOptions<Path extends string, Expression> extends CallOptions {
  /** Finds records by words: each occurs in the name, or in the email of a user. */
  readonly q?: string;
  /** A field, with `-` in front for descending order. */
  readonly sort?: Path | `-${Path}`;
  /** A filter expression, as text or from `roster-client/filter`. */
  readonly filter?: string | Expression | undefined;
  /** Equality filters by field. A list of values matches any of them. */
  readonly where?: { readonly [field: string]: Filter | readonly Filter[] };
  /** Records per page, up to 1000. */
  readonly limit?: number;
  /** The cursor: `next` of the previous page. */
  readonly after?: string | undefined;
  /** Number of records to skip, up to 10,000,000. */
  readonly offset?: number;
}

export interface ListOptions<Custom = CustomFields>
  extends RecordListOptions<FieldPath<Custom>, UserFilterExpression> {
  /** The id of a group: only its members. With several ids, the members of any of these groups. */
  readonly group?: Id | readonly Id[];
}

export type GroupListOptions = RecordListOptions<string, FilterExpression>;

/** Which deleted users to list. */
export type DeletedListOptions = CallOptions & Pick<GroupListOptions, "q" | "filter" | "limit" | "after">;

/** A filter expression from `roster-client/filter` for a list of users, which can compare their groups. */
export interface UserFilterExpression {
  toString(): string;
  /** Whether it compares the groups of users. */
  readonly comparesGroups: boolean;
}

/** A filter expression from `roster-client/filter` for any list. */
export interface FilterExpression extends UserFilterExpression {
  readonly comparesGroups: false;
}

/** Only some fields of each record. */
export interface FieldOptions<Custom = CustomFields> {
  /** The fields. The id and the version are always there. */
  readonly fields: readonly FieldPath<Custom>[];
}

export type KeyListOptions = CallOptions & Pick<ListOptions, "limit" | "after">;

type Filter = string | number | boolean | null;

/** What a page says about the rest of its list. */
export interface PageInfo {
  /** The cursor for `after`; undefined on the last page. */
  readonly next: string | undefined;
  /** The total number of records, if you requested it. If `capped`, there are at least this many. */
  readonly total: { readonly count: number; readonly capped: boolean } | undefined;
}

export interface Page<Custom = CustomFields, Item = User<Custom>> extends PageInfo {
  readonly users: Item[];
}

export interface GroupPage<Item = Group> extends PageInfo {
  readonly groups: Item[];
}

export interface DeletedPage<Custom = CustomFields> extends Pick<PageInfo, "next"> {
  readonly users: DeletedUser<Custom>[];
}

export interface KeyPage extends Pick<PageInfo, "next"> {
  readonly keys: Key[];
}
