import type { SqlSteps } from "../../sql/sql-steps.ts";
import type { Condition } from "../condition.ts";
import type { Segment } from "../list-resource.ts";
import {
  comparePlans,
  type Estimates,
  looksUp,
  mergeCost,
  type PlannedWork,
  type Wanted,
} from "./choose-plan.ts";
import { countEntries, withIntersections } from "./estimate.ts";
import {
  continueAfter,
  countRows,
  type FoundRow,
  type FoundRows,
  isComplete,
  positionOfLast,
  type RowRequest,
} from "./found-rows.ts";
import { type IndexPart, isIdOrder, type RowReader, testsOf } from "./row-reader.ts";
import { SortedCandidates } from "./sorted-candidates.ts";

/** A plan may read so many times what it is expected to. Then its rows tell more, and plans are compared again. */
const MARGIN = 2;
/** A part without a match counts as this part of a match: one may be near. */
const NEAR_MATCH = 0.25;
/** At most this many times `maxCandidates` rows are fetched and sorted. */
const MAX_SORTED_FACTOR = 5;
/** So many keys count as one row, if their ids are looked for in a set. */
const KEYS_PER_ROW = 20;
/** To read so little takes less time than to count entries. */
const QUICK_COST = 300;
/** At most this many times `maxCandidates` rows are skipped in a round: rows that need no test are skipped in an index. */
const MAX_SKIPPED_FACTOR = 5;
/** Where the entries of an index cannot be limited, its ids are: to this many times `maxCandidates`. */
const MAX_RANGE_FACTOR = 10;

const TOO_MUCH: FoundRows = { found: [], isTooMuch: true };

/** How much work to do before the search stops. */
export interface WorkLimit {
  /** Rows and entries to read. */
  readonly reads: number;
  /** The highest cost of a plan, in microseconds. */
  readonly cost: number;
  /** Whether rows may be parsed: how long that takes depends on their size. */
  readonly parses: boolean;
}

/** What one round of a search did. */
export interface Round {
  /** Undefined if rows were read in order, without a test. */
  readonly work?: PlannedWork | undefined;
  readonly request: RowRequest;
  /** The rows or entries after which to compare plans again. */
  readonly limit?: number;
  /** What `limit` means for the plan. Unlimited by default. */
  readonly part?: IndexPart;
  readonly result: FoundRows;
}

/** Follows a search. Only explanations do. */
export interface SearchObserver {
  compared(plans: readonly PlannedWork[], estimates: Estimates): void;
  finished(round: Round): SqlSteps<void>;
}

export interface SearchOptions {
  readonly limit?: WorkLimit | undefined;
  readonly observer?: SearchObserver;
}

/** Finds the rows of a list, segment by segment, with the plan that is probably cheapest. */
export class RowFinder {
  readonly #rows: RowReader;
  readonly #sortsById: boolean;
  readonly #limit: WorkLimit;
  readonly #observer: SearchObserver | undefined;
  #estimates: Estimates;
  /** The last plan. */
  work: PlannedWork | undefined;
  /** The index of a condition was counted and has no entries: the list has no rows. */
  #isEmpty = false;
  /** The rows of a condition with few ids, if a sort was the cheapest plan. */
  #candidates: SortedCandidates | undefined;

