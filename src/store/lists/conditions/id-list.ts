import type { Sql } from "../../sql/sql.ts";
import type { Condition, IdOrder } from "../condition.ts";
import type { Dialect } from "../dialect.ts";
import { addRange, type IdRange } from "../id-range.ts";

/** Ids in one stretch of an index. */
export interface IdList {
  /** A SELECT of the column `id` that ends in WHERE or AND. */
  readonly select: Sql;
  /** The column of the id in the SELECT. */
  readonly idColumn: string;
  /** The index has the ids in order. */
  readonly sorted: boolean;
}

/** SELECTs of the ids that are in any of these lists, each id once. One list alone has no id twice. */
export function unionOfLists(
  dialect: Dialect,
  lists: readonly IdList[],
): Pick<Condition, "selectIds" | "selectEntries" | "order" | "selectStretch"> {
  const order: IdOrder = lists.every(({ sorted }) => sorted) ? "known" : "none";
  const only = lists.length === 1 ? lists[0] : undefined;
  const selects = (range: IdRange) => lists.map(({ select, idColumn }) => addRange(range, idColumn, select));
  return order === "known"
    ? {
        order,
        ...(only && { selectStretch: (range: IdRange) => addRange(range, only.idColumn, only.select) }),
        selectIds: (range) => dialect.mergeIds(selects(range), range.descending),
      }
    : {
        order,
        // Only counts entries. An id that occurs several times counts several times: this bounds the work.
        selectEntries: (range) => unionAll(selects(range)),
        selectIds(range) {
          const { text, values } = unionAll(selects(range));
          if (lists.length === 1) return { text, values };
          return { text: `SELECT DISTINCT id FROM (${text}) i`, values };
        },
      };
}

function unionAll(selects: readonly Sql[]): Sql {
  return {
    text: selects.map(({ text }) => text).join(" UNION ALL "),
    values: selects.flatMap(({ values }) => values),
  };
}
