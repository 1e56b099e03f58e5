import type { Condition, RowTest } from "../condition.ts";
import type { PlanCosts } from "../dialect.ts";

/** One way to find the rows of a list. */
export type Plan =
  /** Reads rows in the order of the list, and tests each: all of them, or those that the index of a condition names. */
  | { readonly kind: "walk"; readonly within?: Condition }
  /** Reads the index of a condition, which has the order of the list, and tests the rows that it names. */
  | { readonly kind: "index"; readonly condition: Condition }
  /** Fetches all rows that the index of a condition names, tests and sorts them. */
  | { readonly kind: "sort"; readonly condition: Condition };

/** A plan, what it probably reads, and what that costs. */
export interface PlannedWork {
  readonly plan: Plan;
  /** Rows or entries of an index. */
  readonly reads: number;
  /** CPU time in microseconds. */
  readonly cost: number;
}

/** To collect the ids of an index may take so many microseconds: one statement does it all. */
const MAX_COLLECTING = 150_000;

/** What is known about the index of a condition. */
export interface EntryEstimate {
  /** Entries for each row of the table. */
  readonly perRow: number;
  /** The entries of all lists that are intersected, for each row of the table. 0 if it is one list. */
  readonly mergedPerRow?: number;
  /** It has at least so many entries; exactly so many if `isExact`. */
  readonly count: number;
  readonly isExact: boolean;
}

/** What is known about a list. */
export interface Estimates {
  /** Rows of the table. */
  readonly rows: number;
  readonly entries: ReadonlyMap<Condition, EntryEstimate>;
  /** Matches of the list for each row of the table. */
  readonly matchesPerRow: number;
}

/** What a plan depends on besides the estimates. */
export interface Wanted {
  /** The number of rows to find. */
  readonly count: number;
  readonly sortsById: boolean;
  /** The order of the list is that of ids, or nearly so: a walk reads neighbours. */
  readonly walksById: boolean;
  /** The rows have keys besides their ids, which a walk within an index reads. */
  readonly hasKeys: boolean;
  /** The tests that look up an entry of another index for each row. */
  readonly lookups: number;
  /** A walk reads whole rows and makes cheaper tests first: only rows that pass these need lookups. */
  readonly looksUpLast: boolean;
  /** Rows are parsed and tested outside of the database. */
  readonly isParsed: boolean;
}

/**
 * The ways to find rows, the cheapest first. With m matches among n rows, a walk that finds k rows reads k * n / m. An index in
 * order of id reads its part of them. A sort reads all entries of an index, however few rows are wanted.
 */
export function comparePlans(estimates: Estimates, wanted: Wanted, costs: PlanCosts): PlannedWork[] {
  const { rows, entries, matchesPerRow } = estimates;
  const walked = Math.min(rows, wanted.count / matchesPerRow);
  const parsing = wanted.isParsed ? costs.parse : 0;
  const lookups = wanted.lookups * costs.lookup;
  const testing = parsing + lookups;
  const walking = wanted.walksById ? costs.walkById : costs.walkByKey;
  const lookedUp = wanted.looksUpLast ? matchesOfRowTests(entries) : 1;
  const work: PlannedWork[] = [
    { plan: { kind: "walk" }, reads: walked, cost: walked * (walking + parsing + lookedUp * lookups) },
  ];
  for (const [condition, { perRow, mergedPerRow = 0, count, isExact }] of entries) {
    const { order, parts = [condition] } = condition;
    const others = testing - parts.filter(looksUp).length * costs.lookup;
    const merging = mergedPerRow * mergeCost(condition, costs);
    if (wanted.sortsById && order !== "none") {
      const reads = Math.min(isExact ? count : rows * perRow, Math.max(wanted.count, walked * perRow));
      const ids = Math.min(rows, Math.ceil(walked / costs.searchBlock) * costs.searchBlock);
      const start = startCost(condition, ids * perRow, costs) + walked * merging;
      const cost = start + reads * (entryCost(condition, costs) + others);
      work.push({ plan: { kind: "index", condition }, reads, cost });
      continue;
    }
    const start = startCost(condition, count, costs) + rows * merging;
    if (isExact) {
      const cost = start + count * (costs.sort + others);
      work.push({ plan: { kind: "sort", condition }, reads: count, cost });
    }
    const collecting = start + rows * perRow * costs.collect;
    if (wanted.hasKeys && order !== "none" && collecting <= MAX_COLLECTING) {
      const cost = collecting + walked * (costs.walkKeys + perRow * (costs.walkByKey + others));
      work.push({ plan: { kind: "walk", within: condition }, reads: walked, cost });
    }
  }
  return work.sort((a, b) => a.cost - b.cost);
}

/** Whether the test of a row looks up an entry of another index. */
export function looksUp({ test, testsIdOnly }: Pick<Condition | RowTest, "test" | "testsIdOnly">): boolean {
  return test !== undefined && testsIdOnly;
}

/** The part of all rows that passes the tests of their own columns. */
function matchesOfRowTests(entries: Estimates["entries"]): number {
  let passed = 1;
  for (const [{ test, testsIdOnly }, { perRow }] of entries) if (test && !testsIdOnly) passed *= perRow;
  return passed;
}

/** What it costs to find these entries before the first one is read. */
function startCost({ isSearch, lists = [] }: Condition, entries: number, costs: PlanCosts): number {
  return isSearch ? Math.max(1, lists.length) * costs.searchList + entries * costs.searchBlockEntry : 0;
}

/** What it costs to read an entry of one of several lists that are intersected. */
export function mergeCost({ isSearch }: Condition, costs: PlanCosts): number {
  return isSearch ? costs.searchMerge : costs.merge;
}

function entryCost({ isSearch }: Condition, costs: PlanCosts): number {
  return isSearch ? costs.searchEntry : costs.entry;
}
