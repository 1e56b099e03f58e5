import type { IdRange } from "./id-range.ts";
import type { Sql } from "./sql.ts";

/** One condition of a list, in two forms: a test of the row `u`, and SELECTs of matching ids from an index. */
export interface Condition {
  readonly test: Sql;
  /** The test reads no column of the row except `id`. */
  readonly testsIdOnly: boolean;
  /** SELECTs of the column `id`, each sorted and from an index. A matching row is in every one of them. */
  readonly idLists: readonly ((range: IdRange) => Sql)[];
  /** One SELECT of the ids that are in all `idLists`. */
  readonly selectIds: (range: IdRange) => Sql;
  /** Every row in `selectIds` matches: no test is needed. */
  readonly exact: boolean;
  /** The engine knows that `selectIds` is sorted: an ORDER BY around it adds no sorting. */
  readonly sorted: boolean;
  /** At most one row matches each value. */
  readonly selective: boolean;
}
