import type {
  Comparison,
  ComparisonOperator,
  Expression,
  Literal,
  Path,
} from "../../../domain/filter/expression.ts";
import { parseInstant } from "../../../domain/filter/parse-instant.ts";
import { type Sql, sql } from "../../sql/sql.ts";
import type { RowTest } from "../condition.ts";
import type { Dialect } from "../dialect.ts";
import { type ListResource, ofField } from "../list-resource.ts";
import { type IntegerRange, integerRange } from "./integer-range.ts";
import { isIndexable } from "./value-range.ts";

/** The column that has the values at a path. */
export function columnAt({ fields }: ListResource, path: Path) {
  const [step] = path;
  const field = step && Object.hasOwn(fields, step.name) ? fields[step.name] : undefined;
  if (!step || !field || path.length > 1 || step.where) return undefined;
  return { name: step.name, ...field };
}

/** A comparison of the values at a path, or whether there are any. */
export type PathExpression = Comparison | Extract<Expression, { kind: "present" }>;

/**
 * The test of a column that is true exactly where the expression is, and never NULL. Undefined if the column does not tell, such
 * as for text that is compared with a date.
 */
export function columnTest(
  dialect: Dialect,
  resource: ListResource,
  expression: PathExpression,
): RowTest | undefined {
  const found = columnAt(resource, expression.path);
  // Columns have folded text, and numbers as numbers.
  const isFolded = expression.kind === "present" || !(expression.exact || expression.prefix !== undefined);
  if (!found || !isFolded) return undefined;
  const { name, type, isOptional } = found;
  const filterColumn = ofField(resource.columns, name);
  const column = filterColumn.unique ? `u.${filterColumn.column}` : filterColumn.expression;
  const test =
    typeof type === "string"
      ? numberTest(type, column, expression)
      : textTest(dialect, column, type.fold, expression);
  return (
    test && {
      test: isOptional ? sql(`coalesce(${test.text}, FALSE)`, ...test.values) : test,
      testsIdOnly: name === "id",
    }
  );
}

function numberTest(type: "number" | "time", column: string, expression: PathExpression): Sql | undefined {
  if (expression.kind === "present") return sql(`${column} IS NOT NULL`);
  const range = columnRange(type, expression.operator, expression.value);
  return range && sql(`${column} BETWEEN ? AND ?`, range.low, range.high);
}

const signs = { eq: "=", gt: ">", ge: ">=", lt: "<", le: "<=" } as const;

function textTest(
  { position }: Dialect,
  column: string,
  fold: (text: string) => string,
  expression: PathExpression,
): Sql | undefined {
  if (expression.kind === "present") return sql(`${column} <> ''`);
  const { operator, value } = expression;
  if (value === null && operator === "eq") return sql(`${column} IS NULL`);
  if (typeof value !== "string") return sql("FALSE");
  if (operator === "ne" || !isIndexable(value)) return undefined;
  const text = fold(value);
  switch (operator) {
    case "co":
      return sql(`${position}(${column}, ?) > 0`, text);
    case "sw":
      return sql(`${position}(${column}, ?) = 1`, text);
    case "ew":
      return sql(`substr(${column}, length(${column}) - ? + 1) = ?`, [...text].length, text);
    default:
      return parseInstant(value) === undefined ? sql(`${column} ${signs[operator]} ?`, text) : undefined;
  }
}

const NONE: IntegerRange = { low: 1, high: 0 };

/** The integers that match; undefined if they are not a range. A literal of another type matches none. */
export function columnRange(
  type: "number" | "time",
  operator: ComparisonOperator,
  value: Literal,
): IntegerRange | undefined {
  if (operator === "ne") return undefined;
  if (type === "number") return (typeof value === "number" && integerRange(operator, value)) || NONE;
  if (typeof value !== "string") return NONE;
  const instant = parseInstant(value);
  return instant === undefined ? undefined : integerRange(operator, instant);
}
