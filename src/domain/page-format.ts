import type { User } from "../contract/user-schemas.ts";
import { coreFields } from "./csv/columns.ts";
import { formatCsvRows } from "./csv/write.ts";

/**
 * The format of a page of users: a JSON array, NDJSON, CSV rows with these custom fields, or a JSON array of the
 * names of the users' custom fields.
 */
export type PageFormat = "json" | "ndjson" | "field-names" | { readonly csv: readonly string[] };

const OPEN_BRACKET = 0x5b;
const COMMA = 0x2c;
const CLOSE_BRACKET = 0x5d;
const NEWLINE = 0x0a;

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
    case "field-names":
      return encoder.encode(JSON.stringify(listCustomFields(users)));
    default:
      return encoder.encode(formatCsvRows(users.map(parseUser), format.csv));
  }
}

function parseUser(json: Uint8Array): User {
  return JSON.parse(decoder.decode(json));
}

function listCustomFields(users: readonly Uint8Array[]): string[] {
  const fields = new Set<string>();
  for (const user of users) for (const field in parseUser(user)) fields.add(field);
  return [...fields].filter((field) => !coreFields.has(field));
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
