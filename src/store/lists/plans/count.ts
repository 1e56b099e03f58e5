import { listLimits } from "../../../contract/listing.ts";
import { type Clock, systemClock } from "../../../domain/clock.ts";
import type { ListQuery } from "../../../domain/lists/listing.ts";
import { joinSql, type Sql } from "../../sql/sql.ts";
import type { SqlSteps } from "../../sql/sql-steps.ts";
import { type Condition, selectEntries } from "../condition.ts";
import { ROUNDS_MS } from "../fill-page.ts";
import type { IdRange } from "../id-range.ts";
import type { CountRound } from "../list-reads.ts";
import type { Segment } from "../list-resource.ts";
import { comparePlans, type Estimates, looksUp } from "./choose-plan.ts";
import { countEntries, withIntersections } from "./estimate.ts";
import type { EstimatedList } from "./plan-memory.ts";
import { RowFinder } from "./row-finder.ts";
import { type RowReader, testsOf } from "./row-reader.ts";

/** Whether a list has no conditions. The store knows the count of such a list without counting. */
export function isUnfiltered({
  filters,
  search,
  expression,
}: Pick<ListQuery, "filters" | "search" | "expression">): boolean {
  return filters.length === 0 && search === undefined && expression === undefined;
}

/** All rows of a range are tested faster than the rows of an index. */
const RANGE_FACTOR = 2;

/** One round tests this part of `maxCandidates`: rows may have to be read from disk. */
const TESTED_PART = 1 / 4;
/** Entries are intersected faster than rows are tested. */
const MERGED_FACTOR = 2;

/** The entries of a round, if one stretch of an index has all matches: two rounds find more than a count shows. */
const COUNTED_ENTRIES = 0.6 * listLimits.count;
/** The most ids of such a round: if its entries are not where they are expected, it may have one for each id. */
const MAX_COUNTED_IDS = 5 * listLimits.count;

/** Counts the matches of a filtered list in rounds, with other callers' lists in between, for a short time. */
export async function countInRounds(
  runRound: (after: number | undefined) => Promise<CountRound>,
  clock: Pick<Clock, "running"> = systemClock,
  ms = ROUNDS_MS,
): Promise<{ count: number; capped: boolean }> {
  const end = clock.running() + ms;
  let found = 0;
  let after: number | undefined;
  do {
    const round = await runRound(after);
    found += round.found;
    after = round.last;
  } while (after !== undefined && found <= listLimits.count && clock.running() < end);
  const capped = after !== undefined || found > listLimits.count;
  return { count: Math.min(found, listLimits.count), capped };
}

/** Counts matches after an id, with bounded work. The list is in order of id. */
export function* countAfter(
  { rows, estimates }: EstimatedList,
  after: number | undefined,
): SqlSteps<CountRound> {
  const { plan, dialect } = rows;
  const { conditions, tests, matches } = plan;
  const only = conditions.length === 1 && tests.length === 0 ? conditions[0] : undefined;
  const exact = only?.exact && (!matches || only.coversMatches) ? only : undefined;
  const range = { descending: false, after, last: undefined };
  const { perRow = 1 } = (exact && estimates.entries.get(exact)) ?? {};
  const ids = Math.ceil(COUNTED_ENTRIES / perRow);
  if (exact?.selectStretch && ids <= MAX_COUNTED_IDS)
    return yield* countStretch(exact, exact.selectStretch, { ...range, last: (after ?? 0) + ids });
  if (only?.count && (!matches || only.coversMatches) && after === undefined) {
    const [row] = yield only.count(listLimits.count);
    const [found, entries] = [Number(row?.[0]), Number(row?.[1])];
    if (entries <= listLimits.count || found > listLimits.count) return { found, last: undefined };
  }
  if (exact && !exact.selectBounded) {
    const { text, values } = exact.selectIds(range);
    const [row] = yield { text: `SELECT count(*) FROM (${text} LIMIT ${listLimits.count + 1}) d`, values };
    return { found: Number(row?.[0]), last: undefined };
  }
  // Most entries have another spelling: there are many of them, although they are rare.
  if (exact?.selectStretch)
    return yield* countStretch(exact, exact.selectStretch, {
      ...range,
      last: (after ?? 0) + MAX_COUNTED_IDS,
    });
  if (matches) return yield* countOneByOne(rows, estimates, after);
  const counted = withIntersections(yield* countUnordered(estimates, dialect.maxCandidates));
  const wanted = {
    ...{ count: Number.POSITIVE_INFINITY, sortsById: true, walksById: true, hasKeys: false },
    ...{ lookups: [...conditions, ...tests].filter(looksUp).length, looksUpLast: true, isParsed: false },
  };
  const [work] = comparePlans(counted, wanted, dialect.costs);
  if (!work || work.plan.kind === "walk") return yield* countRange(rows, after);
  const { condition } = work.plan;
  const isShort = work.plan.kind === "sort" || counted.entries.get(condition)?.isExact;
  if (isShort) return { found: yield* countIn(rows, condition, range), last: undefined };
  // Entries that `selectIds` leaves out take time, too.
  if (!condition.parts && !condition.selectBounded) return yield* countFirst(rows, condition, range);
  const entries = Math.ceil((condition.parts ? MERGED_FACTOR : TESTED_PART) * dialect.maxCandidates);
  const last = yield* rows.findReach(condition, after, entries);
  return { found: yield* countIn(rows, condition, { ...range, last }), last };
}

