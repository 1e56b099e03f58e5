import type { Json, JsonObject } from "../../../src/contract/json.ts";
import type {
  Comparison,
  ComparisonOperator,
  Expression,
  Literal,
  Path,
} from "../../../src/domain/filter/expression.ts";
import type { ObjectShape, Shape } from "../../../src/domain/filter/shape.ts";
import { foldCase, foldEmail } from "../../../src/domain/fold.ts";

type Value = Json | undefined;

/**
 * The meaning of filter expressions in the simplest words: collect the values that a path reaches, then test each. Slow.
 * In brackets, `value` is the element that the condition tests.
 */
export function matchesNaively(expression: Expression, value: Value, user: Value = value): boolean {
  switch (expression.kind) {
    case "and":
      return expression.operands.every((operand) => matchesNaively(operand, value, user));
    case "or":
      return expression.operands.some((operand) => matchesNaively(operand, value, user));
    case "not":
      return !matchesNaively(expression.operand, value, user);
    case "element":
      return collectValues(value, expression.path, user).length > 0;
    case "present":
      return collectValues(value, expression.path, user).some((found) => (found ?? "") !== "");
    case "fits":
      return fits(memberOf(value, expression.field), expression.shape);
    case "same": {
      const { member, field } = expression;
      const fold = /^(email|userName)$/.test(field) ? foldEmail : foldCase;
      return isSame(memberOf(value, member), memberOf(user, field), fold);
    }
    case "compare":
      return comparesNaively(expression, expression.ofRecord ? user : value, user);
  }
}

function comparesNaively(comparison: Comparison, start: Value, user: Value): boolean {
  const { path, operator, value: literal, exact, direct, prefix } = comparison;
  const isLikeEmail = start === user && path.length === 1 && /^(email|userName)$/.test(path[0]?.name ?? "");
  const values = direct ? [directValue(start, path)] : collectValues(start, path, user);
  const found = values.map((one) => (prefix !== undefined && typeof one === "number" ? prefix + one : one));
  const test = (one: Value, tested: ComparisonOperator) =>
    exact
      ? comparesExactly(one, tested, literal)
      : compares(one, tested, literal, isLikeEmail ? foldEmail : foldCase);
  return operator === "ne" ? !found.some((one) => test(one, "eq")) : found.some((one) => test(one, operator));
}

function directValue(start: Value, path: Path): Value {
  const found = path.reduce((value, { name }) => memberOf(value, name), start);
  return Array.isArray(found) ? undefined : found;
}

function memberOf(value: Value, name: string): Value {
  return isObject(value) ? new Map(Object.entries(value)).get(name) : undefined;
}

function fits(value: Value, shape: Shape): boolean {
  if (!("each" in shape)) return isObject(value) && fitsObject(value, shape);
  const { once, uniquelyTrue = "" } = shape;
  const counts = (element: Json) => (once && isObject(element)) || !isEmpty(element);
  const elements = Array.isArray(value) ? value.filter(counts) : [];
  const others = elements.filter((element) => !(isObject(element) && fitsObject(element, shape.each)));
  return (
    elements.length > 0 &&
    others.length < 2 &&
    others.every((element) => once && isObject(element) && fitsObject(element, once)) &&
    elements.filter((element) => memberOf(element, uniquelyTrue) === true).length < 2
  );
}

function fitsObject(object: JsonObject, { members, required, isClosed }: ObjectShape): boolean {
  const types = new Map(Object.entries(members));
  const has = (name: string) => !isEmpty(memberOf(object, name)) && memberOf(object, name) !== "";
  return (
    (required === undefined || has(required)) &&
    Object.entries(object).every(([name, value]) => {
      const type = types.get(name);
      if (type !== undefined) return isEmpty(value) || typeof value === type;
      return !isClosed && !Object.keys(members).some((member) => member.toLowerCase() === name.toLowerCase());
    })
  );
}

function isEmpty(value: Value): boolean {
  return (value ?? null) === null || JSON.stringify(value) === "[]" || JSON.stringify(value) === "{}";
}

function isSame(value: Value, other: Value, fold: (text: string) => string): boolean {
  return typeof value === "string" && typeof other === "string" && fold(value) === fold(other);
}

/** Undefined stands for a value that is not there. */
function collectValues(start: Value, [step, ...rest]: Path, user: Value): Value[] {
  const values = flatten(start);
  if (!step) return values;
  return values.flatMap((value) => {
    const { name, where } = step;
    const member = memberOf(value, name);
    if (!where) return collectValues(member, rest, user);
    const elements = flatten(member).filter((element) => (element ?? null) !== null);
    return elements
      .filter((element) => matchesNaively(where, element, user))
      .flatMap((element) => collectValues(element, rest, user));
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

/** Without folding, and dates are texts. */
function comparesExactly(value: Value, operator: ComparisonOperator, literal: Literal): boolean {
  if (typeof value !== "string" || typeof literal !== "string")
    return compares(value, operator, literal, foldCase);
  if (operator === "co") return value.includes(literal);
  if (operator === "sw") return value.startsWith(literal);
  if (operator === "ew") return value.endsWith(literal);
  return ordered(Buffer.compare(Buffer.from(value), Buffer.from(literal)), operator);
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
