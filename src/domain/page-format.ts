import { stringify } from "csv-stringify/sync";
import { type Json, managedFields, type User } from "../contract/user.ts";
import { formatCell, formatTextCell } from "./csv/cells.ts";

/**
 * What the users of a page are made into: a JSON array, JSON one a line, rows of CSV with these fields of the callers'
 * own, or a JSON array of the names of such fields.
 */
export type PageFormat = "array" | "lines" | "fields" | { readonly csv: readonly string[] };

const OPEN = 0x5b;
const COMMA = 0x2c;
const CLOSE = 0x5d;
const NEWLINE = 0x0a;

/** Users, each as its JSON in UTF-8, in one of the forms. */
export function formatPage(
  users: readonly Uint8Array[],
  form: PageFormat = "array",
): Uint8Array<ArrayBuffer> {
  switch (form) {
    case "array":
      return joinArray(users);
    case "lines":
      return joinLines(users);
    case "fields":
      return encoder.encode(JSON.stringify(fieldsOf(users)));
    default:
      return encoder.encode(csvRows(users.map((user) => csvCells(parse(user), form.csv))));
  }
}

/** The row that names the columns. */
export function csvHeader(fields: readonly string[]): string {
  return csvRows([["id", "name", "email", ...fields, "version", "createdAt", "updatedAt"]]);
}

function csvCells(
  { id, name, email, version, createdAt, updatedAt, ...own }: User,
  fields: readonly string[],
): string[] {
  const values: { [field: string]: Json } = own;
  const cells = fields.map((field) => formatCell(Object.hasOwn(values, field) ? values[field] : undefined));
  return [
    String(id),
    formatTextCell(name),
    formatTextCell(email ?? ""),
    ...cells,
    String(version),
    createdAt,
    updatedAt,
  ];
}

const QUOTED = /[",\r\n]/;

/** Most rows have nothing in them that is to be quoted: these need no more than commas, at a tenth of the cost. */
function csvRows(rows: readonly (readonly string[])[]): string {
  let text = "";
  let special: string[][] = [];
  for (const row of rows) {
    if (row.some((cell) => QUOTED.test(cell))) special.push([...row]);
    else {
      text += `${quoted(special)}${row.join()}\r\n`;
      if (special.length > 0) special = [];
    }
  }
  return text + quoted(special);
}

function quoted(rows: string[][]): string {
  return rows.length === 0 ? "" : stringify(rows, { record_delimiter: "windows", quoted_match: /[\r\n]/ });
}

const core = new Set<string>([...managedFields, "name", "email"]);

function fieldsOf(users: readonly Uint8Array[]): string[] {
  const fields = new Set<string>();
  for (const user of users) for (const field in parse(user)) fields.add(field);
  return [...fields].filter((field) => !core.has(field));
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function parse(user: Uint8Array): User {
  return JSON.parse(decoder.decode(user));
}

function joinArray(members: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  let size = 2;
  for (const member of members) size += member.length + 1;
  const json = new Uint8Array(members.length > 0 ? size - 1 : size);
  json[0] = OPEN;
  let end = 1;
  for (const member of members) {
    if (end > 1) json[end++] = COMMA;
    json.set(member, end);
    end += member.length;
  }
  json[end] = CLOSE;
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
