import type { Json } from "../../../src/contract/json.ts";
import type { ComparisonOperator, Expression, Literal, Path } from "../../../src/domain/filter/expression.ts";
import { foldCase, foldEmail } from "../../../src/domain/fold.ts";

type Value = Json | undefined;

/**
 * The meaning of filter expressions in the simplest words: collect the values that a path reaches, then test each. Slow.
 * `ofUser` is false for the elements that a condition in brackets tests.
 */
export function matchesNaively(expression: Expression, value: Value, ofUser = true): boolean {
  switch (expression.kind) {
    case "and":
      return expression.operands.every((operand) => matchesNaively(operand, value, ofUser));
    case "or":
      return expression.operands.some((operand) => matchesNaively(operand, value, ofUser));
    case "not":
      return !matchesNaively(expression.operand, value, ofUser);
    case "element":
      return collectValues(value, expression.path).length > 0;
    case "present":
      return collectValues(value, expression.path).some((found) => (found ?? "") !== "");
    case "compare": {
      const { path, operator, value: literal } = expression;
      const fold =
        ofUser && path.length === 1 && /^(email|userName)$/.test(path[0]?.name ?? "") ? foldEmail : foldCase;
      const found = collectValues(value, path);
      if (operator === "ne") return !found.some((one) => compares(one, "eq", literal, fold));
      return found.some((one) => compares(one, operator, literal, fold));
    }
  }
}

/** Undefined stands for a value that is not there. */
function collectValues(start: Value, [step, ...rest]: Path): Value[] {
  const values = flatten(start);
  if (!step) return values;
  return values.flatMap((value) => {
    const { name, where } = step;
    const member = isObject(value) ? new Map(Object.entries(value)).get(name) : undefined;
    if (!where) return collectValues(member, rest);
    const elements = flatten(member).filter((element) => (element ?? null) !== null);
    return elements
      .filter((element) => matchesNaively(where, element, false))
      .flatMap((element) => collectValues(element, rest));
  });
}

function flatten(value: Value): Value[] {
  return Array.isArray(value) ? value.flatMap(flatten) : [value];
}

function isObject(value: Value): value is { [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function compares(
  value: Value,
  operator: ComparisonOperator,
  literal: Literal,
  fold: (text: string) => string,
): boolean {
  if (literal === null) return operator === "eq" && (value ?? null) === null;
  if (typeof value === "number" && typeof literal === "number") return ordered(value - literal, operator);
  if (typeof value === "boolean" && typeof literal === "boolean")
    return operator === "eq" && value === literal;
  if (typeof value !== "string" || typeof literal !== "string") return false;
  if (operator === "co") return fold(value).includes(fold(literal));
  if (operator === "sw") return fold(value).startsWith(fold(literal));
  if (operator === "ew") return fold(value).endsWith(fold(literal));
  const time = readTimeNaively(literal);
  if (time !== undefined) return ordered((readTimeNaively(value) ?? Number.NaN) - time, operator);
  return ordered(Buffer.compare(Buffer.from(fold(value)), Buffer.from(fold(literal))), operator);
}

function ordered(difference: number, operator: ComparisonOperator): boolean {
  switch (operator) {
    case "eq":
      return difference === 0;
    case "gt":
      return difference > 0;
    case "ge":
      return difference >= 0;
    case "lt":
      return difference < 0;
    case "le":
      return difference <= 0;
    default:
      return false;
  }
}

const DATE_TIME = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/i;

/** The time of an RFC 3339 date or date-time in milliseconds. */
export function readTimeNaively(text: string): number | undefined {
  const [, date, time = "00:00:00", fraction = "", offset = "Z"] = DATE_TIME.exec(text) ?? [];
  const utc = `${date}T${time}.${fraction.padEnd(3, "0").slice(0, 3)}Z`;
  if (Number.isNaN(Date.parse(utc)) || new Date(utc).toISOString() !== utc) return undefined;
  if (offset.toUpperCase() === "Z") return Date.parse(utc);
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4));
  return Date.parse(utc) + (offset.startsWith("+") ? -minutes : minutes) * 60_000;
}
