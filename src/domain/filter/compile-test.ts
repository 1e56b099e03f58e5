import type { Json } from "../../contract/json.ts";
import type { ComparisonOperator, Literal } from "./expression.ts";
import { parseInstant } from "./parse-instant.ts";

/** A value of a user, or undefined where the user has none. */
export type Test = (value: Json | undefined) => boolean;

/** Makes a folding function for one test of text. */
export type NewFold = () => (text: string) => string;

/**
 * A test of one value that is not an array. `ne` is the opposite of `eq`, so it is not a test of one value. Exact tests compare texts
 * character by character, also those that are dates.
 */
export function compileTest(
  operator: Exclude<ComparisonOperator, "ne">,
  literal: Literal,
  newFold: NewFold | "exact",
): Test {
  if (literal === null) return operator === "eq" ? isAbsent : never;
  switch (typeof literal) {
    case "boolean":
      return operator === "eq" ? (value) => value === literal : never;
    case "number":
      return compileNumberTest(operator, literal);
    case "string":
      return newFold === "exact"
        ? compileFoldedTest(operator, literal, (text) => text)
        : compileTextTest(operator, literal, newFold());
  }
}

/** `pr`: `{}` is present, and so is `false`. */
export function isPresent(value: Json | undefined): boolean {
  return value !== undefined && value !== null && value !== "";
}

function isAbsent(value: Json | undefined): boolean {
  return value === undefined || value === null;
}

function never(): boolean {
  return false;
}

function compileNumberTest(operator: ComparisonOperator, literal: number): Test {
  switch (operator) {
    case "eq":
      return (value) => value === literal;
    case "gt":
      return (value) => typeof value === "number" && value > literal;
    case "ge":
      return (value) => typeof value === "number" && value >= literal;
    case "lt":
      return (value) => typeof value === "number" && value < literal;
    case "le":
      return (value) => typeof value === "number" && value <= literal;
    default:
      return never;
  }
}

function compileTextTest(
  operator: Exclude<ComparisonOperator, "ne">,
  literal: string,
  fold: (text: string) => string,
): Test {
  const instant = isPartial(operator) ? undefined : parseInstant(literal);
  if (instant === undefined) return compileFoldedTest(operator, literal, fold);
  const test = compileNumberTest(operator, instant);
  return (value) => typeof value === "string" && test(parseInstant(value));
}

/** Whether the operator compares with a part of a text. */
function isPartial(operator: ComparisonOperator): boolean {
  return operator === "co" || operator === "sw" || operator === "ew";
}

function compileFoldedTest(
  operator: Exclude<ComparisonOperator, "ne">,
  literal: string,
  fold: (text: string) => string,
): Test {
  const folded = fold(literal);
  switch (operator) {
    case "co":
      return (value) => typeof value === "string" && fold(value).includes(folded);
    case "sw":
      return (value) => typeof value === "string" && fold(value).startsWith(folded);
    case "ew":
      return (value) => typeof value === "string" && fold(value).endsWith(folded);
    case "eq":
      return (value) => typeof value === "string" && fold(value) === folded;
    case "gt":
      return (value) => typeof value === "string" && compareCodePoints(fold(value), folded) > 0;
    case "ge":
      return (value) => typeof value === "string" && compareCodePoints(fold(value), folded) >= 0;
    case "lt":
      return (value) => typeof value === "string" && compareCodePoints(fold(value), folded) < 0;
    case "le":
      return (value) => typeof value === "string" && compareCodePoints(fold(value), folded) <= 0;
  }
}

/** Compares like the UTF-8 bytes. `<` compares UTF-16 units, which sort U+10000 and above before U+E000. */
function compareCodePoints(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) {
    const a = left.charCodeAt(i);
    const b = right.charCodeAt(i);
    if (a !== b) return rank(a) - rank(b);
  }
  return left.length - right.length;
}

function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
