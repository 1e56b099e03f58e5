import type { Comparison, Expression } from "../../../domain/filter/expression.ts";
import { exactKey, fieldPath } from "../../../domain/lists/value-index.ts";
import { equalsAny, joinSql } from "../../sql/sql.ts";
import type { RowTest } from "../condition.ts";
import type { Dialect } from "../dialect.ts";
import type { ListResource } from "../list-resource.ts";
import { columnTest, type PathExpression } from "./column-test.ts";
import type { IndexUse } from "./known-entries.ts";
import { isAlwaysIndexed, isIndexable, valueRange } from "./value-range.ts";

interface TestOptions {
  readonly dialect: Dialect;
  readonly resource: ListResource;
  readonly use: IndexUse;
}

export interface ExpressionTest extends RowTest {
  /** The entries of the index of custom fields that the test looks up. */
  readonly lookups: number;
}

/**
 * The test of a row that is true exactly where the expression is, and never NULL. Undefined if SQL has none that reads few
 * entries: an entry of the index of custom fields is found by its field, value and row, so that only `eq` of one value is a
 * lookup. To find a row in a range of values is to read the range.
 */
export function expressionTest(options: TestOptions, expression: Expression): ExpressionTest | undefined {
  switch (expression.kind) {
    case "and":
    case "or": {
      const operands = expression.operands.map((operand) => expressionTest(options, operand));
      const tests = operands.filter((operand) => operand !== undefined);
      return tests.length === operands.length ? combine(expression.kind, tests) : undefined;
    }
    case "not":
      return negate(expressionTest(options, expression.operand));
    case "element":
    case "fits":
    case "same":
      return undefined;
    case "present":
      return testColumn(options, expression);
    case "compare":
      return expression.operator === "ne"
        ? negate(compare(options, { ...expression, operator: "eq" }))
        : compare(options, expression);
  }
}

function combine(kind: "and" | "or", tests: readonly ExpressionTest[]): ExpressionTest {
  const parts = tests.flatMap(({ test }, index) => (index === 0 ? [test] : [kind.toUpperCase(), test]));
  return {
    test: joinSql("(", ...parts, ")"),
    testsIdOnly: tests.every(({ testsIdOnly }) => testsIdOnly),
    lookups: tests.reduce((sum, { lookups }) => sum + lookups, 0),
  };
}

function negate(tested: ExpressionTest | undefined): ExpressionTest | undefined {
  return tested && { ...tested, test: joinSql("NOT", tested.test) };
}

function testColumn(
  { dialect, resource }: TestOptions,
  expression: PathExpression,
): ExpressionTest | undefined {
  const test = columnTest(dialect, resource, expression);
  return test && { ...test, lookups: 0 };
}

function compare(options: TestOptions, comparison: Comparison): ExpressionTest | undefined {
  const { dialect, resource, use } = options;
  const { path, direct, exact, value } = comparison;
  const [first] = path;
  if (!first || Object.hasOwn(resource.fields, first.name)) return testColumn(options, comparison);
  const names = path.map(({ name }) => name);
  const field = fieldPath(names);
  const range = valueRange(field, comparison);
  const spelling = exact && typeof value === "string" ? exactKey(value, { path: field }) : undefined;
  const isWhole = isAlwaysIndexed(comparison) || !use.hasOverflow;
  if (!isWhole || path.some(({ where }) => where) || !names.every(isIndexable)) return undefined;
  if (!range || range.high !== undefined || !isIndexable(range.low)) return undefined;
  if (spelling === undefined ? !range.exact : !isIndexable(spelling)) return undefined;
  const { table, ownerColumn } = resource.customValues;
  const test = joinSql(
    `EXISTS (SELECT 1 FROM ${dialect.table(table)} v WHERE v.${ownerColumn} = u.id AND`,
    equalsAny("v.field", direct ? [field] : use.namesOf(field)),
    "AND",
    equalsAny("v.value", [range.low]),
    ...(spelling === undefined ? [] : ["AND", equalsAny("v.exact", [spelling])]),
    `${dialect.optimizationFence})`,
  );
  return { test, testsIdOnly: true, lookups: 1 };
}