/** Counts the matches among the ids of an index in a range. */
function* countIn(rows: RowReader, condition: Condition, range: IdRange): SqlSteps<number> {
  const from = candidates(rows, condition, { ...range, limit: rows.dialect.optimizationFence });
  const [row] = yield joinSql("SELECT count(*) FROM", from, "WHERE", rows.testSql(condition));
  return Number(row?.[0]);
}

/** Counts the matches among the first ids of an index in a range, and finds the last of these ids. */
function* countFirst(rows: RowReader, condition: Condition, range: IdRange): SqlSteps<CountRound> {
  const entries = Math.ceil(TESTED_PART * rows.dialect.maxCandidates);
  const from = candidates(rows, condition, { ...range, limit: `LIMIT ${entries}` });
  const [row] = yield joinSql(
    "SELECT count(CASE WHEN",
    rows.testSql(condition),
    "THEN 1 END), count(*), max(u.id) FROM",
    from,
  );
  const [found, read, last] = [Number(row?.[0]), Number(row?.[1]), Number(row?.[2])];
  return { found, last: read < entries ? undefined : last };
}

/** The ids of an index as `u`, with the columns of their rows if a test reads them. */
function candidates(
  { plan, dialect, resource }: RowReader,
  condition: Condition,
  { limit, ...range }: IdRange & { readonly limit: string },
): Sql {
  const { text, values } = condition.selectIds(range);
  const ids = `(${text} ${limit})`;
  return testsOf(plan, condition).every(({ testsIdOnly }) => testsIdOnly)
    ? { text: `${ids} u`, values }
    : { text: dialect.joinRows(resource.table, `${ids} d`, "d.id"), values };
}

const ID_ORDER: Segment = { key: undefined, keyType: "number", index: undefined, where: "" };

/** Counts rows that are tested outside of the database. */
function* countOneByOne(
  rows: RowReader,
  estimates: Estimates,
  after: number | undefined,
): SqlSteps<CountRound> {
  const start = { segment: 0, key: null, id: after };
  const request = { segment: ID_ORDER, start, count: Number.MAX_SAFE_INTEGER, withJson: false };
  const { found, stopped } = yield* new RowFinder(rows, [ID_ORDER], estimates).find(request);
  return { found: found.length, last: stopped?.id };
}

/** Ids in no order are useful only if they are few. */
function* countUnordered(estimates: Estimates, limit: number): SqlSteps<Estimates> {
  let counted = estimates;
  for (const [condition, { isExact }] of estimates.entries)
    if (condition.order === "none" && !isExact) counted = yield* countEntries(counted, condition, limit);
  return counted;
}

/** Counts the matches in a range of ids. No limit slows the count down. */
function* countStretch(
  condition: Condition,
  selectStretch: (range: IdRange) => Sql,
  range: IdRange & { readonly last: number },
): SqlSteps<CountRound> {
  const { last } = range;
  const counted = selectStretch(range);
  const [row] = yield joinSql(
    "SELECT count(*), (SELECT count(*) FROM (",
    selectEntries(condition, { descending: false, after: last, last: undefined }),
    "LIMIT 1) f) FROM (",
    counted,
    ") d",
  );
  return { found: Number(row?.[0]), last: Number(row?.[1]) > 0 ? last : undefined };
}

/** Reading all rows of a range takes less time than reading most of them by an index. */
function* countRange(rows: RowReader, after = 0): SqlSteps<CountRound> {
  const { dialect, resource } = rows;
  const table = dialect.table(resource.table);
  const last = after + RANGE_FACTOR * dialect.maxCandidates;
  const [row] = yield joinSql(
    `SELECT count(*), (SELECT max(id) FROM ${table}) FROM ${table} u WHERE`,
    { text: "u.id > ? AND u.id <= ? AND", values: [after, last] },
    rows.testSql(),
  );
  return { found: Number(row?.[0]), last: Number(row?.[1]) > last ? last : undefined };
}
