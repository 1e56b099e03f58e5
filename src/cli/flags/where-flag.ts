import { ConfigError, hideSecrets } from "../../config/config.ts";
import type { Flag } from "../../config/flag.ts";
import { findParameterName, isFilterName } from "../../contract/listing.ts";
import { isFieldName } from "../../contract/users/field-name.ts";
import { fieldType } from "../../contract/users/user-fields.ts";
import { parseFieldPath } from "../../domain/field-path.ts";
import type { Expression, Literal } from "../../domain/filter/expression.ts";
import { formatExpression } from "../../domain/filter/format-expression.ts";
import { parseExpression } from "../../domain/filter/parse-expression.ts";
import { checkFilter, equality, filterOption } from "./filter-flag.ts";

/** Selects users or groups by the values of fields. */
export const whereFlagOf = (many: "users" | "groups") =>
  ({
    flag: "where",
    form: "repeated",
    default: "",
    takes: "FIELD=VALUE, such as department=sales",
    about: `FIELD=VALUE: ${many} with this value. Repeat a field to match any of its values.`,
    parse: (text: string, source) => (source === "default" ? [] : text.split("\u0000")),
  }) as const satisfies Flag<readonly string[]>;

export const whereFlag = whereFlagOf("users");

/** The values of fields. A user matches if each field has one of its values. */
export type Where = Readonly<Record<string, readonly string[]>>;

/** Throws a `ConfigError` for all but FIELD=VALUE. It names --filter if the text is an expression. */
export function readWhere(conditions: readonly string[], many: "users" | "groups" = "users"): Where {
  const isAllowed = many === "users" ? isFilterName : (name: string) => findParameterName(name) === undefined;
  const where = new Map<string, readonly string[]>();
  for (const condition of conditions) {
    const equals = condition.indexOf("=");
    const [field, value] = [condition.slice(0, Math.max(0, equals)), condition.slice(equals + 1)];
    if (!isFieldName(field)) throw notEquality(condition, field, value);
    if (many === "users" && /^groups?$/i.test(field)) throw notMembership(field, value);
    if (!isAllowed(field)) {
      throw new ConfigError(
        `You cannot filter by a field called ${field} with --where. Use ${filterOption(equality(field, value))}.`,
      );
    }
    where.set(field, [...(where.get(field) ?? []), value]);
  }
  return Object.fromEntries(where);
}

/** A person who writes a group means its members. */
function notMembership(field: string, value: string): ConfigError {
  const members = /^\d+$/.test(value) ? `groups eq ${value}` : equality("groups.name", value);
  return new ConfigError(
    `You cannot filter by a field called ${field} with --where. For the members of a group, use ${filterOption(members)}. For a custom field, use ${filterOption(equality(field, value))}.`,
  );
}

function notEquality(condition: string, path: string, value: string): ConfigError {
  const expression = parseFieldPath(path) ? equality(path, value) : condition;
  return new ConfigError(
    isExpression(expression)
      ? `--where takes ${whereFlag.takes}. For an expression, use ${filterOption(expression)}`
      : `--where=${hideSecrets(condition)} is invalid. Use ${whereFlag.takes}, or --filter with an expression.`,
  );
}

function isExpression(text: string): boolean {
  try {
    return parseExpression(text) !== undefined;
  } catch {
    return false;
  }
}

/**
 * An expression that every user matches who matches `where` and `filter`. It can match more users, because texts in
 * expressions are compared without regard to case, dates as times, and null is also an absent field.
 */
export function toExpression(where: Where, filter: string | undefined): string {
  const fields = Object.entries(where).map(([field, values]): Expression => {
    const literals = [...new Set(values)].flatMap((value) => literalsOf(field, value));
    return combine(
      "or",
      literals.map((value) => ({ kind: "compare", path: [{ name: field }], operator: "eq", value })),
    );
  });
  const expression = combine("and", [...fields, ...(filter === undefined ? [] : [checkFilter(filter)])]);
  return formatExpression(expression);
}

function combine(kind: "and" | "or", operands: readonly Expression[]): Expression {
  const [only, ...more] = operands;
  return only && more.length === 0 ? only : { kind, operands };
}

/** The values that have this text: `level=3` finds 3 and "3". */
function literalsOf(field: string, text: string): Literal[] {
  const type = fieldType(field);
  if (type === "text" || type === "time") return [text];
  const number = Number(text);
  const literals: Literal[] = Number.isFinite(number) && String(number) === text ? [number] : [];
  if (type === "number") return literals;
  const constants: Readonly<Record<string, Literal>> = { true: true, false: false, null: null };
  return [...literals, ...(Object.hasOwn(constants, text) ? [constants[text] ?? null] : []), text];
}
