import { joinSql, type Sql } from "../../sql/sql.ts";
import type { SqlSteps } from "../../sql/sql-steps.ts";
import type { Condition } from "../condition.ts";
import type { KnownEntries } from "../conditions/known-entries.ts";
import type { IdRange } from "../id-range.ts";
import type { EntryEstimate, Estimates } from "./choose-plan.ts";
import type { RowReader } from "./row-reader.ts";

/** How far the first entries of an index reach tells how frequent they are. */
const SAMPLE = 100;
/** So many rows are tested to learn whether a condition is frequent, which it is if so many of them match. */
const PROBED_ROWS = 128;
const PROBED_MATCHES = 8;
/** What fewer entries than that count as. */
const FEW = 30;
/** What part of all rows a range of values has, as long as nothing else is known. */
const RANGE_PER_ROW = 0.3;

/** What part of the rows a test without an index leaves. */
const OPEN_PER_ROW = 0.5;
const FROM_START: Start = { descending: false, after: undefined };
const NOTHING_TO_TEST: Estimates = { rows: 0, entries: new Map(), matchesPerRow: 1 };

interface Start {
  readonly descending: boolean;
  readonly after: number | undefined;
}

interface SampledList {
  readonly condition: Condition;
  readonly idList: (range: IdRange) => Sql;
}

/**
 * Estimates a list from the first entries of each index, with one statement; in order of id, from those after an id. It also looks for
 * what the plan takes to be absent: undefined if there is some of it, which `known` then has.
 */
export function* estimateList(
  { dialect, resource, query, plan: { conditions, matches, unindexed, absent }, hasConditions }: RowReader,
  known: KnownEntries,
  after: number | undefined,
): SqlSteps<Estimates | undefined> {
  if (!hasConditions && !matches) return NOTHING_TO_TEST;
  const direction: Start = query.sort === "id" ? { descending: query.descending, after } : FROM_START;
  const lists: SampledList[] = conditions.flatMap((condition) =>
    condition.selective ? [] : chooseLists(condition.idLists).map((idList) => ({ condition, idList })),
  );
  const parts = [
    { text: `(SELECT max(id) FROM ${dialect.table(resource.table)})`, values: [] },
    ...lists.map(({ condition, idList }) => {
      const isSorted = condition.order !== "none";
      const start = isSorted ? direction : FROM_START;
      const { text, values } = idList({ ...start, last: undefined });
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
  const found = absent.filter((_, index) => Number(row[1 + lists.length + index]) === 1);
  if (found.length > 0) {
    known.add(found);
    return undefined;
  }
  const rows = Number(row[0] ?? 0);
  const first = direction.after ?? (direction.descending ? rows : 0);
  const ahead = Math.max(1, direction.descending ? first : rows - first);
  const entries = new Map<Condition, EntryEstimate>();
  for (const condition of conditions) {
    if (condition.selective)
      entries.set(condition, { perRow: 1 / Math.max(1, rows), count: 1, isExact: true });
  }
  for (const [index, { condition }] of lists.entries()) {
    const reach = row[1 + index];
    const span = reach === null || reach === undefined ? undefined : Math.abs(Number(reach) - first);
    // What is ahead of a page does not tell about all pages.
    const isAll = direction.after === undefined || condition.order === "none";
    const estimate = toEstimate(condition, span, isAll, ahead);
    const other = entries.get(condition);
    if (!other || estimate.perRow < other.perRow) entries.set(condition, estimate);
  }
  return { rows, entries, matchesPerRow: together(rows, entries, OPEN_PER_ROW ** unindexed.length) };
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

/** The first, the middle and the last list of a search: one of them is probably as rare as the rarest. */
function chooseLists(idLists: Condition["idLists"]): Condition["idLists"] {
  const last = idLists.length - 1;
  return idLists.filter((_, index) => index === 0 || index === Math.ceil(last / 2) || index === last);
}

/** `span` is the number of ids that the sample spans; undefined if there are fewer entries among the ids ahead. */
function toEstimate(
  { order }: Condition,
  span: number | undefined,
  isAll: boolean,
  ahead: number,
): EntryEstimate {
  if (span === undefined) return { perRow: Math.min(1, FEW / ahead), count: FEW, isExact: isAll };
  return order === "none"
    ? { perRow: RANGE_PER_ROW, count: SAMPLE, isExact: false }
    : { perRow: Math.min(1, SAMPLE / Math.max(1, span)), count: SAMPLE, isExact: false };
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
  const { perRow = 1 } = estimates.entries.get(condition) ?? {};
  const counted = { perRow: isExact ? count / Math.max(1, rows) : perRow, count, isExact };
  // No more rows match than there are entries.
  const matchesPerRow = Math.min(estimates.matchesPerRow, Math.max(1, count) / Math.max(1, rows));
  return {
    rows,
    entries: new Map(estimates.entries).set(condition, counted),
    matchesPerRow: isExact ? matchesPerRow : estimates.matchesPerRow,
  };
}

/** The entries of a condition in a range of ids, up to `limit`: those of its rarest list. */
export function* countInRange({ idLists }: Condition, range: IdRange, limit: number): SqlSteps<number> {
  const parts = idLists.map((idList) => {
    const { text, values } = idList(range);
    return { text: `SELECT count(*), NULL, NULL FROM (${text} LIMIT ?) p`, values: [...values, limit] };
  });
  const counts = yield {
    text: parts.map(({ text }) => text).join(" UNION ALL "),
    values: parts.flatMap(({ values }) => values),
  };
  return Math.min(...counts.map(([number]) => Number(number)));
}
