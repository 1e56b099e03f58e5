import { isId } from "../../contract/scalars.ts";
import { formatTextCell, parseTextCell } from "./cells.ts";

/** Only digits: an id, unless there is an apostrophe in front. */
const DIGITS = /^\s*\d+\s*$/;
const QUOTED_DIGITS = /^'+\s*\d+\s*$/;

/** Writes an id, or the name of a record, so that `parseReference` reads the same value. */
export function formatReference(value: number | string): string {
  if (typeof value === "number") return String(value);
  return DIGITS.test(value) || QUOTED_DIGITS.test(value) ? `'${value}` : formatTextCell(value);
}

/** Reads an id, or the name of a record. 0 stands for digits that are not an id, such as 007. */
export function parseReference(cell: string): number | string {
  if (DIGITS.test(cell)) return isId(cell.trim()) ? Number(cell) : 0;
  return QUOTED_DIGITS.test(cell) ? cell.slice(1) : parseTextCell(cell);
}
