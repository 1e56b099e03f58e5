/** The formats of imports and exports. */
export const bulkFormats = ["ndjson", "csv"] as const;
export type BulkFormat = (typeof bulkFormats)[number];

/** What an import does with a line whose record exists: reject the line, leave the record unchanged, or change the record. */
export const conflictActions = ["fail", "skip", "update"] as const;
/** The fields by which an import finds the user of a line, beside the unique custom fields. */
export const matchFields = ["email", "userName", "id"] as const;

export interface ImportOptions {
  readonly onConflict: (typeof conflictActions)[number];
  /** Of users: one of `matchFields`, or a unique custom field. Of groups: one of `groupMatchFields`. */
  readonly match: string;
}
/** The fields by any of which a line finds its user. A line without userName has its email as user name. */
export function fieldsOfMatch(match: string): readonly string[] {
  return match === "userName" ? ["userName", "email"] : [match];
}
/** What to send instead of a field that does not find users. */
export const INVALID_MATCH = `Enter ${matchFields.join(", ")} or a field that is unique in the schema.`;
export const defaultImportOptions: ImportOptions = { onConflict: "fail", match: "email" };

/** The fields by which an import finds the group of a line. */
export const groupMatchFields = ["name", "id"] as const;
export const defaultGroupImportOptions = {
  onConflict: "fail",
  match: "name",
} as const satisfies ImportOptions;

/** The CSV column with the fields that have no column of their own, as a JSON object. Not a valid field name. */
export const MORE_COLUMN = "_more";

/** Limits of imports and exports. */
export const bulkLimits = {
  /** Lines per chunk of an import. Large lines make smaller chunks: other writes wait for the chunk. */
  chunkLines: 500,
  chunkBytes: 65_536,
  /** Lines per chunk of an import of memberships: few, because creates beside the import wait for a chunk. */
  membershipChunkLines: 75,
  /** Size of the users in a chunk of a bulk change: other writes wait for the chunk. */
  changeBytes: 524_288,
  /** Comparisons of users with groups in such a chunk. The event loop prepares 25,000 of them in up to 15 ms, and these in 2. */
  changeComparisons: 5000,
  /**
   * Each `chunkLines` lines or users count as one request, and each so many bytes that they write, whichever is more. A request of a
   * bulk change then writes 130 to 200 KB of events, for users of 264 bytes as for users of 15 KB.
   */
  bytesPerRequest: 131_072,
  /** Users per page that an export reads from the store. */
  pageUsers: 1000,
  /** Columns of a CSV export for custom fields. Further fields are in `MORE_COLUMN`. */
  csvFields: 1000,
  /** Users of a bulk change, and the size of its body. */
  ids: 100_000,
  bodyBytes: 1_048_576,
  /** Names, emails and other unique values that all dry runs of a node together remember, to find conflicts between the lines of a file. */
  dryRunEmails: 1_000_000,
  /** Concurrent imports and exports per node. Each needs some megabytes of memory. */
  streams: 64,
  /** Of these, per key; per address for callers without a key. */
  streamsPerCaller: 16,
  /** If all are taken, a stream whose caller has sent or read nothing for this long is closed in favour of a new one. */
  idleSeconds: 5,
  /** The body of an import may be this many times larger when it is decompressed. */
  compressionRatio: 200,
  /** Up to this size, any ratio is allowed. */
  decompressedBytes: 16_777_216,
} as const;
