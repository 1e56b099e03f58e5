import type { Json } from "../../contract/json.ts";
import type { Expression } from "../../domain/filter/expression.ts";
import type { Sql } from "../sql/sql.ts";
import type { IdRange } from "./id-range.ts";

/** A test of the row `u`. */
export interface RowTest {
  readonly test: Sql;
  /** The test reads no column of the row except `id`. */
  readonly testsIdOnly: boolean;
}

/** What a caller wrote: the name of a parameter, or parts of the filter expression that must all hold. */
export type ConditionSource = string | readonly Expression[];

/** One condition of a list, in two forms: a test of the row `u`, and SELECTs of matching ids from an index. */
export interface Condition {
  /** Undefined if no SQL can test it: then `ListPlan.matches` does. */
  readonly test: Sql | undefined;
  /** The test reads no column of the row except `id`. */
  readonly testsIdOnly: boolean;
  /** SELECTs of the column `id`, each from an index and in the order that `order` says. A matching row is in every one of them. */
  readonly idLists: readonly ((range: IdRange) => Sql)[];
  /** One SELECT of the ids that are in all `idLists`. */
  readonly selectIds: (range: IdRange) => Sql;
  /**
   * Like `selectIds`, but examines at most this many entries of the index. Set if `selectIds` may examine many entries that do
   * not match. `idLists` contain these, too.
   */
  readonly selectBounded?: (range: IdRange, maxEntries: number) => Sql;
  /**
   * A SELECT of the number of matches after an id, and of the number of entries that it examined. If this number is larger than
   * `maxEntries`, there may be more matches.
   */
  readonly count?: (after: number, maxEntries: number) => Sql;
  /** Like `selectIds`, in no order. Set if one stretch of an index, in order of id, has all the ids. */
  readonly selectStretch?: (range: IdRange) => Sql;
  /** Every row in `selectIds` matches: no test is needed. */
  readonly exact: boolean;
  /** The order of the ids in `selectIds`. */
  readonly order: IdOrder;
  /** If the condition is exact, rows from `selectIds` need no test by `ListPlan.matches`. */
  readonly coversMatches?: boolean;
  /** At most one row matches each value. */
  readonly selective: boolean;
  /** The index is a search index. */
  readonly isSearch?: boolean;
  /** Even the first ids take long to find if the index has many: some rows are tested before. */
  readonly isProbed?: boolean;
  readonly source: ConditionSource;
}

/**
 * - `known`: the engine knows that the ids are sorted. An ORDER BY around them adds no sorting.
 * - `unknown`: the ids are sorted, but the engine does not know.
 * - `none`: the ids are not sorted. Such a list is useful only if it is short.
 */
export type IdOrder = "known" | "unknown" | "none";

/** What a row has to meet to be in a list. */
export interface ListPlan {
  /** All of them must hold. */
  readonly conditions: readonly Condition[];
  /** Tests of what has no condition. All of them must hold, too. */
  readonly tests: readonly RowTest[];
  /** Tests what SQL leaves open. */
  readonly matches: Matches | undefined;
  /** The plan is valid while the index of custom fields has none of these. */
  readonly absent: readonly IndexEntries[];
  /** The parts of the filter expression that have no index, or whose index is not used. */
  readonly unindexed: readonly Expression[];
}

/** Entries of the index of custom fields with this field, and with this value if there is one. */
export interface IndexEntries {
  readonly field: string;
  readonly value?: string | undefined;
}

/** Tests a row, given its parsed JSON. */
export type Matches = (row: JsonObject) => boolean;

export interface JsonObject {
  readonly [field: string]: Json;
}
