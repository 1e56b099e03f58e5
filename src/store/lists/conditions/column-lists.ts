import type { Comparison } from "../../../domain/filter/expression.ts";
import { parseInstant } from "../../../domain/filter/parse-instant.ts";
import { joinSql, type Sql, type SqlValue, sql } from "../../sql/sql.ts";
import type { Dialect } from "../dialect.ts";
import { type FilterColumn, type ListResource, ofField } from "../list-resource.ts";
import { columnAt, columnRange } from "./column-test.ts";
import type { IdList } from "./id-list.ts";
import type { IntegerRange } from "./integer-range.ts";
import { isIndexable } from "./value-range.ts";

/** The ids of the rows that a comparison of a column finds. */
export interface ColumnList {
  readonly list: IdList;
  /** Every id in the list matches. */
  readonly exact: boolean;
  /** At most one row has the value. */
  readonly isUnique: boolean;
}

/** Undefined if no index of a column finds all matches. */
export function columnList(
  dialect: Dialect,
  resource: ListResource,
  comparison: Comparison,
): ColumnList | undefined {
  const column = columnAt(resource, comparison.path);
  if (!column || comparison.prefix !== undefined) return undefined;
  const { operator, value } = comparison;
  const filterColumn = ofField(resource.columns, column.name);
  if (typeof column.type === "string") {
    const range = columnRange(column.type, operator, value);
    const isUnique = filterColumn.unique && range?.low === range?.high;
    return (
      range && { list: rangeList(dialect, resource.table, { filterColumn, range }), exact: true, isUnique }
    );
  }
  const text = comparedText(comparison);
  if (operator !== "eq" || text === undefined) return undefined;
  const toIndexed = filterColumn.unique ? undefined : filterColumn.toIndexed;
  const folded = column.type.fold(text);
  const indexed = toIndexed ? toIndexed(folded) : folded;
  return {
    list: equalList(dialect, resource.table, { filterColumn, value: indexed }),
    exact: !comparison.exact && toIndexed === undefined,
    isUnique: filterColumn.unique,
  };
}

/** The text that a comparison with a column of text looks for. Undefined if it looks for a date or for something else. */
export function comparedText({ value, exact }: Comparison): string | undefined {
  if (typeof value !== "string" || !isIndexable(value)) return undefined;
  return exact || parseInstant(value) === undefined ? value : undefined;
}

/** The ids of the rows with a value in a column. */
export function equalList(
  dialect: Dialect,
  table: string,
  { filterColumn, value }: { readonly filterColumn: FilterColumn; readonly value: SqlValue },
): IdList {
  const idColumn = filterColumn.unique ? dialect.unindexedId : "id";
  return {
    select: joinSql(selectIds(dialect, table, { filterColumn, idColumn }), sql("= ? AND", value)),
    idColumn,
    sorted: true,
  };
}

/** The ids of the rows with a value in a range. */
export function rangeList(
  dialect: Dialect,
  table: string,
  { filterColumn, range }: { readonly filterColumn: FilterColumn; readonly range: IntegerRange },
): IdList {
  const idColumn = "id";
  return {
    select: joinSql(selectIds(dialect, table, { filterColumn, idColumn }), isInRange(range), "AND"),
    idColumn,
    sorted: filterColumn.column === "id" || range.low === range.high,
  };
}

/** The SQL up to the column. */
function selectIds(
  dialect: Dialect,
  table: string,
  { filterColumn, idColumn }: { readonly filterColumn: FilterColumn; readonly idColumn: string },
): string {
  const hint = filterColumn.unique ? "" : dialect.indexHint(filterColumn.index);
  return `SELECT ${idColumn} AS id FROM ${dialect.table(table)} ${hint} WHERE ${filterColumn.column}`;
}

/** The SQL after a column. The index has the ids of one value in order, and the engine has to know that it is one. */
export function isInRange({ low, high }: IntegerRange): Sql {
  return low === high ? sql("= ?", low) : sql("BETWEEN ? AND ?", low, high);
}
