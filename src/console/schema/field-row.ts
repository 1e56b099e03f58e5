import type { Json } from "../../client/index.ts";
import { isObject } from "../../contract/json.ts";
import { findNameError } from "../../contract/users/field-name.ts";
import { isCustomField } from "../../contract/users/user-fields.ts";
import type { FieldInput } from "../fields/field-input.ts";
import { type FieldSpec, type Keywords, toFieldSpec } from "../fields/field-spec.ts";
import { schema as texts } from "../texts/schema.ts";
import { parseExactNumber, parseJson } from "../users/json-parser.ts";
import { parseTypedInput, toTypedInput } from "../users/typed-input.ts";

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

export const itemTypes = ["any", "string", "integer", "number", "boolean"] as const;
type ItemType = (typeof itemTypes)[number];

/** Keywords whose values are numbers. */
export type Limit =
  | "minLength"
  | "maxLength"
  | "minimum"
  | "maximum"
  | "exclusiveMinimum"
  | "exclusiveMaximum"
  | "multipleOf"
  | "minItems"
  | "maxItems";

const ofNumbers = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"] as const;
const limits: Partial<Record<FieldType, readonly Limit[]>> = {
  string: ["minLength", "maxLength"],
  integer: ofNumbers,
  number: ofNumbers,
  array: ["minItems", "maxItems"],
};
export const limitsOf = (type: FieldType): readonly Limit[] => limits[type] ?? [];

/** A custom field in the form. */
export interface FieldRow {
  readonly key: number;
  readonly name: string;
  readonly type: FieldType;
  /** Whether the value can be null too. */
  readonly nullable: boolean;
  readonly required: boolean;
  readonly unique: boolean;
  readonly title: string;
  readonly description: string;
  /** The allowed values as texts. Empty: all. */
  readonly allowed: readonly string[];
  readonly format: string;
  readonly pattern: string;
  readonly limits: Readonly<Partial<Record<Limit, string>>>;
  readonly itemType: ItemType;
  /** The allowed texts in a list. Empty: all. */
  readonly itemAllowed: readonly string[];
  readonly uniqueItems: boolean;
  readonly default: FieldInput;
  /** The schema of the field as it was. The form keeps what it does not show. */
  readonly original: unknown;
  /** The schema of the field as JSON text, if the person edits it so. It replaces everything but the name and `required`. */
  readonly json: string | undefined;
}

/** What is wrong with a part of a row: its name, its JSON or a keyword. */
export interface RowError {
  readonly part: string;
  readonly text: string;
}

/** Keywords that apply to values of one type, besides limits. */
const keywordsOf: Partial<Record<FieldType, readonly string[]>> = {
  string: ["pattern", "format"],
  array: ["items", "uniqueItems"],
  object: ["properties", "required", "additionalProperties", "minProperties", "maxProperties"],
};
/** Keywords of every type that the form shows. */
const shown = new Set(["type", "title", "description", "x-unique", "default"]);

let lastKey = 0;

export function newRow(): FieldRow {
  return toRow("", { type: "string" }, false);
}

export function toRow(name: string, original: unknown, required: boolean): FieldRow {
  const keywords: Keywords = isObject(original) ? original : {};
  const type = typeOf(original);
  const { items } = keywords;
  const value = keywords.default;
  return {
    key: ++lastKey,
    name,
    type,
    nullable: Array.isArray(keywords.type) && keywords.type.includes("null"),
    required,
    unique: keywords["x-unique"] === true,
    title: textOf(keywords.title),
    description: textOf(keywords.description),
    allowed: canShowAllowed(type, keywords.enum) ? listOf(keywords.enum).map(String) : [],
    format: textOf(keywords.format),
    pattern: textOf(keywords.pattern),
    limits: Object.fromEntries(
      limitsOf(type).flatMap((limit) =>
        typeof keywords[limit] === "number" ? [[limit, String(keywords[limit])]] : [],
      ),
    ),
    itemType: (isObject(items) && itemTypes.find((each) => each === items.type)) || "any",
    itemAllowed: isObject(items) && canShowItems(items) ? listOf(items.enum).map(String) : [],
    uniqueItems: keywords.uniqueItems === true,
    default: value === undefined ? undefined : toTypedInput(value),
    original,
    json: undefined,
  };
}

/** The row with its schema as JSON. */
export function toJsonRow(row: FieldRow): FieldRow {
  return { ...row, json: JSON.stringify(toProperty(row), null, 2) };
}

