import type { Json } from "../../client/index.ts";
import { importing as texts } from "../texts/import.ts";
import { yesNoWords } from "../texts/yes-no.ts";
import { parseTypedInput } from "../users/typed-input.ts";

/**
 * The type of all values in a column of a CSV file, and how the file writes them: `commaNumber` is 1.234,5, and `dayFirst` is
 * 31.12.2026. Dates become texts like 2026-12-31.
 */
export const columnTypes = [
  "text",
  "number",
  "commaNumber",
  "boolean",
  "date",
  "dayFirst",
  "monthFirst",
  "list",
  "json",
] as const;
export type ColumnType = (typeof columnTypes)[number];

type ParsedCell =
  | { readonly value: Json; readonly error?: never }
  | { readonly value?: never; readonly error: string };

/** Reads a cell that is not empty. An export writes null as `null`, and text that looks like JSON as a JSON string. */
export function parseCell(cell: string, type: ColumnType): ParsedCell {
  const text = cell.trim();
  if (text === "null") return { value: null };
  const value = readers[type](text, cell);
  return value === undefined ? { error: texts.errors.types[type] } : { value };
}

/** A date, in parts that have their usual order in one of the types. Spreadsheets and databases add midnight. */
const datePattern = (parts: string) => new RegExp(`^${parts}(?:[ T]00:00(?::00(?:\\.0+)?)?)?$`);
const ISO_DATE = datePattern(String.raw`(?<year>\d{4})[-/.](?<month>\d\d?)[-/.](?<day>\d\d?)`);
const DAY_FIRST = datePattern(String.raw`(?<day>\d\d?)[-/.](?<month>\d\d?)[-/.](?<year>\d{4})`);
const MONTH_FIRST = datePattern(String.raw`(?<month>\d\d?)[-/](?<day>\d\d?)[-/](?<year>\d{4})`);
/** Digits in groups of three, and what may stand between the groups. */
const GROUPED = /^[+-]?\d{1,3}([,'’\u00a0\u202f ])\d{3}(?:\1\d{3})*(?:\.\d+)?$/;
const COMMA_NUMBER = /^[+-]?(?:\d+|\d{1,3}([.'’\u00a0\u202f ])\d{3}(?:\1\d{3})*)(?:,\d+)?$/;
const SEPARATORS = /[.,'’\u00a0\u202f ]/g;

const readers: Record<ColumnType, (text: string, cell: string) => Json | undefined> = {
  text: (text, cell) => {
    const value = text.startsWith('"') ? parseJson(text) : undefined;
    return typeof value === "string" ? value : cell;
  },
  number: (text) =>
    readNumber(GROUPED.test(text) ? text.replace(SEPARATORS, (mark) => (mark === "." ? "." : "")) : text),
  commaNumber: (text) =>
    COMMA_NUMBER.test(text)
      ? readNumber(text.replace(SEPARATORS, (mark) => (mark === "," ? "." : "")))
      : undefined,
  boolean: (text) => (text === "1" || text === "0" ? text === "1" : yesNoWords.get(text.toLowerCase())),
  date: (text) => readDate(text, ISO_DATE),
  dayFirst: (text) => readDate(text, DAY_FIRST),
  monthFirst: (text) => readDate(text, MONTH_FIRST),
  list: (text) => {
    if (text.startsWith("[")) {
      const value = parseJson(text);
      return Array.isArray(value) ? value : undefined;
    }
    if (text.startsWith("{")) return undefined;
    return text
      .split(/[;,]/)
      .map((item) => item.trim())
      .filter((item) => item !== "");
  },
  json: parseJson,
};

function readNumber(text: string): number | undefined {
  const { value } = parseTypedInput({ type: "number", text: text.replace(/^([+-]?)0+(?=\d)/, "$1") });
  return typeof value === "number" ? value : undefined;
}

/** The date as `2026-12-31`, if the calendar has it. */
function readDate(text: string, pattern: RegExp): string | undefined {
  const { year = "", month = "", day = "" } = pattern.exec(text)?.groups ?? {};
  const iso = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  const date = new Date(`${iso}T00:00:00Z`);
  return Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== iso ? undefined : iso;
}

/** Writes a value so that the service reads the same value from a CSV cell. */
export function formatCell(value: Json): string {
  const isPlainText = typeof value === "string" && value !== "" && parseJson(value) === undefined;
  return isPlainText ? value : JSON.stringify(value);
}

/** How JSON can begin. An exception for each cell that is text would take most of the time of an import. */
const JSON_START = /^\s*["[{\-\dtfn]/;

export function parseJson(text: string): Json | undefined {
  if (!JSON_START.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
