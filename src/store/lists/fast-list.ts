import { type ListQuery, skipOf } from "../../domain/lists/listing.ts";
import { type ListResource, ofField } from "./list-resource.ts";

/** A page of up to this many rows from one index takes less time than a message to another thread. */
const FAST_PAGE_ROWS = 100;

/** The id of the group or user, if a list has all its members or groups in order of id, from a position: one index has that order. */
export function plainMembership({
  filters,
  search,
  expression,
  sort,
  ...position
}: Pick<ListQuery, "filters" | "search" | "expression" | "sort" | "from" | "offset">): number | undefined {
  const [filter] = filters;
  if (filters.length !== 1 || filter?.kind !== "membership" || filter.by !== "id") return undefined;
  if (filter.negated || filter.values.length !== 1 || sort !== "id") return undefined;
  return search === undefined && expression === undefined && skipOf(position) === 0
    ? filter.values[0]
    : undefined;
}

/** Whether a list takes well under a millisecond, regardless of the number of rows in the table. */
export function isFastList({ columns }: ListResource, query: ListQuery): boolean {
  const { limit, search, filters, expression, sort, format } = query;
  return (
    format === undefined &&
    search === undefined &&
    expression === undefined &&
    typeof sort === "string" &&
    limit + skipOf(query) <= FAST_PAGE_ROWS &&
    filters.length <= 1 &&
    (plainMembership(query) !== undefined ||
      filters.every((filter) => filter.kind === "column" && ofField(columns, filter.field).unique))
  );
}
