import { bulkLimits } from "../../contract/bulk/bulk.ts";
import { isStoredAsCustom } from "../../contract/users/user-fields.ts";
import type { User } from "../../contract/users/user-schemas.ts";
import { formatFieldRows } from "../csv/field-columns.ts";
import { addCount, type FieldCounts, mostFrequent } from "../csv/field-counts.ts";
import { type CsvColumns, formatCsvRows } from "../csv/write.ts";
import type { FieldPath } from "../field-path.ts";
import { createProjection, project, withIdAndVersion } from "../projection.ts";
import { finishSteps, runInTurns, type Steps } from "../scheduling/steps.ts";

/**
 * The format of a page of users: a JSON array, NDJSON, CSV rows with these columns, or the names of the users' most
 * frequent custom fields, each with the number of users that have it, as a JSON array of pairs.
 */
export type PageFormat =
  | "json"
  | "ndjson"
  | "field-counts"
  | { readonly csv: CsvColumns | readonly FieldPath[] };

/** What a page shows of its users, and how. */
export interface PageView {
  /** A JSON array by default. */
  readonly format?: PageFormat;
  /** Only these fields, and the id and version. All fields by default. CSV has its own columns. */
  readonly fields?: readonly FieldPath[];
}

const OPEN_BRACKET = 0x5b;
const COMMA = 0x2c;
const CLOSE_BRACKET = 0x5d;
const NEWLINE = 0x0a;

/** A page of users can have a hundred thousand different fields. The rare ones get no column anyway. */
const MAX_COUNTED_FIELDS = 2 * bulkLimits.csvFields;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Users that are parsed in one step. With the largest records, a step takes a millisecond. */
const USERS_PER_STEP = 2;

/** Formats users, each given as JSON in UTF-8. */
export function formatPage(users: readonly Uint8Array[], view: PageView): Uint8Array<ArrayBuffer> {
  return finishSteps(formatInSteps(users, view));
}

/** Like `formatPage`, and leaves the event loop to others between the steps. */
export function formatPageInTurns(
  users: readonly Uint8Array[],
  view: PageView,
): Promise<Uint8Array<ArrayBuffer>> {
  return runInTurns(formatInSteps(users, view));
}

function* formatInSteps(
  users: readonly Uint8Array[],
  { format = "json", fields }: PageView,
): Steps<Uint8Array<ArrayBuffer>> {
  if (format === "json" || format === "ndjson") {
    const members = fields ? yield* projectInSteps(users, fields) : users;
    return format === "json" ? joinArray(members) : joinLines(members);
  }
  const counts: FieldCounts = new Map();
  let csv = "";
  for (let first = 0; first < users.length; first += USERS_PER_STEP) {
    if (first > 0) yield;
    const parsed = users.slice(first, first + USERS_PER_STEP).map(parseUser);
    if (format === "field-counts") countFields(parsed, counts);
    else
      csv +=
        "customFields" in format.csv
          ? formatCsvRows(parsed, format.csv)
          : formatFieldRows(parsed, format.csv);
  }
  if (format !== "field-counts") return encoder.encode(csv);
  yield;
  return encoder.encode(JSON.stringify([...mostFrequent(counts, MAX_COUNTED_FIELDS)]));
}

function* projectInSteps(users: readonly Uint8Array[], fields: readonly FieldPath[]): Steps<Uint8Array[]> {
  const projection = createProjection(withIdAndVersion(fields));
  const projected: Uint8Array[] = [];
  for (const json of users) {
    if (projected.length > 0 && projected.length % USERS_PER_STEP === 0) yield;
    const user: User = JSON.parse(decoder.decode(json));
    projected.push(encoder.encode(JSON.stringify(project(user, projection))));
  }
  return projected;
}

function parseUser(json: Uint8Array): User {
  return JSON.parse(decoder.decode(json));
}

function countFields(users: readonly User[], counts: FieldCounts): void {
  for (const user of users) for (const field in user) if (isStoredAsCustom(field)) addCount(counts, field, 1);
}

function joinArray(members: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  let size = 2;
  for (const member of members) size += member.length + 1;
  const json = new Uint8Array(members.length > 0 ? size - 1 : size);
  json[0] = OPEN_BRACKET;
  let end = 1;
  for (const member of members) {
    if (end > 1) json[end++] = COMMA;
    json.set(member, end);
    end += member.length;
  }
  json[end] = CLOSE_BRACKET;
  return json;
}

function joinLines(members: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  let size = 0;
  for (const member of members) size += member.length + 1;
  const lines = new Uint8Array(size);
  let end = 0;
  for (const member of members) {
    lines.set(member, end);
    end += member.length;
    lines[end++] = NEWLINE;
  }
  return lines;
}