/** The row with what its JSON says. Undefined if the JSON is not valid. */
export function fromJsonRow(row: FieldRow): FieldRow | undefined {
  if (row.json === undefined) return row;
  const parsed = parseJson(row.json);
  if (parsed.error !== undefined) return undefined;
  return { ...toRow(row.name, parsed.value, row.required), key: row.key };
}

/** The schema of the field. The row has no errors. */
export function toProperty(row: FieldRow): unknown {
  if (row.json !== undefined) {
    const parsed = parseJson(row.json);
    return parsed.error === undefined ? parsed.value : row.original;
  }
  const { type, original } = row;
  if (type === "other") return original;
  const before: Keywords = isObject(original) ? original : {};
  const property: Record<string, Json> = { ...before };
  const set = (keyword: string, value: Json | undefined) => {
    if (value === undefined) delete property[keyword];
    else property[keyword] = value;
  };
  const previous = typeOf(original);
  if (type !== previous) {
    const kept = new Set([...limitsOf(type), ...(keywordsOf[type] ?? [])]);
    for (const keyword of [...limitsOf(previous), ...(keywordsOf[previous] ?? [])]) {
      if (!kept.has(keyword)) set(keyword, undefined);
    }
  }
  const isImplied = before.type === undefined && type === previous && !row.nullable && row.allowed.length > 0;
  set("type", type === "any" || isImplied ? undefined : row.nullable ? [type, "null"] : type);
  set("title", row.title.trim() || undefined);
  set("description", row.description.trim() || undefined);
  if (hasAllowedValues(type) && (type !== previous || canShowAllowed(type, before.enum))) {
    set("enum", orAbsent(allowedValues(row)));
  } else if (type !== previous) set("enum", undefined);
  if (type === "string") {
    set("format", row.format || undefined);
    set("pattern", row.pattern || undefined);
  }
  for (const limit of limitsOf(type)) set(limit, toLimit(row.limits[limit]));
  if (type === "array") {
    if (canShowItems(before.items)) set("items", toItems(row, before.items));
    set("uniqueItems", row.uniqueItems || (before.uniqueItems === false ? false : undefined));
  }
  if (row.unique || before["x-unique"] === true) set("x-unique", row.unique || undefined);
  set("default", row.default && !row.unique ? parseTypedInput(row.default).value : undefined);
  return property;
}

/** How a form shows the field, for example to enter its default. */
export function specOfRow(row: FieldRow): FieldSpec {
  return toFieldSpec(row.name, toProperty({ ...row, default: undefined }), false);
}

/** The keywords that the form keeps without showing them. */
export function keptKeywords(row: FieldRow): readonly string[] {
  const { type } = row;
  const property = toProperty(row);
  const keywords: Keywords = isObject(property) ? property : {};
  const isKept = (keyword: string) => {
    if (type === "other") return true;
    if (keyword === "enum") return !canShowAllowed(type, keywords.enum);
    if (keyword === "items") return type !== "array" || !canShowItems(keywords.items);
    if (keyword === "format" || keyword === "pattern") return type !== "string";
    if (keyword === "uniqueItems") return type !== "array";
    return !shown.has(keyword) && !limitsOf(type).some((limit) => limit === keyword);
  };
  return Object.keys(keywords).filter(isKept);
}

export const hasAllowedValues = (type: FieldType) => type === "string" || isNumeric(type);
export const canBeUnique = (type: FieldType) => type === "string" || isNumeric(type) || type === "other";
const isNumeric = (type: FieldType) => type === "integer" || type === "number";

/** What is wrong with a row. The service checks everything else. */
export function findRowErrors(row: FieldRow, rows: readonly FieldRow[]): readonly RowError[] {
  const { errors } = texts;
  const found: RowError[] = [];
  const add = (part: string, text: string | undefined) => {
    if (text !== undefined) found.push({ part, text });
  };
  const name = row.name.trim();
  const isRepeated = rows.some((other) => other.key !== row.key && other.name.trim() === name);
  if (name === "") add("name", errors.unnamed);
  else if (isRepeated) add("name", errors.duplicate);
  else if (!isCustomField(name)) add("name", errors.core);
  else if (findNameError(name) === "groups") add("name", errors.groups);
  else if (findNameError(name)) add("name", errors.invalidName);
  if (row.json !== undefined) {
    add("json", parseJson(row.json).error);
    return found;
  }
  if (row.unique && !canBeUnique(row.type)) add("x-unique", errors.uniqueType);
  for (const limit of limitsOf(row.type)) {
    const text = row.limits[limit]?.trim() ?? "";
    if (text !== "" && toLimit(text) === undefined) add(limit, errors.number(text));
  }
  if (isNumeric(row.type)) add("enum", row.allowed.map((text) => numberError(row.type, text)).find(Boolean));
  if (row.default && !row.unique) add("default", parseTypedInput(row.default).error);
  return found;
}

