import { isObject, type Json, type JsonObject } from "../../contract/json.ts";
import { compileExpression } from "../../domain/filter/compile-expression.ts";
import type { Comparison, Expression, Literal, Path } from "../../domain/filter/expression.ts";
import { FilterSyntaxError } from "../../domain/filter/filter-syntax-error.ts";
import { type ParsedExpression, parse } from "../../domain/filter/parse-expression.ts";
import { subNames } from "../attribute-names.ts";
import type { Attribute } from "../attributes.ts";
import { ScimError } from "../scim-error.ts";
import { shorten } from "../shorten.ts";

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
  const expression = new Renaming(parseText(text), attribute).renamed;
  const test = compileExpression(expression);
  const described = describe(expression);
  return {
    matches: (entry) => isObject(entry) && test(entry),
    expression,
    described,
    isCanonical: described !== undefined && Object.entries(described).every(isCanonicalOf(attribute)),
  };
}

function parseText(text: string): ParsedExpression {
  try {
    return parse(text, { bareWords: true });
  } catch (error) {
    if (!(error instanceof FilterSyntaxError)) throw error;
    throw new ScimError("invalidPath", `The filter in the path is invalid. ${error.message}`);
  }
}

/** Gives an expression the names and the types of the table. */
class Renaming {
  readonly #parsed: ParsedExpression;
  readonly #attribute: Attribute | undefined;

  constructor(parsed: ParsedExpression, attribute: Attribute | undefined) {
    this.#parsed = parsed;
    this.#attribute = attribute;
  }

  get renamed(): Expression {
    return this.#rename(this.#parsed.expression);
  }

  #rename(expression: Expression): Expression {
    switch (expression.kind) {
      case "and":
      case "or":
        return { ...expression, operands: expression.operands.map((operand) => this.#rename(operand)) };
      case "not":
        return { ...expression, operand: this.#rename(expression.operand) };
      case "present":
        return { ...expression, path: this.#findPath(expression.path).path };
      case "compare": {
        const { path, sub } = this.#findPath(expression.path);
        const renamed = { ...expression, path, ...(sub?.caseExact && { exact: true as const }) };
        return sub ? { ...renamed, value: this.#convert(expression, sub) } : renamed;
      }
      default:
        throw new ScimError("invalidPath", "The filter in the path has brackets in brackets.");
    }
  }

  #findPath(path: Path): { path: Path; sub?: Attribute } {
    const attribute = this.#attribute;
    const [step, ...deeper] = path;
    if (!attribute || !step) return { path };
    const sub = subNames(attribute).find(step.name);
    if (!sub || step.where || deeper.length > 0) {
      throw new ScimError(
        "invalidPath",
        `The filter in the path names ${shorten(step.name)}, which ${attribute.name} do not have.`,
      );
    }
    return { path: [{ name: sub.name }], sub };
  }

  /** Text without quotes can look like a number. */
  #convert(comparison: Comparison, sub: Attribute): Literal {
    const { value } = comparison;
    if (sub.type === "boolean") return toBoolean(value);
    if (value === null || typeof value === "string") return value;
    return this.#parsed.comparisons.get(comparison)?.word ?? String(value);
  }
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
