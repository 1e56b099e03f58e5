import { type ListQuery, skipOf } from "../../domain/lists/listing.ts";
import { type ListResource, ofField } from "./list-resource.ts";

/** A page of up to this many rows from one index takes less time than a message to another thread. */
const FAST_PAGE_ROWS = 100;

/** Whether a list takes well under a millisecond, regardless of the number of rows in the table. */
export function isFastList({ columns }: ListResource, query: ListQuery): boolean {
  const { limit, search, filters, expression, sort, format } = query;
  return (
    format === undefined &&
    search === undefined &&
    expression === undefined &&
    typeof sort === "string" &&
    limit + skipOf(query) <= FAST_PAGE_ROWS &&
    filters.every((filter) => filter.kind === "column" && ofField(columns, filter.field).unique) &&
    filters.length <= 1
  );
}