function numberError(type: FieldType, text: string): string | undefined {
  const number = parseExactNumber(text.trim());
  if (number === undefined) return texts.errors.number(text);
  return type === "integer" && !Number.isInteger(number) ? texts.errors.integer(text) : undefined;
}

/** What a row says besides name and type, in a few words. */
export function summarizeRow(row: FieldRow): readonly string[] {
  const { summary } = texts.fields;
  const [from, to] = [row.limits.minimum, row.limits.maximum];
  const values = row.type === "array" ? row.itemAllowed : row.allowed;
  const limit = from && to ? `${from}–${to}` : from ? `≥ ${from}` : to && `≤ ${to}`;
  const parts = [
    row.required && summary.required,
    row.unique && summary.unique,
    values.length > 0 && hasValues(row.type) && summary.values(values),
    row.type === "string" && row.pattern,
    isNumeric(row.type) && limit,
    row.default && !row.unique && summary.byDefault(row.default.text || row.default.type),
    row.description,
  ];
  return parts.flatMap((part) => part || []);
}

const hasValues = (type: FieldType) => hasAllowedValues(type) || type === "array";

function allowedValues({ type, allowed }: FieldRow): Json[] {
  return isNumeric(type) ? [...new Set(allowed.map(Number))] : [...new Set(allowed)];
}

function toItems({ itemType, itemAllowed }: FieldRow, before: Json | undefined): Json | undefined {
  const { type: _, enum: __, ...others } = isObject(before) ? before : {};
  const items = {
    ...others,
    ...(itemType !== "any" && { type: itemType }),
    ...(itemType === "string" && itemAllowed.length > 0 && { enum: [...new Set(itemAllowed)] }),
  };
  return Object.keys(items).length > 0 || before !== undefined ? items : undefined;
}

/** A limit can be beyond the numbers that can be stored exactly. */
function toLimit(text = ""): number | undefined {
  const digits = text.trim();
  const number = Number(digits);
  if (digits === "" || !Number.isFinite(number)) return undefined;
  return String(number) === digits ? number : parseExactNumber(digits);
}

function orAbsent(values: Json[]): Json[] | undefined {
  return values.length > 0 ? values : undefined;
}

function typeOf(schema: unknown): FieldType {
  if (!isObject(schema) || schema.$ref !== undefined) return "other";
  if (schema.type === undefined) return impliedType(schema.enum);
  const types = (Array.isArray(schema.type) ? schema.type : [schema.type]).filter((type) => type !== "null");
  const known = fieldTypes.find((type) => type === types[0] && type !== "any" && type !== "other");
  return types.length === 1 && known ? known : "other";
}

/** The type of a field without one: that of its allowed values. */
function impliedType(values: Json | undefined): FieldType {
  return (
    (values !== undefined && (["string", "number"] as const).find((type) => canShowAllowed(type, values))) ||
    "any"
  );
}

/** Whether the form can show these allowed values as texts. */
function canShowAllowed(type: FieldType, values: Json | undefined): boolean {
  if (values === undefined) return true;
  const list = listOf(values);
  if (new Set(list).size < list.length) return false;
  if (isNumeric(type)) return list.every((value) => typeof value === "number");
  return type === "string" && list.every(isPlainText);
}

/** Whether the form can show what the elements of a list are. */
function canShowItems(items: Json | undefined): boolean {
  if (items === undefined) return true;
  if (!isObject(items)) return false;
  const { type, enum: values, ...others } = items;
  const isKnown = type === undefined || itemTypes.some((each) => each === type && each !== "any");
  const hasTexts = values === undefined || (type === "string" && listOf(values).every(isPlainText));
  return isKnown && hasTexts && Object.keys(others).length === 0;
}

/** Whether a text can be entered as a tag. */
const isPlainText = (value: Json) =>
  typeof value === "string" && value !== "" && value === value.trim() && !/[,;\n\t]/.test(value);

function listOf(values: Json | undefined): readonly Json[] {
  return Array.isArray(values) ? values : [];
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
