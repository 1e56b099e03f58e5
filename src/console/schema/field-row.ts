import { isObject } from "../../contract/json.ts";
import { findNameError } from "../../contract/users/field-name.ts";
import { isCustomField } from "../../contract/users/user-fields.ts";
import { schema as texts } from "../texts/schema.ts";
import { parseExactNumber } from "../users/json-parser.ts";

/** "other": the form can't show the field's schema, for example several types or a reference. */
export const fieldTypes = [
  "any",
  "string",
  "integer",
  "number",
  "boolean",
  "array",
  "object",
  "other",
] as const;
export type FieldType = (typeof fieldTypes)[number];

/** A custom field in the form. */
export interface FieldRow {
  readonly key: number;
  readonly name: string;
  readonly type: FieldType;
  readonly required: boolean;
  readonly unique: boolean;
  /** One value per line. */
  readonly allowed: string;
  readonly description: string;
  /** The schema of the field as it was. The form keeps what it does not show. */
  readonly original: unknown;
}

interface Keywords {
  readonly [keyword: string]: unknown;
}

/** Keywords that the form shows, if it can show their values. */
const shown = new Set(["type", "description", "x-unique", "enum"]);
/** Keywords that apply to values of one type. */
const keywordsOf: Partial<Record<FieldType, readonly string[]>> = {
  string: ["minLength", "maxLength", "pattern", "format"],
  integer: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  array: ["items", "minItems", "maxItems", "uniqueItems"],
  object: ["properties", "required", "additionalProperties", "minProperties", "maxProperties"],
};

let lastKey = 0;

export function newRow(): FieldRow {
  return toRow("", { type: "string" }, false);
}

export function toRow(name: string, original: unknown, required: boolean): FieldRow {
  const keywords = toKeywords(original);
  const type = typeOf(keywords);
  return {
    key: ++lastKey,
    name,
    type,
    required,
    unique: keywords?.["x-unique"] === true,
    allowed: canShowAllowed(type, keywords?.enum) ? listOf(keywords?.enum).join("\n") : "",
    description: typeof keywords?.description === "string" ? keywords.description : "",
    original,
  };
}

/** The schema of the field. */
export function toProperty(row: FieldRow): unknown {
  const { type, unique, original } = row;
  const description = row.description.trim();
  if (type === "other") return original;
  const before = toKeywords(original) ?? {};
  const property: Record<string, unknown> = { ...before };
  const previous = typeOf(before);
  const set = (keyword: string, value: unknown) => {
    if (value === undefined) delete property[keyword];
    else property[keyword] = value;
  };
  if (type !== previous) {
    const kept = new Set(keywordsOf[type] ?? []);
    for (const keyword of keywordsOf[previous] ?? []) if (!kept.has(keyword)) delete property[keyword];
  }
  set("type", type === "any" ? undefined : type);
  if (hasAllowedValues(type) && canShowAllowed(type, before.enum)) {
    const values = allowedValues(row);
    set("enum", values.length > 0 ? values : undefined);
  } else if (type !== previous) set("enum", undefined);
  if (unique || before["x-unique"] === true) set("x-unique", unique ? true : undefined);
  set("description", description === "" ? undefined : description);
  return property;
}

/** The keywords that the form keeps without showing them. */
export function keptKeywords({ type, original }: FieldRow): readonly string[] {
  const keywords = toKeywords(original) ?? {};
  return Object.keys(keywords).filter((keyword) =>
    keyword === "enum" ? !canShowAllowed(type, keywords.enum) : type === "other" || !shown.has(keyword),
  );
}

export const hasAllowedValues = (type: FieldType) => type === "string" || isNumeric(type);
export const canBeUnique = (type: FieldType) => type === "string" || isNumeric(type) || type === "other";
const isNumeric = (type: FieldType) => type === "integer" || type === "number";

/** What is wrong with a row; undefined if the service may accept it. */
export function fieldErrorOf(row: FieldRow, rows: readonly FieldRow[]): string | undefined {
  const { errors } = texts;
  const name = row.name.trim();
  if (name === "") return errors.unnamed;
  if (rows.some((other) => other.key !== row.key && other.name.trim() === name)) return errors.duplicate;
  if (!isCustomField(name)) return errors.core;
  if (findNameError(name)) return errors.invalidName;
  if (row.unique && !canBeUnique(row.type)) return errors.uniqueType;
  if (!isNumeric(row.type)) return undefined;
  for (const line of linesOf(row.allowed)) {
    const number = parseExactNumber(line);
    if (number === undefined || line.trim() === "") return errors.number(line);
    if (row.type === "integer" && !Number.isInteger(number)) return errors.integer(line);
  }
  return undefined;
}

function allowedValues({ type, allowed }: FieldRow): (string | number)[] {
  const lines = [...new Set(linesOf(allowed))];
  return isNumeric(type) ? [...new Set(lines.map(Number))] : lines;
}

function linesOf(text: string): string[] {
  return text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
}

function typeOf(keywords: Keywords | undefined): FieldType {
  if (keywords === undefined || keywords.$ref !== undefined) return "other";
  if (keywords.type === undefined) return "any";
  return fieldTypes.find((type) => type === keywords.type && type !== "any" && type !== "other") ?? "other";
}

/** Whether the form can show these allowed values, one per line. */
function canShowAllowed(type: FieldType, values: unknown): boolean {
  if (values === undefined) return true;
  const isShowable = (value: unknown) =>
    isNumeric(type)
      ? typeof value === "number"
      : typeof value === "string" && value === value.trim() && value !== "" && !value.includes("\n");
  return hasAllowedValues(type) && listOf(values).every(isShowable);
}

function listOf(values: unknown): readonly unknown[] {
  return Array.isArray(values) ? values : [];
}

function toKeywords(schema: unknown): Keywords | undefined {
  return isObject(schema) ? { ...schema } : undefined;
}
