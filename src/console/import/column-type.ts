import type { Json } from "../../client/index.ts";
import { importing as texts } from "../texts/index.ts";
import type { FieldInfo } from "../users/field-info.ts";
import { parseTypedInput } from "../users/typed-input.ts";

/** The type of all values in a column of a CSV file. */
export const columnTypes = ["text", "number", "boolean", "list", "json"] as const;
export type ColumnType = (typeof columnTypes)[number];

type ParsedCell =
  | { readonly value: Json; readonly error?: never }
  | { readonly value?: never; readonly error: string };

const typesOfSchema: Readonly<Record<string, ColumnType>> = {
  string: "text",
  integer: "number",
  number: "number",
  boolean: "boolean",
  array: "list",
  object: "json",
};

/** Reads a cell that is not empty. An export writes null as `null`, and text that looks like JSON as a JSON string. */
export function parseCell(cell: string, type: ColumnType): ParsedCell {
  const text = cell.trim();
  if (text === "null") return { value: null };
  const value = readers[type](text, cell);
  return value === undefined ? { error: texts.errors.types[type] } : { value };
}

const readers: Record<ColumnType, (text: string, cell: string) => Json | undefined> = {
  text: (text, cell) => {
    const value = text.startsWith('"') ? parseJson(text) : undefined;
    return typeof value === "string" ? value : cell;
  },
  number: (text) => parseTypedInput({ type: "number", text: text.replace(/^([+-]?)0+(?=\d)/, "$1") }).value,
  boolean: (text) => (/^(true|false)$/i.test(text) ? text.toLowerCase() === "true" : undefined),
  list: (text) => {
    if (text.startsWith("[")) {
      const value = parseJson(text);
      return Array.isArray(value) ? value : undefined;
    }
    return text
      .split(/[;,]/)
      .map((item) => item.trim())
      .filter((item) => item !== "");
  },
  json: parseJson,
};

/** Writes a value so that the service reads the same value from a CSV cell. */
export function formatCell(value: Json): string {
  const isPlainText = typeof value === "string" && value !== "" && parseJson(value) === undefined;
  return isPlainText ? value : JSON.stringify(value);
}

/** The type by the schema. Without one, the type that users have in this field, if the cells fit. Otherwise, by the cells. */
export function chooseType(cells: readonly string[], info: FieldInfo | undefined): ColumnType {
  const declared = onlyType(info?.schemaTypes);
  if (declared) return declared;
  const present = cells.filter((cell) => cell.trim() !== "");
  const known = onlyType(info?.types);
  if (known && present.every((cell) => parseCell(cell, known).error === undefined)) return known;
  return detectType(present);
}

function onlyType(types: readonly string[] = []): ColumnType | undefined {
  const [type, ...others] = types.filter((name) => name !== "null");
  return type === undefined || others.length > 0 ? undefined : typesOfSchema[type];
}

function detectType(cells: readonly string[]): ColumnType {
  const values = cells.map((cell) => cell.trim()).filter((cell) => cell !== "null");
  if (values.length === 0) return "text";
  // Text with leading zeros is usually an identifier, not a number.
  const isNumber = (text: string) => parseTypedInput({ type: "number", text }).error === undefined;
  if (values.every(isNumber)) return "number";
  if (values.every((text) => readers.boolean(text, text) !== undefined)) return "boolean";
  if (!values.every((text) => /^[[{]/.test(text))) return "text";
  const parsed = values.map(parseJson);
  if (parsed.every(Array.isArray)) return "list";
  return parsed.every((value) => value !== undefined) ? "json" : "text";
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
