import type { Json } from "../../contract/user.ts";

/** Text that a spreadsheet would run as a formula, with or without the apostrophes that prevent it. */
const FORMULA = /^'*[=+\-@\t\r]/;
const ESCAPED_FORMULA = /^'+[=+\-@\t\r]/;
const JSON_START = /^["[{\-0-9tfn]/;

/**
 * Writes the value of a custom field so that `parseCell` reads the same value: text that looks like JSON becomes a
 * JSON string, and text that looks like a formula gets an apostrophe in front.
 */
export function formatCell(value: Json | undefined): string {
  if (value === undefined) return "";
  if (typeof value !== "string") return JSON.stringify(value);
  if (value === "" || isJson(value)) return JSON.stringify(value);
  return formatTextCell(value);
}

/** Reads the value of a custom field: undefined if the cell is empty, and text if the cell is not JSON. */
export function parseCell(cell: string): Json | undefined {
  if (cell === "") return undefined;
  return isJson(cell) ? JSON.parse(cell) : parseTextCell(cell);
}

/** Writes a value that is always text, such as a name. */
export function formatTextCell(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

export function parseTextCell(cell: string): string {
  return ESCAPED_FORMULA.test(cell) ? cell.slice(1) : cell;
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
