import { createHash } from "node:crypto";
import type { Json, JsonObject } from "../../contract/json.ts";
import { foldOf, isLikeEmail } from "../field-fold.ts";
import { parseInstant } from "../filter/parse-instant.ts";

/** A row of the index of custom fields. Engines sort rows by the bytes of `field`, then of `value`. */
export interface ValueRow {
  /** The path of the value (`fieldPath`). Values in an array have `ELEMENT_MARKER` after the path. */
  readonly field: string;
  /** The kind of the value, then a key that sorts like values of this kind. */
  readonly value: string;
  /** The spelling of a text, if `value` does not determine it (`exactKey`). */
  readonly exact: string;
}

/** The first character of `value`. */
export const valueKinds = {
  number: "1",
  text: "2",
  boolean: "3",
  null: "4",
  /** The time of a text that is a date. The text has a row too. */
  instant: "5",
  /** An object, whatever is in it. */
  object: "6",
} as const;

/** Follows the path of values that are in an array, or in an object in an array. */
export const ELEMENT_MARKER = "\u0001";

/** Says that the values in arrays and objects of a user are not in the index: the user has too many. */
export const OVERFLOW_ROW: ValueRow = { field: "\u0002", value: "", exact: "" };

/** If a user has more rows, or a longer path, then values in arrays and objects are not indexed. */
const MAX_ROWS = 256;
const MAX_PATH_CHARACTERS = 200;

/** Longer texts are cut in `value`, and are a digest in `exact`: the index stays small. */
const MAX_KEY_CHARACTERS = 256;
/**
 * Texts that are compared like emails have no `exact`, so they are not cut: those of users are not longer than this. Groups may have
 * longer ones, whose end is a digest.
 */
const MAX_WHOLE_CHARACTERS = 3 * MAX_KEY_CHARACTERS;
/** A `value` of so many characters may be cut: it has a kind, and no half of a pair at its end. */
export const MIN_CUT_KEY = MAX_KEY_CHARACTERS;

/** The names that lead from a user to a value, as one text. Different names have different texts. */
export function fieldPath(names: readonly string[]): string {
  return names.map(escapeName).join(".");
}

/** The names of a path that `fieldPath` made. */
export function fieldNames(path: string): string[] {
  return path.split(".").map(unescapeName);
}

const SPECIAL = /[\p{Cc}.~]/u;
const SPECIALS = /[\p{Cc}.~]/gu;

function escapeName(name: string): string {
  if (!SPECIAL.test(name)) return name;
  return name.replace(SPECIALS, (character) => `~${character.charCodeAt(0).toString(16).padStart(2, "0")}`);
}

