import type { CustomFields } from "./custom-fields.ts";
import type {
  BulkFormat,
  ChangedUser,
  ConflictAction,
  CreatedLine,
  FailedLine,
  GroupInput,
  UserInput,
  UserPatch,
} from "./service-types.ts";
import type { GroupListOptions, ListOptions, UserFilterExpression } from "./types.ts";

/** Options of imports and exports. */
export interface StreamOptions {
  /** Aborts the call, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** The longest wait for the next data from the service, in milliseconds. */
  readonly timeout?: number | undefined;
}

export type ExportOptions<Custom = CustomFields> = StreamOptions &
  Pick<ListOptions<Custom>, "q" | "sort" | "filter" | "where" | "group">;

export type GroupExportOptions = StreamOptions & Pick<GroupListOptions, "q" | "sort" | "filter" | "where">;

/** Which memberships to export. */
export interface MembershipExportOptions extends StreamOptions, Pick<ListOptions, "group"> {
  /** The name of the group and the user name of the user instead of their ids. A user without a user name has its id. */
  readonly names?: boolean;
}

/** All matching items, as they arrive. Memory is constant. */
export interface ItemExport<Item> extends AsyncIterable<Item> {
  /** The export as bytes, for a file. Rejects immediately if the service responds with an error. */
  stream(format?: BulkFormat): Promise<ReadableStream<Uint8Array>>;
}

/** Options of an import of any kind. */
interface LineImportOptions extends StreamOptions {
  /** The format of text or bytes in the source. Default: `ndjson`. */
  readonly format?: BulkFormat;
  /** Identifies the import: repeating it with the same key does nothing twice. Default: a random key. */
  readonly idempotencyKey?: string;
}

export interface MembershipImportOptions extends LineImportOptions {
  /** Removes the memberships instead of adding them. */
  readonly remove?: boolean;
  /** Change nothing, and return the results that the import would have. */
  readonly dryRun?: boolean;
}

export interface ImportOptions extends LineImportOptions {
  /** What happens to a line whose record exists. Default: `fail`. `update` applies the line as a merge patch. */
  readonly onConflict?: ConflictAction;
  /** The field by which a line finds its user: `email` (the default), `userName` (of a line without one, its email), `id`, or a custom field that is unique in the schema. */
  readonly match?: string;
  /**
   * Change nothing, and return the results that the import would have. New records have no id. With `onConflict: "update"`, the key
   * needs the scope `users:read`, or `groups:read` for groups.
   */
  readonly dryRun?: boolean;
}

export interface GroupImportOptions extends ImportOptions {
  /** The field by which a line finds its group: `name` (the default) or `id`. */
  readonly match?: "name" | "id";
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
  filter: string | UserFilterExpression;
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
 * Items, or text or bytes in an import format. Sources in memory (arrays, strings, bytes, Blobs) can be retried; other
 * sources can be read only once.
 */
export type ImportSourceOf<Input> =
  | string
  | Uint8Array
  | Blob
  | Iterable<Input | string | Uint8Array>
  | AsyncIterable<Input | string | Uint8Array>
  | ReadableStream<Input | string | Uint8Array>;

export type ImportSource<Custom = CustomFields> = ImportSourceOf<UserInput<Custom>>;
export type GroupImportSource = ImportSourceOf<GroupInput>;

/** A number is an id. Text is the name of a group; of a user, it is the user name or, if no user has this user name, the email. */
export interface Membership {
  readonly group: number | string;
  readonly user: number | string;
}
export type MembershipImportSource = ImportSourceOf<Membership>;

/** The result of each line, in order, as it arrives. Nothing is sent until you iterate or call `summary`. */
export interface ItemImport<Summary> extends AsyncIterable<ImportedLine> {
  /** Pass it to another import of the same source to repeat this one without creating records twice. */
  readonly idempotencyKey: string;
  /** Runs the import and counts the results. Returns up to `max` failures. */
  summary(options?: { max?: number }): Promise<Summary>;
}

/** The result of one line: the id of the created record, or a problem. Memberships have no ids. */
export type ImportedLine = CreatedLine | FailedLine;

interface FailureSummary {
  readonly failed: number;
  /** The first failed lines. */
  readonly failures: readonly FailedLine[];
}

export interface ImportSummary extends FailureSummary {
  readonly created: number;
  /** Records that existed, and were updated, unchanged or skipped. */
  readonly existing: number;
}

export interface MembershipSummary extends FailureSummary {
  /** Lines whose user became a member. None with `remove`. */
  readonly added: number;
  /** Lines whose user was a member before; with `remove`, lines whose user is not a member now. */
  readonly others: number;
}
