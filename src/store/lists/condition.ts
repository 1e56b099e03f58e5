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
  /** A SELECT of the column `id` from an index, in the order that `order` says. Every matching row is in it. */
  readonly selectIds: (range: IdRange) => Sql;
  /** Like `selectIds`, with the entries that `selectIds` examines and leaves out. The same by default. */
  readonly selectEntries?: (range: IdRange) => Sql;
  /**
   * Like `selectIds`, but examines at most this many entries of the index. Set if `selectIds` may examine many entries that do
   * not match.
   */
  readonly selectBounded?: (range: IdRange, maxEntries: number) => Sql;
  /**
   * A SELECT of the number of matches, and of the number of entries that it examined. If this number is larger than `maxEntries`,
   * there may be more matches.
   */
  readonly count?: (maxEntries: number) => Sql;
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
  /** SELECTs of the lists that `selectIds` intersects, if there are several. */
  readonly lists?: readonly ((range: IdRange) => Sql)[];
  /** The same condition with some of its `lists`, the rarest first: fewer take less time to intersect. */
  readonly withLists?: (kept: readonly number[]) => Condition;
  /** The conditions of a list whose ids this one has in common. They have a source each. */
  readonly parts?: readonly Condition[];
  /** Even the first ids take long to find if the index has many: some rows are tested before. */
  readonly isProbed?: boolean;
  readonly source: ConditionSource;
}

/** All entries that the index of a condition examines, so that a LIMIT bounds the work. */
export function selectEntries(condition: Condition, range: IdRange): Sql {
  return (condition.selectEntries ?? condition.selectIds)(range);
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
