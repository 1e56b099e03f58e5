import type { Json, JsonObject } from "../../contract/json.ts";

/** A user of another system: the members of a JSON object, the cells of a row, or the attributes of an LDIF entry. */
export type SourceRecord = Readonly<Record<string, unknown>>;

/** How a field of Roster gets its value. */
export interface Rule {
  readonly to: string;
  /** Paths in the record, such as `profile.email`. */
  readonly from: readonly string[];
  /** The value, from the values at all paths. Default: the first value that is not empty. */
  readonly read?: (values: readonly unknown[]) => Json | undefined;
  readonly note?: string;
}

type SourceFormat = "json" | "csv" | "ldif";

/** A record that a system's own code has converted. */
export interface ConvertedRecord {
  readonly record: JsonObject;
  /** The same record if another user has its email. Undefined if nothing else keeps the email. */
  readonly withoutEmail?: JsonObject | undefined;
  /** What has no place in the record: the names of an attribute and of a member of it. */
  readonly unused: readonly (readonly string[])[];
}

/** Converts records by code of the system's own. */
export interface RecordConverter {
  /** What becomes what, as rows: from, to, note. */
  readonly rows: readonly (readonly [string, string, string])[];
  /**
   * Converts what the rules, `leftOut` and --map have not used of a record. Throws a `ProblemError` if the record can be no user or
   * group.
   */
  convert(rest: SourceRecord, record: SourceRecord): ConvertedRecord;
  /** What an update of a user with this record sends: a merge patch. Default: the record. */
  toPatch?(record: JsonObject): JsonObject;
}

/** How the records of another system become users, or groups. */
export interface FieldMapping {
  readonly rules: readonly Rule[];
  /** Objects whose other members become custom fields with the same names; "" is the record itself. */
  readonly spread: readonly string[];
  /** Converts what the rules leave, instead of `spread`. */
  readonly converter?: RecordConverter;
  /** A list with one value becomes that value. */
  readonly unwrap?: boolean;
  /** Fields that say who is a member of which group. They become memberships. */
  readonly memberships?: readonly string[];
  /** Paths that are not imported, with the reason. */
  readonly leftOut: Readonly<Record<string, string>>;
}

/** A group of another system. */
export interface SourceGroup {
  /** The name by which users and groups refer to it, such as a path or a DN. */
  readonly key: string;
  /** How the other system writes this name. */
  readonly sourceId: string;
  /** Further such names. */
  readonly otherKeys?: readonly string[];
  /** Its fields. */
  readonly record: SourceRecord;
  /** The keys of the users and groups in it. */
  readonly members: readonly string[];
  /** The key of the group of which it is a part. */
  readonly parent?: string | undefined;
}

/** What Roster knows about the groups in the exports of another system. */
export interface SourceGroups extends FieldMapping {
  /** The name of the array that has the groups, if the export is an object. */
  readonly collection: string;
  /** The groups of a record; undefined if it is not a group. */
  readonly read: (record: SourceRecord) => readonly SourceGroup[] | undefined;
  /** The keys by which groups name a user. No other user has the first one. */
  readonly keysOf: (user: SourceRecord) => readonly string[];
  /** The keys of the groups that a user names. */
  readonly groupsOf: (user: SourceRecord) => readonly string[];
  /** A group that users name and the export does not have; undefined if it is not imported. */
  readonly groupOf: (key: string) => SourceGroup | undefined;
}

/** What Roster knows about the exports of another system. */
export interface Source extends FieldMapping {
  readonly title: string;
  /** What the records are. Default: users. */
  readonly noun?: "group";
  /** The first format is the usual one. */
  readonly formats: readonly SourceFormat[];
  /** The name of the array that has the users, if the export is an object. */
  readonly collection: string;
  /** The field of Roster that keeps the id of the other system. */
  readonly id: string;
  /** By which field a line finds its user, unless the caller says it. Default: that of any import. */
  readonly match?: string;
  /** Undefined if exports of the system have no groups. */
  readonly groups?: SourceGroups;
  /** Why the record is not imported, such as "a group"; undefined for a user. */
  readonly skip?: (record: SourceRecord) => string | undefined;
  /** At least one of these paths has a value in each user. */
  readonly expected: readonly string[];
  /** The columns of a CSV without a header row. */
  readonly columns?: readonly string[];
}

/** What Roster knows about exports that have only groups. `keysOf` takes an object with the `id` of a user in the other system. */
export interface GroupSource extends Source {
  readonly groups: SourceGroups;
}

export const CREDENTIAL = "Roster stores no passwords, hashes and other secrets.";
export const UNKNOWN = "No field is meant for it.";
export const EMPTY = "It is empty.";
export const BINARY = "It is not text.";
export const PARTIAL = "The directory sent only some of the values.";
export const TOO_LARGE = "It is longer than 64 KiB.";

/** Describes why only the other system needs a field. */
export function onlyUsedBy(title: string): string {
  return `Only ${title} uses it.`;
}

/** The same reason for several paths. */
export function allFor(reason: string, paths: readonly string[]): Record<string, string> {
  return Object.fromEntries(paths.map((path) => [path, reason]));
}
