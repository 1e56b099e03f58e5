import type { CustomFields } from "./custom-fields.ts";
import type {
  BulkFormat,
  ChangedUser,
  ConflictAction,
  CreatedLine,
  FailedLine,
  UserInput,
  UserPatch,
} from "./service-types.ts";
import type { FilterExpression, ListOptions } from "./types.ts";

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
  readonly onConflict?: ConflictAction;
  /** The field by which a line finds its user: `email` (the default), `userName` (of a line without one, its email), `id`, or a custom field that is unique in the schema. */
  readonly match?: string;
  /**
   * Change nothing, and return the results that the import would have. New users have no id. With `onConflict: "update"`, the key needs
   * the scope `users:read`.
   */
  readonly dryRun?: boolean;
}

export interface BulkOptions extends StreamOptions {
  /** Identifies the change: repeating it with the same key has no further effect. Default: a random key. */
  readonly idempotencyKey?: string;
}

/** One of these members. */
type OneOf<Members> = {
  [Name in keyof Members]: { readonly [Other in Exclude<keyof Members, Name>]?: never } & {
    readonly [Only in Name]: Members[Only];
  };
}[keyof Members];

/**
 * A change of many users: by up to 100,000 ids, or all that match a filter expression. `restore` applies to deleted users. `addToGroup`
 * and `removeFromGroup` have the id of a group.
 */
export type BulkChange<Custom = CustomFields> = OneOf<{
  ids: readonly (number | string)[];
  filter: string | FilterExpression;
}> &
  OneOf<{
    patch: UserPatch<Custom>;
    delete: true;
    restore: true;
    addToGroup: number;
    removeFromGroup: number;
  }>;

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

export interface ImportSummary {
  readonly created: number;
  /** Users that existed, and were updated, unchanged or skipped. */
  readonly existing: number;
  readonly failed: number;
  /** The first failed lines. */
  readonly failures: readonly FailedLine[];
}
