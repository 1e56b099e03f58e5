import { isObject, type Json, type JsonObject } from "../../contract/json.ts";
import { compileExpression } from "../../domain/filter/compile-expression.ts";
import type { Expression, Literal, Path } from "../../domain/filter/expression.ts";
import { FilterSyntaxError } from "../../domain/filter/filter-syntax-error.ts";
import { parse } from "../../domain/filter/parse-expression.ts";
import { subNames } from "../attribute-names.ts";
import type { Attribute } from "../attributes.ts";
import { ScimError } from "../scim-error.ts";

/** Which entries of a list an operation changes. */
export interface EntryCondition {
  readonly matches: (entry: Json) => boolean;
  /** With the names of the table. */
  readonly expression: Expression;
  /** The members that each entry has which meets the condition, as far as it says so by `eq` and `and` alone. Else undefined. */
  readonly described: JsonObject | undefined;
  /** Whether it only names a type of the table, or `primary`. */
  readonly isCanonical: boolean;
}

/** Parses what is in the brackets of a path. Names of a known attribute match in any case. Fails with `invalidPath`. */
export function parseCondition(text: string, attribute: Attribute | undefined): EntryCondition {
  const expression = rename(parseText(text), attribute);
  const test = compileExpression(expression);
  const described = describe(expression);
  return {
    matches: (entry) => isObject(entry) && test(entry),
    expression,
    described,
    isCanonical: described !== undefined && Object.entries(described).every(isCanonicalOf(attribute)),
  };
}

function parseText(text: string): Expression {
  try {
    return parse(text, { bareWords: true }).expression;
  } catch (error) {
    if (!(error instanceof FilterSyntaxError)) throw error;
    throw new ScimError("invalidPath", `The filter in the path is invalid. ${error.message}`);
  }
}

function rename(expression: Expression, attribute: Attribute | undefined): Expression {
  switch (expression.kind) {
    case "and":
    case "or":
      return { ...expression, operands: expression.operands.map((operand) => rename(operand, attribute)) };
    case "not":
      return { ...expression, operand: rename(expression.operand, attribute) };
    case "present":
      return { ...expression, path: renamePath(expression.path, attribute).path };
    case "compare": {
      const { path, sub } = renamePath(expression.path, attribute);
      return {
        ...expression,
        path,
        value: sub?.type === "boolean" ? toBoolean(expression.value) : expression.value,
      };
    }
    default:
      throw new ScimError("invalidPath", "The filter in the path has brackets in brackets.");
  }
}

function renamePath(path: Path, attribute: Attribute | undefined): { path: Path; sub?: Attribute } {
  const [step, ...deeper] = path;
  if (!attribute || !step) return { path };
  const sub = subNames(attribute).find(step.name);
  if (!sub || step.where || deeper.length > 0) {
    throw new ScimError(
      "invalidPath",
      `The filter in the path names ${step.name}, which ${attribute.name} do not have.`,
    );
  }
  return { path: [{ name: sub.name }], sub };
}

/** Entra sends `primary eq "True"`. */
function toBoolean(value: Literal): Literal {
  if (typeof value !== "string") return value;
  const text = value.toLowerCase();
  return text === "true" || (text === "false" ? false : value);
}

function describe(expression: Expression): JsonObject | undefined {
  if (expression.kind === "compare") {
    const { path, operator, value } = expression;
    const [step, ...deeper] = path;
    const isMember = operator === "eq" && value !== null && step && deeper.length === 0;
    return isMember ? { [step.name]: value } : undefined;
  }
  if (expression.kind !== "and") return undefined;
  const members: JsonObject = {};
  for (const operand of expression.operands) {
    const described = describe(operand);
    if (!described) return undefined;
    Object.assign(members, described);
  }
  return members;
}

function isCanonicalOf(attribute: Attribute | undefined): (member: [string, Json]) => boolean {
  const types = (attribute && subNames(attribute).find("type")?.canonicalValues) ?? [];
  return ([name, value]) =>
    name === "primary"
      ? typeof value === "boolean"
      : name === "type" && typeof value === "string" && types.includes(value.toLowerCase());
}
