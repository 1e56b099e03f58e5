import type { Condition } from "./conditions.ts";

/** What lists have to know of an engine to ask it. */
export interface Dialect {
  readonly users: string;
  readonly values: string;
  /** The stored JSON of the user `u`, as a list wants it. */
  readonly json: string;
  /** Follows the name of a table to have one of its indexes used, where an engine takes such advice. */
  indexHint(index: string): string;
  /** The id as something that no index has, for users that are few enough to be fetched first and sorted then. */
  readonly unindexedId: string;
  /** In place of a LIMIT at the end of a subquery: keeps the engine from merging it into what is around it. */
  readonly optimizationFence: string;
  /** One of several SELECTs of ids to be merged in this order. */
  unionMember(select: string, order: string): string;
  /** What follows FROM: the ids `d` that a limited SELECT gives, each with its user `u`, in the order of the SELECT. */
  joinUsers(ids: string): string;
  /** Says that order once more, by columns of `d`, to an engine that would not promise it otherwise. */
  repeatOrder(columns: readonly string[], descending: boolean): string;
  /** The condition that the user's name or email holds this folded text. */
  search(text: string): Condition;
  /**
   * Where a condition's index is not sorted: how many users are tested for each that is wanted, in the order of the
   * list, before the index is asked. Of what is common they make a page.
   */
  readonly scannedPerResult: number;
  /** How many users one list may look through before it answers with what it has found. */
  readonly maxCandidates: number;
}

export const DEFAULT_MAX_CANDIDATES = 10_000;
