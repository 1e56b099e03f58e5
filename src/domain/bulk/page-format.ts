import { bulkLimits } from "../../contract/bulk.ts";
import type { User } from "../../contract/user-schemas.ts";
import { coreFields } from "../csv/columns.ts";
import { addCount, type FieldCounts, mostFrequent } from "../csv/field-counts.ts";
import { type CsvColumns, formatCsvRows } from "../csv/write.ts";

/**
 * The format of a page of users: a JSON array, NDJSON, CSV rows with these columns, or the names of the users' most
 * frequent custom fields, each with the number of users that have it, as a JSON array of pairs.
 */
export type PageFormat = "json" | "ndjson" | "field-counts" | { readonly csv: CsvColumns };

const OPEN_BRACKET = 0x5b;
const COMMA = 0x2c;
const CLOSE_BRACKET = 0x5d;
const NEWLINE = 0x0a;

/** A page of users can have a hundred thousand different fields. The rare ones get no column anyway. */
const MAX_COUNTED_FIELDS = 2 * bulkLimits.csvFields;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Formats users, each given as JSON in UTF-8. */
export function formatPage(
  users: readonly Uint8Array[],
  format: PageFormat = "json",
): Uint8Array<ArrayBuffer> {
  switch (format) {
    case "json":
      return joinArray(users);
    case "ndjson":
      return joinLines(users);
    case "field-counts":
      return encoder.encode(JSON.stringify([...mostFrequent(countFields(users), MAX_COUNTED_FIELDS)]));
    default:
      return encoder.encode(formatCsvRows(users.map(parseUser), format.csv));
  }
}

function parseUser(json: Uint8Array): User {
  return JSON.parse(decoder.decode(json));
}

function countFields(users: readonly Uint8Array[]): FieldCounts {
  const counts: FieldCounts = new Map();
  for (const user of users) for (const field in parseUser(user)) addCount(counts, field, 1);
  for (const field of coreFields) counts.delete(field);
  return counts;
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
