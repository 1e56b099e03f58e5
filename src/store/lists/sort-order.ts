import type { CustomSort } from "../../domain/lists/listing.ts";
import { FIRST_UNSORTABLE_KIND, sortKeyFinder } from "../../domain/lists/sort-key.ts";
import type { Sql, SqlValue } from "../sql/sql.ts";
import type { Dialect } from "./dialect.ts";
import { type ListResource, ofField, type Segment } from "./list-resource.ts";

/** A position in a sort order: all rows up to and including it are done. Without `id`, the start of the segment. */
export interface SortPosition {
  readonly segment: number;
  readonly key: SqlValue;
  readonly id: number | undefined;
}

/** A position in a segment. */
export type StatementStart = Pick<SortPosition, "key" | "id">;

export function findSegments(
  { sortOrders, rowFields }: ListResource,
  sort: string | CustomSort,
): readonly Segment[] {
  if (typeof sort === "string") return ofField(sortOrders, sort);
  const { custom } = sort;
  const findKey = sortKeyFinder(custom, rowFields);
  return [
    {
      customField: custom,
      key: "value",
      keyType: "text",
      index: undefined,
      where: "v.field = ?",
      keysBefore: FIRST_UNSORTABLE_KIND,
    },
    {
      key: undefined,
      keyType: "text",
      index: undefined,
      where: "",
      matches: (row) => findKey(row) === undefined,
    },
  ];
}

/** The columns of a segment in SQL: the id, and the key that precedes it in the order. */
export function segmentColumns(
  { customValues }: Pick<ListResource, "customValues">,
  { key, customField }: Segment,
): { id: string; key: string | undefined } {
  if (customField !== undefined) return { id: `v.${customValues.ownerColumn}`, key: `v.${key}` };
  return { id: "u.id", key: key && `u.${key}` };
}

/**
 * The SQL after the columns of a SELECT: the rows `u` or values `v` of a segment after a position, in order. A LIMIT has to
 * follow. `withRows` adds the row `u` of each value.
 */
export function fromSegment(
  dialect: Dialect,
  resource: ListResource,
  segment: Segment,
  { descending, start, withRows }: { descending: boolean; start: StatementStart; withRows?: boolean },
): Sql {
  const { customField, index, key, hasTies } = segment;
  const { customValues } = resource;
  const columns = segmentColumns(resource, segment);
  const { text, values } = afterPosition(columns, segment, descending, start);
  if (customField === undefined) {
    const rows = `${dialect.table(resource.table)} u ${index ? dialect.indexHint(index) : ""}`;
    if (hasTies && dialect.scansTies && start.id !== undefined) {
      const sign = descending ? "<" : ">";
      const tied = `SELECT * FROM ${rows} WHERE u.${key} = ? AND u.id ${sign} ?`;
      const others = `SELECT * FROM ${rows} WHERE u.${key} ${sign} ?`;
      const { text: order } = afterPosition(columns, segment, descending, { key: null, id: undefined });
      return {
        text: `FROM (${tied} UNION ALL ${others}) u ${order}`,
        values: [start.key, start.id, start.key],
      };
    }
    return { text: `FROM ${rows} ${text}`, values };
  }
  const found = `${dialect.table(customValues.table)} v`;
  const from = withRows ? dialect.joinRows(resource.table, found, columns.id) : found;
  return { text: `FROM ${from} ${text}`, values: [customField, ...values] };
}

const noTests: Sql = { text: "", values: [] };

/** The SQL after FROM and its tables: the rows of a segment that pass the tests, after a position and in order. */
export function afterPosition(
  { id, key }: ReturnType<typeof segmentColumns>,
  { where, keysBefore }: Segment,
  descending: boolean,
  start: StatementStart,
  tests: Sql = noTests,
): Sql {
  const direction = descending ? "DESC" : "ASC";
  const sign = descending ? "<" : ">";
  const order = key ? `${key} ${direction}, ${id} ${direction}` : `${id} ${direction}`;
  const after: Sql =
    start.id === undefined
      ? noTests
      : key
        ? { text: `(${key}, ${id}) ${sign} (?, ?)`, values: [start.key, start.id] }
        : { text: `${id} ${sign} ?`, values: [start.id] };
  // Two bounds at the same end: an engine may read from the wrong one. An expression is a test, and no bound of an index.
  const tested = descending && start.id !== undefined ? `${key} || ''` : key;
  const before = keysBefore === undefined ? "" : `${tested} < '${keysBefore}'`;
  const conditions = [where, before, after.text, tests.text].filter((text) => text !== "");
  return {
    text: `${conditions.length > 0 ? `WHERE ${conditions.join(" AND ")} ` : ""}ORDER BY ${order}`,
    values: [...after.values, ...tests.values],
  };
}
