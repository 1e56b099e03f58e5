import type { ComparisonOperator, Expression, Literal, Path } from "../../../domain/filter/expression.ts";
import { parseInstant } from "../../../domain/filter/parse-instant.ts";
import { type Sql, sql } from "../../sql/sql.ts";
import type { Condition, RowTest } from "../condition.ts";
import type { Dialect } from "../dialect.ts";
import { type FilterColumn, type ListResource, ofField } from "../list-resource.ts";
import { columnFilter } from "./build-conditions.ts";
import { isIndexable } from "./expression-index.ts";
import { unionOfLists } from "./id-list.ts";
import { type IntegerRange, integerRange, intersect } from "./integer-range.ts";

/**
 * Turns comparisons of columns into conditions: integers and times in a range, a text that is equal, or that starts with or
 * contains another. `rest` are the expressions that the conditions do not cover; some of them also have a condition.
 */
export function columnConditions(
  dialect: Dialect,
  resource: ListResource,
  expressions: readonly Expression[],
): { found: Condition[]; rest: Expression[] } {
  const ranges = new Map<string, IntegerRange>();
  const found: Condition[] = [];
  const rest: Expression[] = [];
  for (const expression of expressions) {
    const comparison = columnComparison(resource, expression);
    if (!comparison) {
      rest.push(expression);
      continue;
    }
    const { name, type, operator, value } = comparison;
    if (typeof type === "string") {
      const range = columnRange(type, operator, value);
      if (range) ranges.set(name, intersect(ranges.get(name) ?? range, range));
      else rest.push(expression);
      continue;
    }
    const text =
      typeof value === "string" && isIndexable(value) && parseInstant(value) === undefined
        ? value
        : undefined;
    if (operator === "eq" && text !== undefined) {
      found.push(columnFilter(dialect, resource.table, ofField(resource.columns, name), [type.fold(text)]));
      continue;
    }
    rest.push(expression);
    if (operator === "co" && text !== undefined && SEARCHABLE.test(text)) {
      found.push(dialect.search(resource.search, [text.toLowerCase()]));
    }
  }
  for (const [name, range] of ranges)
    found.push(rangeCondition(dialect, resource, ofField(resource.columns, name), range));
  return { found, rest };
}

/** Folding leaves these characters alone, so that a text that contains them does so after folding, too. */
const SEARCHABLE = /^[\x21-\x7e]([\x20-\x7e]{1,98})[\x21-\x7e]$/;

function columnComparison(resource: ListResource, expression: Expression) {
  if (expression.kind !== "compare") return undefined;
  const { operator, value } = expression;
  const column = columnAt(resource, expression.path);
  return column && { name: column.name, type: column.type, operator, value };
}

/** The column that has the values at a path. */
function columnAt({ fields }: ListResource, path: Path) {
  const [step] = path;
  const field = step && Object.hasOwn(fields, step.name) ? fields[step.name] : undefined;
  if (!step || !field || path.length > 1 || step.where) return undefined;
  return { name: step.name, ...field };
}

/**
 * The test of a column that is true exactly where the expression is, and never NULL. Undefined if the column does not tell, such
 * as for text that is compared with a date.
 */
export function columnTest(
  dialect: Dialect,
  resource: ListResource,
  expression: Extract<Expression, { kind: "compare" | "present" }>,
): RowTest | undefined {
  const found = columnAt(resource, expression.path);
  if (!found) return undefined;
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

type ColumnExpression = Parameters<typeof columnTest>[2];

function numberTest(type: "number" | "time", column: string, expression: ColumnExpression): Sql | undefined {
  if (expression.kind === "present") return sql(`${column} IS NOT NULL`);
  const range = columnRange(type, expression.operator, expression.value);
  return range && sql(`${column} BETWEEN ? AND ?`, range.low, range.high);
}

const signs = { eq: "=", gt: ">", ge: ">=", lt: "<", le: "<=" } as const;

function textTest(
  { position }: Dialect,
  column: string,
  fold: (text: string) => string,
  expression: ColumnExpression,
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
function columnRange(
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

function rangeCondition(
  dialect: Dialect,
  { table }: ListResource,
  { column, ...filterColumn }: FilterColumn,
  { low, high }: IntegerRange,
): Condition {
  const hint = filterColumn.unique ? "" : dialect.indexHint(filterColumn.index);
  // The index has the ids of one value in order, and the engine has to know that it is one.
  const [test, values] = low === high ? ["= ?", [low]] : ["BETWEEN ? AND ?", [low, high]];
  const select = {
    text: `SELECT id FROM ${dialect.table(table)} ${hint} WHERE ${column} ${test} AND`,
    values,
  };
  return {
    ...unionOfLists(dialect, [{ select, idColumn: "id", sorted: column === "id" || low === high }]),
    test: { text: `u.${column} ${test}`, values },
    testsIdOnly: column === "id",
    exact: true,
    selective: low > high,
  };
}
