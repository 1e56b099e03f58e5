import type { Json } from "../../contract/user.ts";

/** What a spreadsheet would take for a formula, or for the mark that keeps it from doing so. */
const FORMULA = /^'*[=+\-@\t\r]/;
const MARKED = /^'+[=+\-@\t\r]/;
/** How JSON begins that is no plain text. */
const JSON_START = /^["[{\-0-9tfn]/;

/**
 * A value as a cell of a table. Whatever is read back by `fromCell` is the same value again: text that looks like
 * something else is written as JSON, and text that a spreadsheet would run gets an apostrophe before it.
 */
export function formatCell(value: Json | undefined): string {
  if (value === undefined) return "";
  if (typeof value !== "string") return JSON.stringify(value);
  if (value === "" || isJson(value)) return JSON.stringify(value);
  return formatTextCell(value);
}

/** The value of a cell; undefined for an empty one. What is no JSON is text. */
export function parseCell(cell: string): Json | undefined {
  if (cell === "") return undefined;
  return isJson(cell) ? JSON.parse(cell) : parseTextCell(cell);
}

/** Text that is nothing but text, such as a name. */
export function formatTextCell(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

export function parseTextCell(cell: string): string {
  return MARKED.test(cell) ? cell.slice(1) : cell;
}

/** Whether the text is JSON that writing it again gives back: 007, 1e3 or 12345678901234567890 are text. */
function isJson(text: string): boolean {
  if (!JSON_START.test(text)) return false;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "number" ? JSON.stringify(value) === text : true;
  } catch {
    return false;
  }
}
