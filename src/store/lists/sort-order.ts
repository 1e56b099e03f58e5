import type { Dialect } from "./dialect.ts";
import type { Segment } from "./list-resource.ts";
import type { Sql, SqlValue } from "./sql.ts";

/** A position in a sort order: all rows up to and including it are done. Without `id`, the start of the segment. */
export interface SortPosition {
  readonly segment: number;
  readonly key: SqlValue;
  readonly id: number | undefined;
}

const noTests: Sql = { text: "", values: [] };

/** The SQL after the columns of a SELECT: the rows `u` of a segment after a position, in order. A LIMIT has to follow. */
export function fromSegment(
  { table, indexHint }: Dialect,
  tableName: string,
  segment: Segment,
  descending: boolean,
  start: SortPosition,
): Sql {
  const { text, values } = afterPosition(segment, descending, start);
  const from = `FROM ${table(tableName)} u ${segment.index ? indexHint(segment.index) : ""}`;
  return { text: `${from} ${text}`, values };
}

/** The SQL after FROM and its tables: the rows `u` of a segment that pass the tests, after a position and in order. */
export function afterPosition(
  { key, where }: Segment,
  descending: boolean,
  start: SortPosition,
  tests: Sql = noTests,
): Sql {
  const direction = descending ? "DESC" : "ASC";
  const sign = descending ? "<" : ">";
  const order = key ? `u.${key} ${direction}, u.id ${direction}` : `u.id ${direction}`;
  const after: Sql =
    start.id === undefined
      ? noTests
      : key
        ? { text: `(u.${key}, u.id) ${sign} (?, ?)`, values: [start.key, start.id] }
        : { text: `u.id ${sign} ?`, values: [start.id] };
  const conditions = [where, after.text, tests.text].filter((text) => text !== "");
  return {
    text: `${conditions.length > 0 ? `WHERE ${conditions.join(" AND ")} ` : ""}ORDER BY ${order}`,
    values: [...after.values, ...tests.values],
  };
}
