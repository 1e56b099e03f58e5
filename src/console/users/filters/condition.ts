import type { Json } from "../../../client/index.ts";
import type { FieldKind } from "../field-info.ts";

/** The operators of filter expressions that the console offers. `np` is "not present". */
export type Operator = "eq" | "ne" | "co" | "sw" | "ew" | "gt" | "ge" | "lt" | "le" | "pr" | "np";

/** One comparison of a filter expression. */
export interface Condition {
  readonly field: string;
  readonly operator: Operator;
  /** Absent for `pr` and `np`. */
  readonly value?: Json;
}

/** The operators that make sense for a kind of field, the usual one first. */
export const operatorsByKind: Readonly<Record<FieldKind, readonly Operator[]>> = {
  text: ["co", "eq", "ne", "sw", "ew", "np", "pr"],
  number: ["eq", "ne", "gt", "ge", "lt", "le", "np", "pr"],
  boolean: ["eq", "np", "pr"],
  date: ["ge", "lt", "np", "pr"],
  list: ["eq", "np", "pr"],
  object: ["np", "pr"],
};

const PLAIN_PATH = /^[A-Za-z_$][\w$-]*$/;
const KEYWORD = /^(?:and|or|not)$/i;

function formatCondition({ field, operator, value }: Condition): string {
  const path = PLAIN_PATH.test(field) && !KEYWORD.test(field) ? field : JSON.stringify(field);
  if (operator === "pr") return `${path} pr`;
  if (operator === "np") return `not (${path} pr)`;
  return `${path} ${operator} ${JSON.stringify(value)}`;
}

export const formatConditions = (conditions: readonly Condition[]) =>
  conditions.map(formatCondition).join(" and ");

const STRING = '"(?:[^"\\\\]|\\\\.)*"';
const PATH = `[A-Za-z_$][\\w$-]*|${STRING}`;
const VALUE = `${STRING}|-?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?|true|false`;
const PRESENT = new RegExp(`^(${PATH}) pr$`, "i");
const ABSENT = new RegExp(`^not \\((${PATH}) pr\\)$`, "i");
const COMPARISON = new RegExp(`^(${PATH}) (eq|ne|co|sw|ew|gt|ge|lt|le) (${VALUE})$`, "i");
const TOKEN = new RegExp(`${STRING}|[^"\\s]+|\\s+`, "g");

/** The comparisons of an expression, if it consists of simple ones that must all match. Otherwise undefined. */
export function parseConditions(expression: string): Condition[] | undefined {
  if (expression.trim() === "") return [];
  const conditions = splitAtAnd(expression).map(parseCondition);
  return conditions.every((condition) => condition !== undefined) ? conditions : undefined;
}

function splitAtAnd(expression: string): string[] {
  const parts = [""];
  for (const [token] of expression.matchAll(TOKEN)) {
    if (/^and$/i.test(token)) parts.push("");
    else parts.push(`${parts.pop()}${/^\s+$/.test(token) ? " " : token}`);
  }
  return parts.map((part) => part.trim());
}

function parseCondition(text: string): Condition | undefined {
  const [, absent] = ABSENT.exec(text) ?? [];
  if (absent !== undefined) return { field: parseName(absent), operator: "np" };
  const [, present] = PRESENT.exec(text) ?? [];
  if (present !== undefined && !KEYWORD.test(present)) return { field: parseName(present), operator: "pr" };
  const [, path = "", name = "", value = ""] = COMPARISON.exec(text) ?? [];
  const operator = comparisons.find((known) => known === name.toLowerCase());
  if (operator === undefined || KEYWORD.test(path)) return undefined;
  try {
    const parsed: Json = JSON.parse(value);
    return { field: parseName(path), operator, value: parsed };
  } catch {
    return undefined;
  }
}

const comparisons: readonly Operator[] = ["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"];

function parseName(path: string): string {
  return path.startsWith('"') ? String(JSON.parse(path)) : path;
}

/** Filters by field as an expression: any of a field's values, and all fields. */
export function formatWhere(where: Readonly<Record<string, readonly string[]>>): string {
  return Object.entries(where)
    .map(([field, values]) => {
      const comparisons = values.map((text) =>
        formatCondition({ field, operator: "eq", value: parseScalar(text) }),
      );
      return comparisons.length > 1 ? `(${comparisons.join(" or ")})` : (comparisons[0] ?? "");
    })
    .join(" and ");
}

/** A number or boolean if the text is one: filters by field compare texts. */
function parseScalar(text: string): Json {
  if (text === "true" || text === "false") return text === "true";
  return text.trim() !== "" && String(Number(text)) === text ? Number(text) : text;
}
