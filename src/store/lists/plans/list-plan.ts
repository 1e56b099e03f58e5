import { compileExpression } from "../../../domain/filter/compile-expression.ts";
import type { Expression } from "../../../domain/filter/expression.ts";
import type { ListQuery } from "../../../domain/lists/listing.ts";
import { fieldPath } from "../../../domain/lists/value-index.ts";
import { equalsAny, joinSql, type Sql } from "../../sql/sql.ts";
import type { SqlSteps } from "../../sql/sql-steps.ts";
import type { Condition, ListPlan, Matches } from "../condition.ts";
import { type ArrayUse, anyArrays, findArrayUse, indexedNames } from "../conditions/array-use.ts";
import { buildConditions } from "../conditions/build-conditions.ts";
import { columnConditions } from "../conditions/column-conditions.ts";
import { matchesTexts, probedKeys } from "../conditions/custom-filter.ts";
import { ExpressionIndexes, pathsOf } from "../conditions/expression-index.ts";
import { unionOfLists } from "../conditions/id-list.ts";
import { findIndexUse, type IndexUse } from "../conditions/index-use.ts";
import { valueRange } from "../conditions/value-range.ts";
import type { Dialect } from "../dialect.ts";
import type { CustomValues, ListResource } from "../list-resource.ts";

/** More indexes hardly narrow a list, and each one has to be asked how many rows it finds. */
const MAX_INDEXES = 4;
const NO_FILTERS: IndexUse = { mayHave: () => false, hasOverflow: false, absent: [] };

/** Turns the filters, the search and the expression of a list into conditions and a test of rows. */
export function* planList(dialect: Dialect, resource: ListResource, query: ListQuery): SqlSteps<ListPlan> {
  const { filters, expression } = query;
  const { customValues } = resource;
  const { found, rest } = columnConditions(dialect, resource, expression ? splitAnd(expression) : []);
  const customFilters = filters.filter(({ kind }) => kind === "custom");
  const use =
    customFilters.length > 0
      ? yield* findIndexUse(dialect, customValues, customFilters.flatMap(probedKeys))
      : NO_FILTERS;
  const arrays =
    rest.length > 0
      ? yield* findArrayUse(
          dialect,
          customValues,
          rest.flatMap((part) => pathsOf(part)),
        )
      : anyArrays;
  const conditions = [...buildConditions(dialect, resource, query, use), ...found];
  const custom =
    rest.length > 0 ? planCustomFields(dialect, resource, arrays, rest) : { conditions: [], open: rest };
  conditions.push(...custom.conditions);
  const tests: Matches[] = [];
  const [first, ...others] = custom.open;
  if (first)
    tests.push(compileExpression(others.length === 0 ? first : { kind: "and", operands: custom.open }));
  if (use.hasOverflow) {
    for (const { kind, field, values } of filters)
      if (kind === "custom") tests.push(matchesTexts(field, values));
  }
  const [only] = tests;
  return {
    conditions,
    matches: tests.length > 1 ? (row) => tests.every((test) => test(row)) : only,
    absent: [...use.absent, ...arrays.absent],
  };
}

function splitAnd(expression: Expression): readonly Expression[] {
  return expression.kind === "and" ? expression.operands.flatMap(splitAnd) : [expression];
}

/** `open` are the expressions that the conditions do not test. */
function planCustomFields(
  dialect: Dialect,
  { columns, customValues }: ListResource,
  arrays: ArrayUse,
  expressions: readonly Expression[],
): { conditions: Condition[]; open: Expression[] } {
  const isColumn = (name: string) => Object.hasOwn(columns, name);
  const indexes = new ExpressionIndexes({ dialect, customValues, arrays, isColumn });
  const planned = expressions.map((expression) => {
    const index = indexes.find(expression);
    const test = index?.exact ? testValue(dialect, customValues, arrays, expression) : undefined;
    return { expression, index, test };
  });
  const byBreadth = planned.filter(({ index }) => index !== undefined);
  byBreadth.sort((a, b) => (a.index?.breadth ?? 0) - (b.index?.breadth ?? 0));
  const used = new Set(byBreadth.slice(0, MAX_INDEXES));
  const open = planned.filter((part) => !part.test || !used.has(part));
  const conditions: Condition[] = [];
  for (const part of used) {
    const { index, test } = part;
    if (!index) continue;
    conditions.push({
      ...unionOfLists(dialect, index.lists),
      test,
      testsIdOnly: true,
      exact: index.exact,
      coversMatches: open.length === 1 && open[0] === part && !arrays.hasOverflow,
      selective: false,
    });
  }
  return { conditions, open: open.map(({ expression }) => expression) };
}

/** The test of a row for one value in the index, if the expression demands no more. */
function testValue(
  dialect: Dialect,
  { table, ownerColumn }: CustomValues,
  arrays: ArrayUse,
  expression: Expression,
): Sql | undefined {
  const range = expression.kind === "compare" ? valueRange(expression.operator, expression.value) : undefined;
  if (expression.kind !== "compare" || !range || range.high !== undefined) return undefined;
  const fields = indexedNames(arrays, fieldPath(expression.path.map(({ name }) => name)));
  return joinSql(
    `EXISTS (SELECT 1 FROM ${dialect.table(table)} v WHERE v.${ownerColumn} = u.id AND`,
    equalsAny("v.field", fields),
    "AND",
    equalsAny("v.value", [range.low]),
    `${dialect.optimizationFence})`,
  );
}