function unescapeName(name: string): string {
  return name.replace(/~(..)/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

const double = new DataView(new ArrayBuffer(8));

/** The `value` of a number. */
export function numberKey(number: number): string {
  return valueKinds.number + doubleKey(number);
}

/** The `value` of a time in milliseconds, for texts that are dates. */
export function instantKey(milliseconds: number): string {
  return valueKinds.instant + doubleKey(milliseconds);
}

/** A text that sorts like the number: its bits in hexadecimal, without the zeros at the end. */
function doubleKey(number: number): string {
  // Adding 0 turns -0 into 0.
  double.setFloat64(0, number + 0);
  const high = double.getUint32(0);
  const low = double.getUint32(4);
  // Larger negative numbers have smaller bits.
  const isNegative = high >= 0x8000_0000;
  const first = toHex((isNegative ? ~high : high ^ 0x8000_0000) >>> 0);
  const last = isNegative ? ~low >>> 0 : low;
  return stripZeros(last === 0 ? first : first + toHex(last));
}

function toHex(bits: number): string {
  return bits.toString(16).padStart(8, "0");
}

function stripZeros(text: string): string {
  let end = text.length;
  while (text.charCodeAt(end - 1) === 0x30) end--;
  return text.slice(0, end);
}

/** Where a value is: how its text is compared depends on it. */
interface Place {
  /** The path of `fieldPath`. */
  readonly path: string;
}

const ANYWHERE: Place = { path: "" };

/** The `value` of a text: the same for texts that differ only in case. */
export function textKey(text: string, { path }: Place = ANYWHERE): string {
  return foldedKey(path, foldOf(path)(text));
}

function foldedKey(path: string, folded: string): string {
  const isWhole = isLikeEmail(path) && folded.length <= MAX_WHOLE_CHARACTERS;
  const key = valueKinds.text + (isWhole ? folded : cutKey(folded));
  return isLikeEmail(path) && !isWhole ? key + digestOf(folded) : key;
}

/** Whether `value` is the beginning of the folded text only: texts that differ after it have the same `value`. */
export function isCut(foldedText: string): boolean {
  return foldedText.length > MAX_KEY_CHARACTERS;
}

function cutKey(folded: string): string {
  if (!isCut(folded)) return folded;
  const key = folded.slice(0, MAX_KEY_CHARACTERS);
  return key.isWellFormed() ? key : key.slice(0, -1);
}

/** The `exact` of a text: empty if the text is folded and not cut. Texts with the same `value` and `exact` are equal. */
export function exactKey(text: string, { path }: Place = ANYWHERE): string {
  return exactKeyOf(text, foldOf(path)(text));
}

function exactKeyOf(text: string, folded: string): string {
  if (text === folded && !isCut(folded)) return "";
  return text.length <= MAX_KEY_CHARACTERS ? text : digestOf(text);
}

function digestOf(text: string): string {
  return `\u0001${createHash("sha256").update(text).digest("hex")}`;
}

/** Different rows have different keys: no text contains U+0000. */
export function rowKey({ field, value, exact }: ValueRow): string {
  return `${field}\u0000${value}\u0000${exact}`;
}

export function booleanKey(value: boolean): string {
  return `${valueKinds.boolean}${value ? "t" : "f"}`;
}

/**
 * The rows of a record. All values of top-level fields without a column are indexed, and the values in arrays and objects if they
 * fit.
 */
export function indexRows(record: JsonObject, columns: readonly string[]): ValueRow[] {
  const rows: ValueRow[] = [];
  const nested: [field: string, value: Json[] | { [name: string]: Json }][] = [];
  for (const field in record) {
    if (columns.includes(field)) continue;
    const value = record[field] ?? null;
    if (value !== null && typeof value === "object") nested.push([field, value]);
    if (!Array.isArray(value)) addRows(rows, { path: field, marker: "" }, value);
  }
  if (nested.length === 0) return rows;
  const collector = new NestedRows(MAX_ROWS - rows.length);
  for (const [field, value] of nested) collector.addMembers(field, "", value);
  rows.push(...(collector.isFull ? [OVERFLOW_ROW] : collector.rows.values()));
  return rows;
}

/** The rows of a value that is not an array, without those of the values in it. */
function addRows(
  rows: ValueRow[],
  { path, marker }: Place & { readonly marker: string },
  value: Exclude<Json, Json[]>,
): void {
  const field = path + marker;
  if (typeof value === "string") {
    const folded = foldOf(path)(value);
    rows.push({ field, value: foldedKey(path, folded), exact: exactKeyOf(value, folded) });
    const instant = parseInstant(value);
    if (instant !== undefined) rows.push({ field, value: instantKey(instant), exact: "" });
  } else {
    rows.push({ field, value: keyOf(value), exact: "" });
  }
}

function keyOf(value: number | boolean | null | object): string {
  if (value === null) return valueKinds.null;
  if (typeof value === "number") return numberKey(value);
  return typeof value === "boolean" ? booleanKey(value) : valueKinds.object;
}

/** Collects the rows of the values in arrays and objects, each row once, until there are too many. */
class NestedRows {
  readonly #maxRows: number;
  readonly rows = new Map<string, ValueRow>();
  isFull = false;

  constructor(maxRows: number) {
    this.#maxRows = maxRows;
  }

  addMembers(path: string, marker: string, value: Json[] | { [name: string]: Json }): void {
    if (Array.isArray(value)) {
      for (const element of value) {
        if (this.isFull) return;
        this.#add(path, ELEMENT_MARKER, element);
      }
    } else {
      for (const name in value) {
        if (this.isFull) return;
        this.#add(`${path}.${escapeName(name)}`, marker, value[name] ?? null);
      }
    }
  }

  #add(path: string, marker: string, value: Json): void {
    if (path.length > MAX_PATH_CHARACTERS) this.isFull = true;
    if (!Array.isArray(value)) {
      const rows: ValueRow[] = [];
      addRows(rows, { path, marker }, value);
      for (const row of rows) this.rows.set(rowKey(row), row);
      if (this.rows.size > this.#maxRows) this.isFull = true;
    }
    if (value !== null && typeof value === "object") this.addMembers(path, marker, value);
  }
}
