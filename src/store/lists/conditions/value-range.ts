import type { Comparison, ComparisonOperator, Literal } from "../../../domain/filter/expression.ts";
import { parseInstant } from "../../../domain/filter/parse-instant.ts";
import {
  booleanKey,
  instantKey,
  MIN_CUT_KEY,
  numberKey,
  textKey,
  valueKinds,
} from "../../../domain/lists/value-index.ts";

/** A stretch of the value index: one key, or the keys from `low` up to but not including `high`. */
export interface ValueRange {
  readonly low: string;
  readonly high: string | undefined;
  /** All values in the range match. */
  readonly exact: boolean;
}

/** Stored text is valid UTF-8 without U+0000. No index has, and no engine accepts, other text. */
export function isIndexable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\u0000");
}

/** Whether the index has the values that a comparison can match of every row: it may leave out what is in arrays and objects. */
export function isAlwaysIndexed({ direct, path }: Comparison): boolean {
  return direct === true && path.length === 1;
}

/** Follows every text that has the same beginning. */
const LAST = "\u{10ffff}";
/** The smallest text after a key is the key with this character. No text contains U+0000. */
const FIRST = "\u0001";
/** The values that are not null. A date has one row in them. */
export const presentRanges: readonly ValueRange[] = [
  { low: valueKinds.number, high: valueKinds.null, exact: false },
  { low: valueKinds.object, high: valueKinds.object + LAST, exact: false },
];

/** The keys of the values at a path (`fieldPath`) that can match a comparison; undefined if no range has them all. */
export function valueRange(
  path: string,
  { operator, value, exact, prefix }: Omit<Comparison, "path">,
): ValueRange | undefined {
  // The index has numbers as numbers.
  if (prefix !== undefined) return undefined;
  if (exact && typeof value === "string") return spelledRange(path, operator, value);
  switch (operator) {
    case "eq":
      return equalKey(path, value);
    case "sw": {
      if (typeof value !== "string") return undefined;
      const key = textKey(value, { path });
      const start = uncutStart(key);
      return { low: start, high: start + LAST, exact: start === key };
    }
    case "co":
    case "ew":
      return anyText;
    case "gt":
    case "ge":
    case "lt":
    case "le":
      return orderRange(operator, orderedKey(path, value));
    case "ne":
      return undefined;
  }
}

const anyText: ValueRange = { low: valueKinds.text, high: valueKinds.boolean, exact: false };

/** The keys of texts are folded: they are in another order, and do not start as the texts do. */
function spelledRange(path: string, operator: ComparisonOperator, text: string): ValueRange | undefined {
  if (operator === "ne") return undefined;
  return operator === "eq" ? { low: textKey(text, { path }), high: undefined, exact: false } : anyText;
}

function equalKey(path: string, value: Literal): ValueRange | undefined {
  if (value === null) return undefined;
  const key = orderedKey(path, value) ?? booleanKey(value === true);
  return { low: key, high: undefined, exact: key.length < MIN_CUT_KEY };
}

function orderRange(operator: "gt" | "ge" | "lt" | "le", key: string | undefined): ValueRange | undefined {
  if (key === undefined) return undefined;
  const kind = key.charAt(0);
  // Texts that are cut can be before or after the value.
  const start = uncutStart(key);
  const isCut = start !== key;
  switch (operator) {
    case "gt":
      return { low: isCut ? start : key + FIRST, high: kind + LAST, exact: !isCut };
    case "ge":
      return { low: start, high: kind + LAST, exact: !isCut };
    case "lt":
      return { low: kind, high: isCut ? start + LAST : key, exact: !isCut };
    case "le":
      return { low: kind, high: start + (isCut ? LAST : FIRST), exact: !isCut };
  }
}

/** The beginning of a key that is not cut in any key of a text that starts so. */
function uncutStart(key: string): string {
  if (key.length < MIN_CUT_KEY) return key;
  const start = key.slice(0, MIN_CUT_KEY - 1);
  return start.isWellFormed() ? start : start.slice(0, -1);
}

/** The key of a number, a date or a text. */
function orderedKey(path: string, value: Literal): string | undefined {
  if (typeof value === "number") return numberKey(value);
  if (typeof value !== "string") return undefined;
  const instant = parseInstant(value);
  return instant === undefined ? textKey(value, { path }) : instantKey(instant);
}
