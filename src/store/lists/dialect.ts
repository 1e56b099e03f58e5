import type { Sql } from "../sql/sql.ts";
import type { Condition, ConditionSource } from "./condition.ts";
import type { SearchIndex } from "./list-resource.ts";

/** How an engine's SQL differs, as far as lists depend on it. In all SQL, `u` is the listed row. */
export interface Dialect {
  /** The table's name, with its schema if the engine has one. */
  table(name: string): string;
  /** The stored JSON of `u`, as bytes or text. */
  readonly json: string;
  /** Follows a table's name to force an index; empty if the engine has no index hints. */
  indexHint(index: string): string;
  /** To find a position among rows with the same key, the engine reads all rows with this key. */
  readonly scansTies: boolean;
  /** The id as an expression that matches no index, for rows that another index finds and that are few to sort. */
  readonly unindexedId: string;
  /** The function that returns the position of a text in another one; 0 if the other one does not contain it. */
  readonly position: "instr" | "strpos";
  /** A LIMIT or OFFSET without effect at the end of a subquery. Keeps the planner from flattening the subquery. */
  readonly optimizationFence: string;
  /** One SELECT of a UNION ALL that is merged in this order. */
  unionMember(select: string, order: string): string;
  /** The ids of SELECTs that the engine can read in order of id, merged in this order, each id once. */
  mergeIds(selects: readonly Sql[], descending: boolean): Sql;
  /** The SQL after FROM: joins what `from` reads with the row `u` of each id, in the order of `from`. */
  joinRows(table: string, from: string, id: string): string;
  /** The SQL after FROM: the rows `u` that a SELECT of sorted ids with a LIMIT names, in the same order. They are on one page. */
  pageRows(table: string, ids: string, descending: boolean): string;
  /** To read rows in the order of an index is faster than to read ids in this order, and then fetch each row. */
  readonly walksRows: boolean;
  /** A SELECT of the ids in the JSON array `?`. */
  readonly idsFromJson: string;
  /**
   * An ORDER BY columns of `d`, or of another table, that repeats the order of the SELECT, for an engine that does not guarantee the
   * order of a subquery.
   */
  repeatOrder(columns: readonly string[], descending: boolean, table?: string): string;
  /** The condition that a row contains all these folded words. */
  search(index: SearchIndex, words: readonly string[], source: ConditionSource): Condition;
  /** The most entries of the index of custom fields to look up for each row: more take longer than to parse the row. */
  readonly maxLookups: number;
  /** The most rows that one list examines before it returns a short page. */
  readonly maxCandidates: number;
  readonly costs: PlanCosts;
}

/** CPU time in microseconds, to compare plans with. */
export interface PlanCosts {
  /** To read and test the next row, in order of id. */
  readonly walkById: number;
  /** To read and test the next row in another order. */
  readonly walkByKey: number;
  /** To read the next entry of an index, and its row. */
  readonly entry: number;
  /** To fetch and sort the row of an entry. */
  readonly sort: number;
  /** To start reading one list of a search index. */
  readonly searchList: number;
  /** To read the next entry of a search index, and its row. */
  readonly searchEntry: number;
  /** To find an entry in a block of a search index: all entries of a block are found at once. */
  readonly searchBlockEntry: number;
  /** The ids in such a block. */
  readonly searchBlock: number;
  /** To read an entry of one of several lists of a search index that are intersected. */
  readonly searchMerge: number;
  /** To read an entry of one of several other lists that are intersected. */
  readonly merge: number;
  /** To put an entry of an index into a set of ids. Infinite if the engine has no such sets. */
  readonly collect: number;
  /** To read the next key and id in the order of a list, and look for the id in such a set. */
  readonly walkKeys: number;
  /** To look up an entry of the index of custom fields. */
  readonly lookup: number;
  /** To parse a row and test it outside of the database. */
  readonly parse: number;
}

export const DEFAULT_MAX_CANDIDATES = 10_000;
