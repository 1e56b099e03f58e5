import type { ComparisonOperator, Literal } from "../../domain/filter/expression.ts";
import type { Place } from "../../domain/filter/parse-expression.ts";
import type { Attribute } from "../attributes.ts";

/** What the value of an attribute is compared with. */
export interface ComparedValue {
  readonly operator: ComparisonOperator;
  readonly value: Literal;
}

/**
 * The value as one of the attribute's type: bare words such as 42 are text where the attribute is text, and "True" is true where it is
 * true or false. Values of custom fields have the type they are written in. Throws a `FilterSyntaxError`.
 */
export function typedValue(
  attribute: Attribute | undefined,
  { operator, value }: ComparedValue,
  { errorOf, word }: Place,
): Literal {
  if (value === null) return value;
  if (attribute?.type === "boolean" || (attribute === undefined && typeof value === "boolean")) {
    const name = attribute?.name ?? "a value";
    if (operator !== "eq" && operator !== "ne") throw errorOf(`eq, ne or pr: ${name} is true or false`);
    const truth = toBoolean(value);
    if (truth === undefined) throw errorOf(`true or false as the value of ${name}`);
    return truth;
  }
  return attribute === undefined || typeof value === "string" ? value : (word ?? String(value));
}

function toBoolean(value: Literal): boolean | undefined {
  if (typeof value === "boolean") return value;
  const text = typeof value === "string" ? value.toLowerCase() : undefined;
  if (text === "true") return true;
  return text === "false" ? false : undefined;
}
