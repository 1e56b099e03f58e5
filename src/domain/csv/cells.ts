import type { Json } from "../../contract/json.ts";

/*
 * Spreadsheets run cells that start with one of `=+-@`, a tab or a carriage return as a formula. A spreadsheet that splits
 * the file at another separator also sees cells that start in the middle of ours: `x;=1` becomes `x` and `=1`.
 */

/** A place in a text where a spreadsheet could find the start of a formula, with or without apostrophes before it. */
const FORMULA = /(?=[=+\-@\t\r＝＋－＠])(?<=^'*|[,;|\t\r\n]["']*)/g;
/** The apostrophe in front of a formula. */
const APOSTROPHE = /'(?=[=+\-@\t\r＝＋－＠])(?<=(?:^'*|[,;|\t\r\n]["']*)')/g;
/** The same separators in JSON, where only strings contain them. JSON escapes tabs and line breaks itself. */
const JSON_SEPARATOR = /[;|](?=[=+\-@＝＋－＠])|,(?=[=+@＝＋－＠])/g;
const JSON_START = /^["[{\-0-9tfn]/;

/**
 * Writes the value of a custom field so that `parseCell` reads the same value: text that looks like JSON becomes a
 * JSON string, and text that looks like a formula gets an apostrophe in front.
 */
export function formatCell(value: Json | undefined): string {
  if (value === undefined) return "";
  if (typeof value !== "string" || value === "" || isJson(value)) return formatJsonCell(value);
  return formatTextCell(value);
}

/** Reads the value of a custom field: undefined if the cell is empty, and text if the cell is not JSON. */
export function parseCell(cell: string): Json | undefined {
  if (cell === "") return undefined;
  return isJson(cell) ? JSON.parse(cell) : parseTextCell(cell);
}

/** The JSON types that the schema allows for each field that it describes. */
export type FieldTypes = ReadonlyMap<string, ReadonlySet<string>>;

const NUMBER = /^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$/;
const BOOLEAN = /^(true|false)$/i;

/** Reads a cell as one of these types if it can: 123 is text in a field for text, and 007 a number in a field for numbers. */
export function parseTypedCell(cell: string, types: ReadonlySet<string>): Json | undefined {
  const value = parseCell(cell);
  if (value === undefined || isOfType(value, types)) return value;
  if (types.has("string")) return parseTextCell(cell);
  const text = parseTextCell(cell.trim());
  if (NUMBER.test(text) && (types.has("number") || types.has("integer"))) return Number(text);
  return BOOLEAN.test(text) && types.has("boolean") ? text.toLowerCase() === "true" : value;
}

function isOfType(value: Json, types: ReadonlySet<string>): boolean {
  if (value === null) return types.has("null");
  if (Array.isArray(value)) return types.has("array");
  if (typeof value === "number")
    return types.has("number") || (types.has("integer") && Number.isInteger(value));
  return types.has(typeof value);
}

/** Writes a value that is always text, such as a name. */
export function formatTextCell(text: string): string {
  return text.replace(FORMULA, "'");
}

export function parseTextCell(cell: string): string {
  return cell.replace(APOSTROPHE, "");
}

/** Writes a value as JSON. */
export function formatJsonCell(value: Json): string {
  return JSON.stringify(value).replace(
    JSON_SEPARATOR,
    (separator) => `\\u${separator.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Parses JSON as in a cell; any other text is a string. */
export function parseValue(text: string): Json {
  return isJson(text) ? JSON.parse(text) : text;
}

/** Whether the text is JSON. A number must also be in JSON's own spelling: 007, 1e3 and 12345678901234567890 are text. */
function isJson(text: string): boolean {
  if (!JSON_START.test(text)) return false;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "number" ? JSON.stringify(value) === text : true;
  } catch {
    return false;
  }
}
