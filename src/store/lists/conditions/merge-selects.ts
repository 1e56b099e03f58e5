import type { Sql } from "../../sql/sql.ts";
import type { Dialect } from "../dialect.ts";
import type { IdRange } from "../id-range.ts";

/**
 * Merges SELECTs with a column `id` that are sorted by an index. Engines read them in parallel and stop when the page is full.
 * An id that is in several of them is returned several times.
 */
export function mergeSelects(
  { unionMember }: Dialect,
  { descending }: Pick<IdRange, "descending">,
  selects: readonly Sql[],
): Sql {
  const order = `ORDER BY id ${descending ? "DESC" : "ASC"}`;
  const only = selects.length === 1 ? selects[0] : undefined;
  if (only) return { text: `${only.text} ${order}`, values: only.values };
  return {
    text: `${selects.map(({ text }) => unionMember(text, order)).join(" UNION ALL ")} ${order}`,
    values: selects.flatMap(({ values }) => values),
  };
}
