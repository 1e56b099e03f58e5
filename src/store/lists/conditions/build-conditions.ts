import type { Expression } from "../../../domain/filter/expression.ts";
import type { Filter, ListQuery } from "../../../domain/lists/listing.ts";
import { equalsAny, joinSql, type Sql, type SqlValue } from "../../sql/sql.ts";
import type { Condition, ConditionSource, RowTest } from "../condition.ts";
import type { Dialect } from "../dialect.ts";
import { addRange, type IdRange, selectInRange } from "../id-range.ts";
import { type FilterColumn, type ListResource, ofField } from "../list-resource.ts";
import { equalList } from "./column-lists.ts";
import { customFilter } from "./custom-filter.ts";
import type { IndexUse } from "./known-entries.ts";
import { membershipFilter } from "./membership-filter.ts";
import { mergeSelects } from "./merge-selects.ts";

/**
 * The conditions of a list, one for each filter and one for the search. Filters that have no condition have a test; `unindexed` are the
 * parts of the filter expression that these come from.
 */
export function buildConditions(
  dialect: Dialect,
  resource: ListResource,
  { filters, search }: Pick<ListQuery, "filters" | "search">,
  use: IndexUse,
): { conditions: Condition[]; tests: RowTest[]; unindexed: Expression[] } {
  const conditions: Condition[] = [];
  const tests: RowTest[] = [];
  const unindexed: Expression[] = [];
  for (const filter of filters) {
    const built = buildFilter(dialect, resource, filter, use);
    if ("condition" in built) {
      conditions.push(built.condition);
      continue;
    }
    tests.push(built.test);
    if (filter.kind === "membership" && filter.source) unindexed.push(filter.source);
  }
  if (search !== undefined) {
    conditions.push(dialect.search(resource.search, search, "q"));
  }
  return { conditions, tests, unindexed };
}

function buildFilter(
  dialect: Dialect,
  resource: ListResource,
  filter: Filter,
  use: IndexUse,
): { condition: Condition } | { test: RowTest } {
  if (filter.kind === "membership") return membershipFilter(dialect, resource, filter);
  if (filter.kind === "custom") {
    return { condition: customFilter(dialect, resource, filter.field, filter.values, use) };
  }
  const { field, values, parameter = field } = filter;
  const column = ofField(resource.columns, field);
  return { condition: columnFilter(dialect, resource.table, column, { values, source: parameter }) };
}

export function columnFilter(
  dialect: Dialect,
  tableName: string,
  filterColumn: FilterColumn,
  { values, source }: { values: readonly SqlValue[]; source: ConditionSource },
): Condition {
  const table = dialect.table(tableName);
  const { column } = filterColumn;
  if (filterColumn.unique) {
    const select = joinSql(`SELECT id FROM ${table} WHERE`, equalsAny(column, values), "AND");
    return indexCondition(
      equalsAny(`u.${column}`, values),
      (range) => selectInRange(range, dialect.unindexedId, select),
      { selective: true, source },
    );
  }
  const { expression, toIndexed } = filterColumn;
  const indexed = toIndexed ? [...new Set(values.map(toIndexed))] : values;
  const lists = indexed.map((value) => equalList(dialect, tableName, { filterColumn, value }));
  return indexCondition(
    equalsAny(expression, values),
    (range) =>
      mergeSelects(
        dialect,
        range,
        lists.map(({ select, idColumn }) => addRange(range, idColumn, select)),
      ),
    { exact: toIndexed === undefined, source },
  );
}

function indexCondition(
  test: Sql,
  selectIds: (range: IdRange) => Sql,
  {
    exact = true,
    selective = false,
    source,
  }: { exact?: boolean; selective?: boolean; source: ConditionSource },
): Condition {
  const order = "known";
  return { test, testsIdOnly: false, selectIds, exact, order, selective, source };
}
