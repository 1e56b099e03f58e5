import { joinSql, type Sql } from "../../sql/sql.ts";
import type { SqlSteps } from "../../sql/sql-steps.ts";
import { type Condition, selectEntries } from "../condition.ts";
import { canIntersect, intersect } from "../conditions/intersection.ts";
import type { KnownEntries } from "../conditions/known-entries.ts";
import type { IdRange } from "../id-range.ts";
import type { EntryEstimate, Estimates } from "./choose-plan.ts";
import type { EstimatedList } from "./plan-memory.ts";
import { RowReader } from "./row-reader.ts";

/** How far the first entries of an index reach tells how frequent they are. */
const SAMPLE = 100;
/** So many rows are tested to learn whether a condition is frequent, which it is if so many of them match. */
const PROBED_ROWS = 128;
const PROBED_MATCHES = 8;
/** What fewer entries than that count as. */
const FEW = 30;
/** What part of all rows a range of values has, as long as nothing else is known. */
const RANGE_PER_ROW = 0.3;

/** A list of a search that is so many times as frequent as the rarest is not read: to test its rows takes less time. */
const MAX_FREQUENCY_RATIO = 16;

/** What part of the rows a test without an index leaves. */
const OPEN_PER_ROW = 0.5;
const FROM_START: Start = { descending: false, after: undefined };
const NOTHING_TO_TEST: Estimates = { rows: 0, entries: new Map(), matchesPerRow: 1 };

interface Start {
  readonly descending: boolean;
  readonly after: number | undefined;
}

interface Sample {
  readonly condition: Condition;
  readonly selectIds: (range: IdRange) => Sql;
}

/**
 * Estimates a list from the first entries of each index, with one statement; in order of id, from those after an id. It also looks for
 * what the plan takes to be absent: undefined if there is some of it, which `known` then has.
 */
export function* estimateList(
  list: RowReader,
  known: KnownEntries,
  after: number | undefined,
): SqlSteps<EstimatedList | undefined> {
  const { dialect, resource, query, plan, hasConditions } = list;
  const { conditions, matches, unindexed, absent } = plan;
  if (!hasConditions && !matches) return { rows: list, estimates: NOTHING_TO_TEST };
  const direction: Start = query.sort === "id" ? { descending: query.descending, after } : FROM_START;
  const samples = conditions.flatMap(samplesOf);
  const parts = [
    { text: `(SELECT max(id) FROM ${dialect.table(resource.table)})`, values: [] },
    ...samples.map(({ condition, selectIds }) => {
      const isSorted = condition.order !== "none";
      const start = isSorted ? direction : FROM_START;
      const { text, values } = selectIds({ ...start, last: undefined });
      const reach = { text: `(SELECT id FROM (${text} LIMIT 1 OFFSET ${SAMPLE - 1}) p)`, values };
      return condition.isProbed && condition.test
        ? probed(dialect.table(resource.table), condition.test, start, reach)
        : reach;
    }),
    ...known.checks(absent),
  ];
  const [row = []] = yield {
    text: `SELECT ${parts.map(({ text }) => text).join(", ")}`,
    values: parts.flatMap(({ values }) => values),
  };
  const found = absent.filter((_, index) => Number(row[1 + samples.length + index]) === 1);
  if (found.length > 0) {
    known.add(found);
    return undefined;
  }
  const rows = Number(row[0] ?? 0);
  const first = direction.after ?? (direction.descending ? rows : 0);
  const ahead = Math.max(1, direction.descending ? first : rows - first);
  const estimates = samples.map(({ condition }, index) => {
    const reach = row[1 + index];
    const span = reach === null || reach === undefined ? undefined : Math.abs(Number(reach) - first);
    // What is ahead of a page does not tell about all pages.
    const isAll = direction.after === undefined || condition.order === "none";
    return toEstimate(condition, span, isAll, ahead);
  });
  const entries = new Map(
    conditions.map((condition) =>
      condition.selective
        ? [condition, { perRow: 1 / Math.max(1, rows), count: 1, isExact: true }]
        : narrow(
            condition,
            estimates.filter((_, index) => samples[index]?.condition === condition),
          ),
    ),
  );
  const narrowed = { ...plan, conditions: [...entries.keys()] };
  return {
    rows: new RowReader(dialect, resource, query, narrowed),
    estimates: { rows, entries, matchesPerRow: together(rows, entries, OPEN_PER_ROW ** unindexed.length) },
  };
}

function samplesOf(condition: Condition): Sample[] {
  if (condition.selective) return [];
  const { lists = [(range) => selectEntries(condition, range)] } = condition;
  return lists.map((selectIds) => ({ condition, selectIds }));
}

