import { listLimits } from "../../../contract/listing.ts";
import type { ListQuery } from "../../../domain/lists/listing.ts";
import { allOf, joinSql, type Sql } from "../../sql/sql.ts";
import type { SqlSteps } from "../../sql/sql-steps.ts";
import type { Condition } from "../condition.ts";
import type { Dialect } from "../dialect.ts";
import type { IdRange } from "../id-range.ts";
import type { CountRound } from "../list-reads.ts";
import type { ListResource } from "../list-resource.ts";
import { chooseLeadingIndex, isDenseAhead } from "./leading-index.ts";
import { planList } from "./list-plan.ts";
import { RowReader } from "./row-reader.ts";
import { SegmentFinder } from "./segment-finder.ts";

/** Whether a list has no conditions. The store knows the count of such a list without counting. */
export function isUnfiltered({
  filters,
  search,
  expression,
}: Pick<ListQuery, "filters" | "search" | "expression">): boolean {
  return filters.length === 0 && search === undefined && expression === undefined;
}

/** Enough rounds of 10,000 candidates to count up to the limit, and some more. */
const COUNT_ROUNDS = 12;

/** If each index has at least one in this many rows, all rows are read. */
const DENSE_FACTOR = 2;

/** The ids of the first round, if one stretch of an index has all matches: it may have an entry for each of them. */
const COUNTED_IDS = 2 * listLimits.count;

/** Counts the matches of a filtered list in rounds, with other callers' lists in between. */
export async function countInRounds(
  runRound: (after: number | undefined) => Promise<CountRound>,
): Promise<{ count: number; capped: boolean }> {
  let found = 0;
  let after: number | undefined;
  for (let rounds = 0; rounds < COUNT_ROUNDS; rounds++) {
    const round = await runRound(after);
    found += round.found;
    after = round.last;
    if (after === undefined || found > listLimits.count) break;
  }
  const capped = after !== undefined || found > listLimits.count;
  return { count: Math.min(found, listLimits.count), capped };
}

/** Counts matches after an id, with bounded work. */
export function* countRound(
  dialect: Dialect,
  resource: ListResource,
  query: ListQuery,
  after: number | undefined,
): SqlSteps<CountRound> {
  const plan = yield* planList(dialect, resource, query);
  const { conditions } = plan;
  const countOneByOne = () =>
    new SegmentFinder(new RowReader(dialect, resource, { ...query, descending: false }, plan), []).countAfter(
      after,
    );
  const only = conditions.length === 1 ? conditions[0] : undefined;
  const needsTest = plan.matches && !only?.coversMatches;
  if (only?.exact && only.selectStretch && !needsTest && after === undefined)
    return yield* countStretch(only.selectStretch, only.idLists);
  if (only?.count && !needsTest && (after === undefined || after === COUNTED_IDS)) {
    const [row] = yield only.count(after ?? 0, listLimits.count);
    const [found, entries] = [Number(row?.[0]), Number(row?.[1])];
    if (entries <= listLimits.count || found > listLimits.count) return { found, last: undefined };
  }
  if (only?.exact && !only.selectBounded && !needsTest) {
    const { text, values } = only.selectIds({ descending: false, after, last: undefined });
    const rows = yield { text: `SELECT count(*) FROM (${text} LIMIT ${listLimits.count + 1}) d`, values };
    return { found: Number(rows[0]?.[0]), last: undefined };
  }
  if (plan.matches) return yield* countOneByOne();
  if (yield* isDenseAhead(conditions, after, DENSE_FACTOR)) {
    return yield* countRange(dialect, resource.table, conditions, after);
  }
  const leading = yield* chooseLeadingIndex(conditions, dialect.maxCandidates, { descending: false, after });
  if (!leading) return yield* countOneByOne();
  const { condition, last } = leading;
  const ids = condition.selectIds({ descending: false, after, last });
  const tested = conditions.filter((other) => other !== condition || !other.exact);
  const candidates = `${ids.text} ${dialect.optimizationFence}`;
  const from = tested.every(({ testsIdOnly }) => testsIdOnly)
    ? `(${candidates}) u`
    : dialect.joinRows(resource.table, candidates);
  const rows = yield joinSql(
    { text: `SELECT count(*) FROM ${from} WHERE`, values: ids.values },
    testsOf(tested),
  );
  return { found: Number(rows[0]?.[0]), last };
}

/** Counts the matches in the first ids. In most directories these are all ids: no limit slows the count down. */
function* countStretch(
  selectStretch: (range: IdRange) => Sql,
  idLists: Condition["idLists"],
): SqlSteps<CountRound> {
  const last = COUNTED_IDS;
  const counted = selectStretch({ descending: false, after: undefined, last });
  const further = idLists.map((idList) => idList({ descending: false, after: last, last: undefined }));
  const [row] = yield joinSql(
    "SELECT count(*), (SELECT count(*) FROM (",
    ...further,
    "LIMIT 1) f) FROM (",
    counted,
    ") d",
  );
  return { found: Number(row?.[0]), last: Number(row?.[1]) > 0 ? last : undefined };
}

/** Reading all rows of a range takes less time than reading most of them by an index. */
function* countRange(
  dialect: Dialect,
  tableName: string,
  conditions: readonly Condition[],
  after = 0,
): SqlSteps<CountRound> {
  const table = dialect.table(tableName);
  const last = after + DENSE_FACTOR * dialect.maxCandidates;
  const [row] = yield joinSql(
    `SELECT count(*), (SELECT max(id) FROM ${table}) FROM ${table} u WHERE`,
    { text: "u.id > ? AND u.id <= ? AND", values: [after, last] },
    testsOf(conditions),
  );
  return { found: Number(row?.[0]), last: Number(row?.[1]) > last ? last : undefined };
}

function testsOf(conditions: readonly Condition[]): Sql {
  return allOf(conditions.flatMap(({ test }) => test ?? []));
}
