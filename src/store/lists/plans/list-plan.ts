import { compileExpression } from "../../../domain/filter/compile-expression.ts";
import type { Expression } from "../../../domain/filter/expression.ts";
import type { ListQuery } from "../../../domain/lists/listing.ts";
import type { Condition, ListPlan, Matches, RowTest } from "../condition.ts";
import { buildConditions } from "../conditions/build-conditions.ts";
import { columnConditions } from "../conditions/column-conditions.ts";
import { matchesTexts } from "../conditions/custom-filter.ts";
import { ExpressionIndexes } from "../conditions/expression-index.ts";
import { expressionTest } from "../conditions/expression-test.ts";
import { unionOfLists } from "../conditions/id-list.ts";
import { IndexUse, type KnownEntries } from "../conditions/known-entries.ts";
import type { Dialect } from "../dialect.ts";
import type { ListResource } from "../list-resource.ts";

/** More indexes hardly narrow a list, and each one has to be asked how many rows it finds. */
const MAX_INDEXES = 4;

/** Turns the filters, the search and the expression of a list into conditions and a test of rows. */
export function planList(
  dialect: Dialect,
  resource: ListResource,
  query: Pick<ListQuery, "filters" | "search" | "expression">,
  known: KnownEntries,
): ListPlan {
  const { filters, expression } = query;
  const use = new IndexUse(known);
  const { found, rest } = columnConditions(dialect, resource, expression ? splitAnd(expression) : []);
  const ofQuery = buildConditions(dialect, resource, query, use);
  const conditions = [...ofQuery.conditions, ...found];
  const { open, tests, conditions: others, unindexed } = planExpressions(dialect, resource, use, rest);
  const matches: Matches[] = [];
  const [first] = open;
  if (first) matches.push(compileExpression(open.length === 1 ? first : { kind: "and", operands: open }));
  for (const filter of filters)
    if (filter.kind === "custom" && use.hasOverflow) matches.push(matchesTexts(filter.field, filter.values));
  const [only] = matches;
  return {
    conditions: [...conditions, ...others],
    tests: [...ofQuery.tests, ...tests],
    matches: matches.length > 1 ? (row) => matches.every((test) => test(row)) : only,
    absent: use.absent,
    unindexed: [...ofQuery.unindexed, ...unindexed],
  };
}

function splitAnd(expression: Expression): readonly Expression[] {
  return expression.kind === "and" ? expression.operands.flatMap(splitAnd) : [expression];
}

/** `open` are the expressions that SQL does not test. */
function planExpressions(
  dialect: Dialect,
  resource: ListResource,
  use: IndexUse,
  expressions: readonly Expression[],
): { conditions: Condition[]; tests: RowTest[]; open: Expression[]; unindexed: Expression[] } {
  const indexes = new ExpressionIndexes({ dialect, resource, use });
  const { maxLookups } = dialect;
  const planned = expressions.map((expression) => {
    const index = indexes.find(expression);
    const test = expressionTest({ dialect, resource, use }, expression);
    const isQuick = test && test.lookups <= (index ? Math.max(1, maxLookups) : maxLookups);
    return { expression, index, test: isQuick ? test : undefined };
  });
  const byBreadth = planned.filter(({ index }) => index !== undefined);
  byBreadth.sort((a, b) => (a.index?.breadth ?? 0) - (b.index?.breadth ?? 0));
  const used = new Set(byBreadth.slice(0, MAX_INDEXES));
  const isParsed = planned.some(({ test }) => !test);
  // A row that is parsed anyway needs no lookups.
  const isOpen = (part: (typeof planned)[number]) =>
    !part.test || (isParsed && part.test.lookups > 0 && !used.has(part));
  const open = planned.filter(isOpen);
  const conditions: Condition[] = [];
  for (const part of used) {
    const { expression, index, test } = part;
    if (!index) continue;
    conditions.push({
      ...unionOfLists(dialect, index.lists),
      test: test?.test,
      testsIdOnly: test?.testsIdOnly ?? true,
      exact: index.exact,
      coversMatches: open.length === 1 && open[0] === part && !use.hasOverflow,
      selective: false,
      source: [expression],
    });
  }
  const tests = planned.flatMap((part) => (part.test && !used.has(part) && !isOpen(part) ? [part.test] : []));
  const unindexed = planned.flatMap((part) => (used.has(part) ? [] : [part.expression]));
  return { conditions, tests, open: open.map(({ expression }) => expression), unindexed };
}