/** The condition without lists that hardly narrow what the rarest one finds, and the estimate of that one. */
function narrow(condition: Condition, lists: readonly EntryEstimate[]): [Condition, EntryEstimate] {
  const byFrequency = lists.toSorted((a, b) => a.perRow - b.perRow);
  const [rarest] = byFrequency;
  if (!rarest) throw new Error("A condition has at least one list of ids.");
  if (!condition.withLists) return [condition, rarest];
  const kept = byFrequency.filter(({ perRow }) => perRow <= MAX_FREQUENCY_RATIO * rarest.perRow);
  const narrowed = condition.withLists(kept.map((list) => lists.indexOf(list)));
  return [narrowed, { ...rarest, ...mergedOf(kept) }];
}

function mergedOf(lists: readonly EntryEstimate[]): Pick<EntryEstimate, "mergedPerRow"> {
  return lists.length > 1 ? { mergedPerRow: lists.reduce((sum, { perRow }) => sum + perRow, 0) } : {};
}

/** Estimates with the ids that the rarest two, three, … conditions have in common. */
export function withIntersections(estimates: Estimates): Estimates {
  const { rows, entries, matchesPerRow } = estimates;
  if ([...entries.keys()].some(({ parts }) => parts)) return estimates;
  const byFrequency = [...entries]
    .filter(([condition]) => canIntersect(condition))
    .sort(([, a], [, b]) => a.perRow - b.perRow);
  const all = new Map(entries);
  for (let count = 2; count <= byFrequency.length; count++) {
    const parts = byFrequency.slice(0, count);
    const lists = parts.map(([, estimate]) => estimate);
    const perRow = lists.reduce((product, list) => product * list.perRow, 1);
    const condition = intersect(parts.map(([part]) => part));
    all.set(condition, { perRow, ...mergedOf(lists), count: 0, isExact: false });
  }
  return { rows, entries: all, matchesPerRow };
}

/** Asks the index how far the sample reaches only if a condition is rare among the first rows. */
function probed(table: string, test: Sql, { descending, after }: Start, reach: Sql): Sql {
  const start = after ?? (descending ? Number.MAX_SAFE_INTEGER : 0);
  const first: Sql =
    descending && after === undefined
      ? { text: `(SELECT max(id) FROM ${table})`, values: [] }
      : { text: "CAST(? AS bigint)", values: [start] };
  const [comparison, order, sign] = descending ? ["<", "DESC", "-"] : [">", "ASC", "+"];
  return joinSql(
    `(SELECT CASE WHEN p.found >= ${PROBED_MATCHES} THEN`,
    first,
    `${sign} ${PROBED_ROWS * SAMPLE} / p.found ELSE`,
    reach,
    "END FROM (SELECT count(*) AS found FROM (",
    { text: `SELECT u.* FROM ${table} u WHERE u.id ${comparison} ?`, values: [start] },
    `ORDER BY u.id ${order} LIMIT ${PROBED_ROWS}) u WHERE`,
    test,
    ") p)",
  );
}

/** `span` is the number of ids that the sample spans; undefined if there are fewer entries among the ids ahead. */
function toEstimate(
  { order }: Condition,
  span: number | undefined,
  isAll: boolean,
  ahead: number,
): EntryEstimate {
  if (span === undefined) return { perRow: Math.min(1, FEW / ahead), count: FEW, isExact: isAll };
  const perRow = order === "none" ? RANGE_PER_ROW : Math.min(1, SAMPLE / Math.max(1, span));
  return { perRow, count: SAMPLE, isExact: false };
}

/** Matches of all conditions for each row, as if they were independent of each other. */
function together(rows: number, entries: ReadonlyMap<Condition, EntryEstimate>, open: number): number {
  let perRow = open;
  for (const estimate of entries.values()) perRow *= estimate.perRow;
  return Math.max(perRow, 1 / Math.max(1, rows));
}

/** Estimates with the number of entries of a condition. Counts up to `limit`. */
export function* countEntries(
  estimates: Estimates,
  condition: Condition,
  limit: number,
): SqlSteps<Estimates> {
  const count = yield* countInRange(condition, { ...FROM_START, last: undefined }, limit);
  const isExact = count < limit;
  const { rows } = estimates;
  const known = estimates.entries.get(condition);
  const perRow = isExact ? count / Math.max(1, rows) : (known?.perRow ?? 1);
  const counted = { ...known, perRow, count, isExact };
  // No more rows match than there are entries.
  const matchesPerRow = Math.min(estimates.matchesPerRow, Math.max(1, count) / Math.max(1, rows));
  return {
    rows,
    entries: new Map(estimates.entries).set(condition, counted),
    matchesPerRow: isExact ? matchesPerRow : estimates.matchesPerRow,
  };
}

/** The entries of a condition in a range of ids, up to `limit`. */
export function* countInRange(condition: Condition, range: IdRange, limit: number): SqlSteps<number> {
  const { text, values } = selectEntries(condition, range);
  const [row] = yield {
    text: `SELECT count(*), NULL, NULL FROM (${text} LIMIT ?) p`,
    values: [...values, limit],
  };
  return Number(row?.[0]);
}
