import { type FoundPage, fitPage, type ListQuery } from "../../../domain/lists/listing.ts";
import type { Sql } from "../../sql/sql.ts";
import type { SqlSteps } from "../../sql/sql-steps.ts";
import type { Dialect } from "../dialect.ts";
import { type ListResource, ofField } from "../list-resource.ts";
import { toFoundRows } from "./found-rows.ts";

const NO_ORDER = { keyType: "number" } as const;

/** The statement that finds the only row of a list, if one unique value selects it: one row has any order. */
export function uniqueLookup(
  { json, table }: Dialect,
  { table: name, columns }: ListResource,
  { filters, search, expression, from, offset }: ListQuery,
): Sql | undefined {
  const [filter] = filters;
  if (filters.length !== 1 || filter?.kind !== "column" || filter.values.length !== 1) return undefined;
  if (search !== undefined || expression !== undefined || from !== undefined || offset > 0) return undefined;
  const { unique, column } = ofField(columns, filter.field);
  if (!unique) return undefined;
  return {
    text: `SELECT u.id, NULL, ${json} FROM ${table(name)} u WHERE u.${column} = ?`,
    values: filter.values,
  };
}

/** Finds the page of a list with at most one row. */
export function* findUnique(lookup: Sql, query: Pick<ListQuery, "limit" | "maxBytes">): SqlSteps<FoundPage> {
  const found = yield* toFoundRows(NO_ORDER, yield lookup);
  return { items: fitPage(found, query).items, next: undefined };
}
