import type { Sql } from "../sql/sql.ts";

/** The ids after `after`, up to and including `last`, in the direction of the list. */
export interface IdRange {
  readonly descending: boolean;
  readonly after: number | undefined;
  readonly last: number | undefined;
}

/** Adds the range to a SELECT that ends in WHERE or AND, and sorts its rows. */
export function selectInRange(range: IdRange, column: string, select: Sql): Sql {
  const { text, values } = addRange(range, column, select);
  return { text: `${text} ORDER BY ${column} ${range.descending ? "DESC" : "ASC"}`, values };
}

/** Adds the range to a SELECT that ends in WHERE or AND. */
export function addRange({ descending, after, last }: IdRange, column: string, select: Sql): Sql {
  const low = descending ? last : after;
  const high = descending ? after : last;
  // Both bounds are always present: one text means one prepared statement.
  return {
    text: `${select.text} ${column} ${descending ? ">=" : ">"} ? AND ${column} ${descending ? "<" : "<="} ?`,
    values: [...select.values, low ?? 0, high ?? Number.MAX_SAFE_INTEGER],
  };
}