  constructor(
    rows: RowReader,
    segments: readonly Segment[],
    estimates: Estimates,
    { limit, observer }: SearchOptions = {},
  ) {
    this.#rows = rows;
    this.#observer = observer;
    this.#limit = limit ?? {
      reads: rows.dialect.maxCandidates,
      cost: Number.POSITIVE_INFINITY,
      parses: true,
    };
    this.#sortsById = segments.length === 1 && segments[0]?.key === undefined;
    this.#estimates = estimates;
  }

  /** What is known now. */
  get estimates(): Estimates {
    return this.#estimates;
  }

  /** Finds the requested rows, or as many as bounded work finds. */
  *find(request: RowRequest): SqlSteps<FoundRows> {
    const rows = this.#rows;
    const maxSkipped = MAX_SKIPPED_FACTOR * rows.dialect.maxCandidates;
    if (request.skip && request.count > maxSkipped) {
      const first = yield* this.find({ ...request, count: maxSkipped });
      return countRows(first) < maxSkipped
        ? first
        : { ...first, stopped: positionOfLast(first.found, request.start) };
    }
    if (!rows.hasConditions && !rows.matchesOf(request.segment)) {
      const result = yield* this.#readOrSkip(request, (part) => rows.readAll(part));
      if (this.#observer) yield* this.#observer.finished({ request, result });
      return result;
    }
    if (!this.#limit.parses && this.#parses(request)) return TOO_MUCH;
    const found: FoundRow[] = [];
    let rest = request;
    let count = 0;
    const result = () => ({ found, ...(request.skip && { skipped: count }) });
    for (let left = this.#limit.reads; ; ) {
      const work = this.#candidates ? undefined : yield* this.#choose(rest);
      this.work = work ?? this.work;
      if (work && work.cost > this.#limit.cost) return TOO_MUCH;
      if (work?.plan.kind === "sort")
        this.#candidates = new SortedCandidates(rows, work.plan.condition, rows.query.sort);
      if (this.#candidates) {
        const sorted = yield* this.#sort(this.#candidates, rest);
        for (const row of sorted.found) found.push(row);
        count += countRows(sorted);
        return result();
      }
      if (!work) throw new Error("There is no plan for this list.");
      const limit = this.#limitOf(work, rest, left);
      const next = yield* this.#read(work, rest, limit);
      found.push(...next.found);
      count += countRows(next);
      if (isComplete(request, result()) || !next.stopped) {
        this.#learnFromIds(request, found);
        if (rest === request && !isComplete(request, result())) this.#learnFromEnd(work, request, limit);
        return result();
      }
      left -= Math.ceil(limit / readsPerRow(work));
      this.#learn(rest, next, limit);
      if (left <= 0) return { ...result(), stopped: next.stopped };
      rest = continueAfter(request, result(), next.stopped);
    }
  }

  *#sort(candidates: SortedCandidates, request: RowRequest): SqlSteps<FoundRows> {
    const { segment } = request;
    const { condition } = candidates;
    const isParsed =
      typeof this.#rows.query.sort !== "string" || this.#rows.matchesOf(segment, condition) !== undefined;
    const read = (asked: RowRequest) => candidates.find(asked);
    const result = this.#isEmpty
      ? { found: [] }
      : yield* isParsed ? read(withoutSkip(request)) : this.#readOrSkip(request, read);
    if (this.#observer) yield* this.#observer.finished({ work: this.work, request, result });
    return result;
  }

  *#read(work: PlannedWork, request: RowRequest, limit: number): SqlSteps<FoundRows> {
    const { plan } = work;
    const rows = this.#rows;
    const [leading, part]: [Condition | undefined, IndexPart] =
      plan.kind === "walk"
        ? [plan.within, { maxEntries: limit }]
        : [plan.condition, this.#partOf(plan.condition, request, limit)];
    const read = (asked: RowRequest) =>
      plan.kind === "walk"
        ? rows.walk(asked, limit, plan.within)
        : rows.readIndex(plan.condition, asked, part);
    const isParsed = rows.matchesOf(request.segment, leading) !== undefined;
    const result = yield* isParsed
      ? read(withoutSkip(request))
      : this.#readOrSkip(request, read, this.#isFar(work, request, part));
    if (this.#observer) yield* this.#observer.finished({ work, request, limit, part, result });
    return result;
  }

  /** Skips rows if they are requested so. Looks for the last one, and counts them if there are fewer. If it is far: counts them first. */
  *#readOrSkip(
    request: RowRequest,
    read: (request: RowRequest) => SqlSteps<FoundRows>,
    isFar = false,
  ): SqlSteps<FoundRows> {
    if (!request.skip) return yield* read(request);
    const last = isFar ? undefined : yield* read({ ...request, skip: "last" });
    if (last && isComplete(request, last)) return last;
    const counted = yield* read({ ...request, skip: "count" });
    return isComplete(request, counted) ? yield* read({ ...request, skip: "last" }) : counted;
  }

  /** Whether a part of the list or of an index probably has fewer matches than are to be skipped. */
  #isFar({ reads }: PlannedWork, request: RowRequest, { maxEntries, last }: IndexPart): boolean {
    if (maxEntries !== undefined) return reads > maxEntries;
    return last !== undefined && this.#estimates.matchesPerRow * this.#idsUpTo(request, last) < request.count;
  }

  /** What a round may read, if so many rows are left. */
  #limitOf(work: PlannedWork, { count, skip }: RowRequest, left: number): number {
    const most = readsPerRow(work) * left;
    // To skip rows takes one statement, or two: it reads as far as it may.
    if (skip) return most;
    return this.#isOnlySearch(work) ? most : Math.min(most, roundUp(MARGIN * work.reads + count));
  }

  /** What a search index names, with several lists, mostly matches: to stop and to compare plans again would take longer. */
  #isOnlySearch({ plan }: PlannedWork): boolean {
    const { conditions, tests } = this.#rows.plan;
    return (
      plan.kind === "index" && plan.condition.lists !== undefined && conditions.length + tests.length === 1
    );
  }

  /** The part of an index to read: so many entries, or the ids that probably have as many. */
  #partOf(condition: Condition, request: RowRequest, limit: number): IndexPart {
    const maxIds = MAX_RANGE_FACTOR * this.#rows.dialect.maxCandidates;
    const { isExact = false, mergedPerRow = 1 } = this.#estimates.entries.get(condition) ?? {};
    if (isExact) return {};
    const isMerged = condition.parts !== undefined || (request.skip && condition.lists !== undefined);
    // Rows are skipped inside of the index: all of its entries match, or those in one spelling.
    if (request.skip && !isMerged && condition.exact && testsOf(this.#rows.plan, condition).length === 0)
      return condition.selectBounded ? { last: this.#idsAhead(request, maxIds) } : {};
    if (!isMerged) return { maxEntries: limit };
    return { last: this.#idsAhead(request, Math.ceil((MAX_RANGE_FACTOR * limit) / mergedPerRow)) };
  }

  /** Rows are parsed if SQL cannot test them, or to sort them by a custom field. */
  #parses({ segment }: RowRequest): boolean {
    return this.#rows.matchesOf(segment) !== undefined || typeof this.#rows.query.sort !== "string";
  }

  /** The last of the next ids. Undefined if there are fewer. */
  #idsAhead({ start }: RowRequest, ids: number): number | undefined {
    const { descending } = this.#rows.query;
    const { rows } = this.#estimates;
    const last = descending ? (start.id ?? rows + 1) - ids : (start.id ?? 0) + ids;
    return last <= 0 || last >= rows ? undefined : last;
  }

  /** The cheapest plan. Counts entries if a sort may be cheaper than the other plans. */
  *#choose(request: RowRequest): SqlSteps<PlannedWork | undefined> {
    const { costs, maxCandidates, walksRows } = this.#rows.dialect;
    const isParsed = this.#rows.matchesOf(request.segment) !== undefined;
    const { followsIds = false, customField } = request.segment;
    const sortsById = this.#sortsById;
    const { conditions, tests } = this.#rows.plan;
    const lookups = [...conditions, ...tests].filter(looksUp).length;
    const wanted: Wanted = {
      ...{ count: request.count, sortsById, walksById: sortsById || followsIds },
      ...{ lookups, looksUpLast: sortsById || (walksRows && customField === undefined) },
      ...{ isParsed, hasKeys: !isIdOrder(request.segment) },
    };
    const cheapest = () => {
      const plans = comparePlans(this.#estimates, wanted, costs);
      this.#observer?.compared(plans, this.#estimates);
      return plans[0];
    };
    const quick = cheapest();
    if (!quick || quick.plan.kind === "sort" || quick.cost <= QUICK_COST) return quick;
    this.#estimates = withIntersections(this.#estimates);
    const best = cheapest() ?? quick;
    const perRow = costs.sort + (isParsed ? costs.parse : 0);
    const cost = Math.min(best.cost, this.#limit.cost);
    const limit = Math.min(MAX_SORTED_FACTOR * maxCandidates, Math.floor(cost / perRow));
    const { rows } = this.#estimates;
    for (const [condition, { perRow: frequency, mergedPerRow = 0, count, isExact }] of this.#estimates
      .entries) {
      if (isExact || count >= limit || (this.#sortsById && condition.order !== "none")) continue;
      const isFrequencyKnown = condition.order !== "none" && !condition.lists;
      if (isFrequencyKnown && frequency * rows > MARGIN * limit) continue;
      if (mergedPerRow * rows * mergeCost(condition, costs) > cost) continue;
      this.#estimates = yield* countEntries(this.#estimates, condition, limit);
      if (this.#estimates.entries.get(condition)?.count === 0) this.#isEmpty = true;
    }
    return cheapest();
  }

  /** A part of the list had fewer matches than expected: among `limit` rows in the order of the list, or in a range of ids. */
  #learn(request: RowRequest, result: FoundRows, limit: number): void {
    const rows = this.#sortsById ? this.#idsUpTo(request, result.stopped?.id) : limit;
    const matchesPerRow = Math.max(countRows(result), NEAR_MATCH) / rows;
    this.#estimates = {
      ...this.#estimates,
      matchesPerRow: Math.min(this.#estimates.matchesPerRow, matchesPerRow),
    };
  }

  /** In order of id, the last row found tells how frequent matches are. */
  #learnFromIds(request: RowRequest, found: readonly FoundRow[]): void {
    const last = found.at(-1);
    if (!this.#sortsById || request.skip || !last || found.length < request.count) return;
    const matchesPerRow = Math.min(1, found.length / this.#idsUpTo(request, last.id));
    this.#estimates = { ...this.#estimates, matchesPerRow };
  }

  /** The index was read to its end. On the first page, it has no more entries than that. */
  #learnFromEnd({ plan }: PlannedWork, { start, skip }: RowRequest, limit: number): void {
    if (plan.kind !== "index" || start.id !== undefined || skip) return;
    const { rows, entries } = this.#estimates;
    const { perRow, ...known } = entries.get(plan.condition) ?? { perRow: 1 };
    const count = Math.min(limit, Math.ceil(perRow * rows));
    this.#estimates = {
      ...this.#estimates,
      entries: new Map(entries).set(plan.condition, { ...known, perRow, count, isExact: true }),
    };
  }

  /** How many ids there are from the start of a request to this one. */
  #idsUpTo({ start }: RowRequest, id = 0): number {
    const first = start.id ?? (this.#rows.query.descending ? this.#estimates.rows : 0);
    return Math.max(1, Math.abs(id - first));
  }
}

/** How many reads take as long as to read and test one row. */
function readsPerRow({ plan }: PlannedWork): number {
  return plan.kind === "walk" && plan.within ? KEYS_PER_ROW : 1;
}

function withoutSkip({ skip: _, ...request }: RowRequest): RowRequest {
  return request;
}

/** Few different limits are few prepared statements. */
function roundUp(limit: number): number {
  return 2 ** Math.ceil(Math.log2(limit));
}
