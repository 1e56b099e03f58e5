export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A user as the service answers it, with your own fields beside Roster's. */
export type User<Own = CustomFields> = Own & {
  readonly id: number;
  name: string;
  email?: string;
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
};

/** Your own fields, as long as you have not said what they are. */
export type CustomFields = { [field: string]: Json | undefined };

/** What you decide about a user. What the service adds may be in it, and is ignored: a user can be sent back whole. */
export type UserInput<Own = CustomFields> = Own & { name: string; email?: string | null };

/** A JSON Merge Patch: what is left out stays, null removes. */
export type UserPatch<Own = CustomFields> = { [Field in keyof Own]?: Own[Field] | null } & {
  name?: string;
  email?: string | null;
};

export type SortField = "id" | "name" | "email" | "createdAt" | "updatedAt";

/** What a key may be good for. */
export type Scope = "users:read" | "users:write" | "keys:manage";

/** So many requests in so many seconds. */
export interface RateLimit {
  readonly requests: number;
  readonly seconds: number;
}

/** A key as the service answers it, without its secret. */
export interface Key {
  readonly id: number;
  readonly name: string;
  /** How the key begins: enough to recognise it. */
  readonly prefix: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly lastUsedAt: string | null;
  /** Null for the service's own. */
  readonly rateLimit: RateLimit | null;
  /** Calls a calendar month (UTC); null for any number. */
  readonly quota: number | null;
  /** Calls in the current month. */
  readonly usage: { readonly month: string; readonly requests: number };
}

/** A key that was just made. */
export interface NewKey extends Key {
  /** The secret. Keep it now: nothing can show it again. */
  readonly key: string;
}

/** What you decide about a key. */
export interface KeyInput {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt?: string | null;
  readonly rateLimit?: RateLimit | null;
  readonly quota?: number | null;
}

/** What is to be different about a key that takes the place of another. */
export interface KeyReplacement extends Partial<KeyInput> {
  /** How long the old key goes on; 0 ends it at once. */
  readonly graceSeconds: number;
}

/** The one shape of every error of the service (RFC 9457). */
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
  }[];
}

/** What any call can be told. */
export interface CallOptions {
  /** Ends the call; it throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for the whole call, retries included. */
  readonly timeout?: number | undefined;
}

/** Which state of a user a change is meant for; anything else is refused with 412 and nothing changes. */
export interface ChangeOptions extends CallOptions {
  /** The version, or `"*"` for "exists". */
  readonly ifMatch?: number | "*";
  /** The user as you have seen it: the same as its version in `ifMatch`. */
  readonly ifUnchanged?: { readonly version: number };
}

export interface CreateOptions extends CallOptions {
  /** Names the create, so that repeating it, even much later, makes no second user. One is made up if you give none. */
  readonly idempotencyKey?: string;
}

export interface ListOptions extends CallOptions {
  /** Finds users whose name or email holds this text. */
  readonly q?: string;
  readonly sort?: SortField | `-${SortField}`;
  /** Equality filters, by field; several values mean any of them. */
  readonly where?: { readonly [field: string]: Filter | readonly Filter[] };
  /** How many users to fetch at a time, up to 1000. */
  readonly limit?: number;
  /** Go on after the page that gave this as `next`. */
  readonly after?: string | undefined;
  /** How many users to pass over, up to 10,000. */
  readonly offset?: number;
}

/** A form in which many users travel at once: JSON, one a line, or a table whose first row names the fields. */
export type BulkFormat = "ndjson" | "csv";

/** What a call can be told that goes on for as long as there are users. */
export interface StreamOptions {
  /** Ends the call; it throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds that the service may leave you waiting, for its first sign and for each one after it. */
  readonly timeout?: number | undefined;
}

export type ExportOptions = StreamOptions & Pick<ListOptions, "q" | "sort" | "where">;

export interface ImportOptions extends StreamOptions {
  /** What the text or the bytes of the source are: NDJSON unless you say otherwise. */
  readonly format?: BulkFormat;
  /** Names the import, so that repeating it whole makes no user twice. One is made up if you give none. */
  readonly idempotencyKey?: string;
}

/**
 * Users, or text or bytes that have them in a format. What is at hand (an array, a text, bytes, a Blob) is sent again if
 * need be; anything else can be read once.
 */
export type ImportSource<Own = CustomFields> =
  | string
  | Uint8Array
  | Blob
  | Iterable<ImportPart<Own>>
  | AsyncIterable<ImportPart<Own>>
  | ReadableStream<ImportPart<Own>>;

export type ImportPart<Own = CustomFields> = UserInput<Own> | string | Uint8Array;

/** What became of one line: a user, or a problem. */
export type ImportedLine = CreatedLine | FailedLine;

export interface CreatedLine {
  /** Where it stood in what was sent, counted from 1; of users, how many came before it and it. */
  readonly line: number;
  readonly status: number;
  readonly id: number;
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
  readonly failed: number;
  /** The first of the lines that were refused. */
  readonly failures: readonly FailedLine[];
}

export type KeyListOptions = CallOptions & Pick<ListOptions, "limit" | "after">;

type Filter = string | number | boolean | null;

export interface Page<Own = CustomFields> {
  readonly users: User<Own>[];
  /** For `after`, to get the page that follows; undefined when this is the last. */
  readonly next: string | undefined;
  /** How many there are in all, if asked for. Capped means: at least so many. */
  readonly total: { readonly count: number; readonly capped: boolean } | undefined;
}

export interface KeyPage {
  readonly keys: Key[];
  /** For `after`, to get the page that follows; undefined when this is the last. */
  readonly next: string | undefined;
}
