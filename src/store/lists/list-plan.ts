import { compileExpression } from "../../domain/filter/compile-expression.ts";
import type { Expression } from "../../domain/filter/expression.ts";
import type { ListQuery } from "../../domain/listing.ts";
import { ELEMENT_MARKER, fieldPath } from "../../domain/value-index.ts";
import { buildConditions } from "./build-conditions.ts";
import { columnConditions } from "./column-conditions.ts";
import type { Condition, ListPlan } from "./condition.ts";
import { probedKeys } from "./custom-filter.ts";
import type { Dialect } from "./dialect.ts";
import { ExpressionIndexes } from "./expression-index.ts";
import { unionOfLists } from "./id-list.ts";
import { findIndexUse, type IndexUse, unknownUse } from "./index-use.ts";
import type { ListResource } from "./list-resource.ts";
import type { Sql } from "./sql.ts";
import type { SqlSteps } from "./sql-steps.ts";
import { valueRange } from "./value-range.ts";

/** More indexes hardly narrow a list, and each one has to be asked how many rows it finds. */
const MAX_INDEXES = 4;

/**
 * Turns the filters, the search and the expression of a list into conditions and a test of rows. `isShort` says that a list
 * with one filter reads only the rows of a page.
 */
export function* planList<Sort extends string, Column extends string>(
  dialect: Dialect,
  resource: ListResource<Sort, Column>,
  query: ListQuery<Sort, Column>,
  isShort: boolean,
): SqlSteps<ListPlan> {
  const { expression, filters, search } = query;
  const isSimple = isShort && filters.length === 1 && search === undefined && !expression;
  const usesFields = filters.some(({ kind }) => kind === "custom") || expression;
  const use =
    resource.customValues && usesFields && !isSimple
      ? yield* findIndexUse(dialect, resource.customValues, filters.flatMap(probedKeys))
      : unknownUse;
  const conditions = buildConditions(dialect, resource, query, use);
  if (!expression) return { conditions, matches: undefined };
  const { found, rest } = columnConditions(dialect, resource, splitAnd(expression));
  conditions.push(...found);
  const { open, ...custom } = planCustomFields(dialect, resource, rest, use);
  conditions.push(...custom.conditions);
  const [first, ...others] = open;
  if (!first) return { conditions, matches: undefined };
  const left: Expression = others.length === 0 ? first : { kind: "and", operands: open };
  return { conditions, matches: compileExpression(left) };
}

function splitAnd(expression: Expression): readonly Expression[] {
  return expression.kind === "and" ? expression.operands.flatMap(splitAnd) : [expression];
}

/** `open` are the expressions that the conditions do not cover. */
function planCustomFields<Sort extends string, Column extends string>(
  dialect: Dialect,
  { customValues, columns }: ListResource<Sort, Column>,
  expressions: readonly Expression[],
  { hasOverflow }: IndexUse,
): { conditions: Condition[]; open: Expression[] } {
  if (!customValues || expressions.length === 0) return { conditions: [], open: [...expressions] };
  const table = dialect.table(customValues.table);
  const isColumn = (name: string) => Object.hasOwn(columns, name);
  const indexes = new ExpressionIndexes({ dialect, customValues, hasOverflow, isColumn });
  const planned = expressions.map((expression) => ({ expression, index: indexes.find(expression) }));
  const useful = planned.filter(({ index }) => index !== undefined);
  useful.sort((a, b) => (a.index?.breadth ?? 0) - (b.index?.breadth ?? 0));
  const used = new Set(useful.slice(0, MAX_INDEXES));
  const conditions: Condition[] = [];
  const open: Expression[] = [];
  for (const plan of planned) {
    const { expression, index } = plan;
    const test =
      used.has(plan) && index?.exact
        ? testValue(table, customValues.ownerColumn, dialect, expression)
        : undefined;
    if (!test) open.push(expression);
    if (!index || !used.has(plan)) continue;
    const ids = unionOfLists(dialect, index.lists);
    conditions.push({ ...ids, test, testsIdOnly: true, exact: test !== undefined, selective: false });
  }
  return { conditions, open };
}

/** The test of a row for one value in the index, if the expression demands no more. */
function testValue(table: string, owner: string, dialect: Dialect, expression: Expression): Sql | undefined {
  if (expression.kind !== "compare") return undefined;
  const range = valueRange(expression.operator, expression.value);
  if (range?.high !== undefined || !range) return undefined;
  const field = fieldPath(expression.path.map(({ name }) => name));
  return {
    text: `EXISTS (SELECT 1 FROM ${table} v WHERE v.${owner} = u.id AND v.field IN (?, ?) AND v.value = ? ${dialect.optimizationFence})`,
    values: [field, field + ELEMENT_MARKER, range.low],
  };
}
