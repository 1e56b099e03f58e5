import type { CustomSort } from "../../../domain/lists/listing.ts";
import type { SqlSteps } from "../../sql/sql-steps.ts";
import type { Condition } from "../condition.ts";
import type { CountRound } from "../list-reads.ts";
import type { Segment } from "../list-resource.ts";
import type { SortPosition } from "../sort-order.ts";
import { continueAfter, type FoundRow, type FoundRows, isComplete, type RowRequest } from "./found-rows.ts";
import { chooseLeadingIndex, findRareCondition, isRareAhead, type LeadingIndex } from "./leading-index.ts";
import type { PageStrategy } from "./plan-memory.ts";
import { type RowReader, SINGLE_FETCH_ROWS } from "./row-reader.ts";
import { MAX_SORTED_FACTOR, SCAN_MARGIN, scanWhileCommon, scanWhileDense } from "./scan-while-common.ts";
import { SortedCandidates } from "./sorted-candidates.ts";

/** If one row in ten matches, a scan of this many rows for each requested row fills the page. */
const SCANNED_PER_RESULT = 10;
/** So few rows are fetched and sorted at once. */
const FEW_IDS = 100;
/** If one row in a hundred matches, a range of this many ids for each requested row fills the page. */
const IDS_PER_RESULT = 100;

/** Other pages of a list may need a longer scan than its first page. */
const MARGIN = 1.5;

/** The most rows of such a scan. */
const MAX_LONGER_SCAN = 2000;

const ID_ORDER: Segment = { key: undefined, keyType: "number", index: undefined, where: "" };

/** Finds the rows of one segment. Chooses how, unless a strategy says so. */
export class SegmentFinder {
  readonly #rows: RowReader;
  readonly #sortsById: boolean;
  /** The rows of a condition with few ids, if one of them leads. */
  #candidates: SortedCandidates | undefined;
  /** How one statement finds the rows, if one does. */
  strategy: PageStrategy | undefined;
  readonly #isGiven: boolean;
  /** The given strategy did not find all rows. */
  isOutdated = false;

  constructor(rows: RowReader, segments: readonly Segment[], strategy?: PageStrategy) {
    this.#rows = rows;
    this.#sortsById = segments.length === 1 && segments[0]?.key === undefined;
    this.strategy = strategy;
    this.#isGiven = strategy !== undefined;
  }

  /** Counts matches after an id, with bounded work. */
  *countAfter(after: number | undefined): SqlSteps<CountRound> {
    const start = { segment: 0, key: null, id: after };
    const request = { segment: ID_ORDER, start, count: Number.MAX_SAFE_INTEGER, withJson: false };
    const { found, stopped } = yield* this.#findInIdOrder(request, true);
    return { found: found.length, last: stopped?.id };
  }

  /**
   * Common matches fill the page with the first rows: in the order of the list, or of an index. Otherwise matches are rare, and
   * the index with the rarest ones leads.
   */
  *find(request: RowRequest): SqlSteps<FoundRows> {
    if (this.#isGiven && this.strategy) return yield* this.#follow(this.strategy, request);
    const { conditions } = this.#rows.plan;
    const { maxCandidates } = this.#rows.dialect;
    if (conditions.length === 0) {
      return this.#rows.matchesOf(request.segment)
        ? this.#noteScan(request, yield* this.#rows.scan(request, maxCandidates))
        : yield* this.#readAll(request);
    }
    if (this.#candidates) return { found: yield* this.#candidates.find(request) };
    if (
      this.#sortsById &&
      (this.#onlyIndex?.order === "known" || conditions.some(({ selective }) => selective))
    )
      return yield* this.#findInIdOrder(request, true);
    const few = yield* this.#findFewIds();
    if (few) return { found: yield* this.#sortCandidates(few).find(request) };
    if (!request.lastOnly)
      return this.#sortsById ? yield* this.#findById(request) : yield* this.#findInOrder(request);
    const scanned = yield* this.#rows.scan(request, this.#shortScan(request));
    if (scanned.found.length > 0) return scanned;
    if (this.#sortsById) return yield* this.#findInIdOrder(request, true);
    const rare = yield* findRareCondition(conditions, maxCandidates);
    return rare
      ? { found: yield* this.#sortCandidates(rare).find(request) }
      : yield* this.#rows.scan(request, maxCandidates);
  }

  /** Finds rows with one statement. */
  *#follow(strategy: PageStrategy, request: RowRequest): SqlSteps<FoundRows> {
    if (strategy.kind === "all") {
      if (!this.#rows.matchesOf(request.segment)) return yield* this.#rows.readAll(request);
      // All rows of another segment match, but not of this one.
      this.isOutdated = true;
      return { found: [] };
    }
    if (strategy.kind === "scan") {
      const expected = strategy.perResult * request.count;
      const isFirst = request.start.id === undefined;
      return yield* this.#rows.scanOnce(request, Math.ceil(isFirst ? expected : MARGIN * expected));
    }
    const condition = this.#rows.plan.conditions[strategy.condition];
    if (!condition) throw new Error("This plan has no such condition.");
    if (strategy.kind === "sort") {
      this.#candidates ??= new SortedCandidates(this.#rows, condition, this.#rows.query.sort);
      return { found: yield* this.#candidates.find(request) };
    }
    const { isShort } = strategy;
    const found = yield* this.#rows.readIndex({ condition, last: undefined }, request, isShort);
    if (!isShort && !isComplete(request, found)) this.isOutdated = true;
    return { found };
  }

  *#readAll(request: RowRequest): SqlSteps<FoundRows> {
    const rows = yield* this.#rows.readAll(request);
    if (request.count <= SINGLE_FETCH_ROWS && isComplete(request, rows.found))
      this.strategy = { kind: "all" };
    return rows;
  }

  #noteScan(request: RowRequest, rows: FoundRows): FoundRows {
    const { found, examined } = rows;
    if (examined !== undefined && isComplete(request, found))
      this.strategy = { kind: "scan", perResult: examined / request.count };
    return rows;
  }

  /** Matches were too rare to fill the page with a short scan. A longer one may still be less work than an index in no known order. */
  #noteDensity(request: RowRequest, found: number): void {
    const { conditions } = this.#rows.plan;
    if (found === 0 || conditions.some(({ order }) => order !== "unknown")) return;
    const perResult = (SCAN_MARGIN * this.#shortScan(request)) / found;
    if (perResult * request.count <= MAX_LONGER_SCAN) this.strategy = { kind: "scan", perResult };
  }

  #noteIndex({ condition, last }: LeadingIndex, request: RowRequest, found: readonly FoundRow[]): void {
    const isShort = last === undefined;
    // The intersection of several lists is bounded only if one of them is short.
    if (!isShort && (!isComplete(request, found) || condition.idLists.length > 1)) return;
    this.strategy = { kind: "index", condition: this.#rows.plan.conditions.indexOf(condition), isShort };
  }

  #shortScan({ count }: RowRequest): number {
    return Math.min(SCANNED_PER_RESULT * count, this.#rows.dialect.maxCandidates);
  }

  #sortCandidates(condition: Condition, sort: string | CustomSort = this.#rows.query.sort): SortedCandidates {
    this.#candidates = new SortedCandidates(this.#rows, condition, sort);
    this.strategy = { kind: "sort", condition: this.#rows.plan.conditions.indexOf(condition) };
    return this.#candidates;
  }

  /** In an order other than that of ids. */
  *#findInOrder(request: RowRequest): SqlSteps<FoundRows> {
    const scanned = yield* scanWhileCommon(this.#rows, request, this.#shortScan(request));
    const { found, stopped, rare } = scanned;
    if (!rare || !stopped) return this.#noteScan(request, scanned);
    const rest = continueAfter(request, found, stopped);
    return { found: [...found, ...(yield* this.#sortCandidates(rare).find(rest))] };
  }

  /** In order of id: reads some rows of the rarest index, or of the table, and then ranges of an index. */
  *#findById(request: RowRequest): SqlSteps<FoundRows> {
    const { conditions } = this.#rows.plan;
    const { descending } = this.#rows.query;
    const { start } = request;
    const direction = { descending, after: start.id };
    const inOrder = conditions.filter(({ order, idLists }) => order === "known" && idLists.length === 1);
    const leading = yield* chooseLeadingIndex(inOrder, this.#shortScan(request), direction);
    const search = conditions.find(({ order, idLists }) => order === "known" && idLists.length > 1);
    const first = leading
      ? { found: yield* this.#rows.readIndex(leading, request), stopped: toStopped(start, leading.last) }
      : this.#noteScan(
          request,
          search
            ? yield* scanWhileDense(this.#rows, request, this.#shortScan(request))
            : yield* this.#rows.scan(request, this.#shortScan(request)),
        );
    if (leading) this.#noteIndex(leading, request, first.found);
    if (isComplete(request, first.found) || !first.stopped) return first;
    const rest = continueAfter(request, first.found, first.stopped);
    const isRare =
      first.found.length === 0 &&
      (!search || (yield* isRareAhead(search, { descending, after: first.stopped.id })));
    const others = isRare ? yield* this.#findInIdOrder(rest, false) : yield* this.#findNearAndFar(rest);
    if (!leading) this.#noteDensity(request, first.found.length);
    return { found: [...first.found, ...others.found], stopped: others.stopped };
  }

  /** The only condition, if every row that its index returns matches. */
  get #onlyIndex(): Condition | undefined {
    const { conditions, matches } = this.#rows.plan;
    const only = conditions.length === 1 ? conditions[0] : undefined;
    return only?.exact && (!matches || only.coversMatches) ? only : undefined;
  }

  /** In order of id: reads ranges of an index that have enough matches, as far as is known. */
  *#findNearAndFar(request: RowRequest): SqlSteps<FoundRows> {
    const { descending } = this.#rows.query;
    const { maxCandidates } = this.#rows.dialect;
    const { start, count } = request;
    // The search, if there is one: its index is the intersection of several.
    const condition = this.#rows.plan.conditions.findLast(({ order }) => order !== "none");
    if (start.id === undefined || condition?.order !== "known")
      return yield* this.#findInIdOrder(request, true);
    const found: FoundRow[] = [];
    let last = start.id;
    for (let range = Math.min(count * IDS_PER_RESULT, maxCandidates); range <= maxCandidates; ) {
      const rest = continueAfter(request, found, { ...start, id: last });
      last = Math.max(0, descending ? last - range : last + range);
      found.push(...(yield* this.#rows.readIndex({ condition, last }, rest)));
      if (found.length >= count || last === 0) return { found };
      const examined = Math.abs(last - start.id);
      const expected = Math.ceil((examined * (count - found.length)) / found.length);
      range = Math.max(examined, 2 * expected);
    }
    const far = yield* this.#findInIdOrder(continueAfter(request, found, { ...start, id: last }), true);
    return { found: [...found, ...far.found], stopped: far.stopped };
  }

  /** In order of id, like the conditions' indexes: reads ids from the leading index and applies the other conditions. */
  *#findInIdOrder(request: RowRequest, hasMatches: boolean): SqlSteps<FoundRows> {
    const { maxCandidates } = this.#rows.dialect;
    const { conditions, matches } = this.#rows.plan;
    const { start } = request;
    const only = conditions.length === 1 && !matches ? conditions[0] : undefined;
    // Finding the last candidate can cost as much as the page: do so only after a short page.
    const skipsChoice = only?.order === "unknown" || (only?.exact && only.selectBounded !== undefined);
    const onlyIndex = this.#onlyIndex;
    if (request.lastOnly && onlyIndex?.order === "known") {
      const skipped = yield* this.#rows.skipInIndex(onlyIndex, request);
      if (skipped) return skipped;
    }
    const choose = () =>
      chooseLeadingIndex(conditions, maxCandidates, {
        descending: this.#rows.query.descending,
        after: start.id,
      });
    const leading: LeadingIndex | undefined =
      onlyIndex?.order === "known"
        ? { condition: onlyIndex, last: undefined }
        : only && skipsChoice
          ? { condition: only, last: undefined }
          : yield* choose();
    if (!leading || leading.condition.order === "none") {
      const condition = leading?.condition ?? (yield* this.#findSortable(request.count, hasMatches));
      if (!condition) return this.#noteScan(request, yield* this.#rows.scan(request, maxCandidates));
      return { found: yield* this.#sortCandidates(condition, "id").find(request) };
    }
    const found = yield* this.#rows.readIndex(leading, request);
    const isBounded = skipsChoice && isComplete(request, found);
    const { condition, last } = (skipsChoice && !isBounded ? yield* choose() : undefined) ?? leading;
    this.#noteIndex({ condition, last: isBounded ? 0 : last }, request, found);
    return { found, stopped: toStopped(start, last) };
  }

  /** A condition with so few ids that a short scan would be more work. */
  *#findFewIds(): SqlSteps<Condition | undefined> {
    const limit = Math.min(FEW_IDS, this.#rows.dialect.maxCandidates);
    for (const condition of this.#rows.plan.conditions) {
      // The index of a search is an intersection of several: to ask it costs more than a short scan.
      if (condition.order === "unknown" || condition.idLists.length > 1) continue;
      // In order of id, the choice of the leading index finds out.
      if (this.#sortsById && condition.order === "known") continue;
      if (yield* findRareCondition([condition], limit + 1)) return condition;
    }
    return undefined;
  }

  /**
   * A condition with so few of all rows that fetching and sorting its rows is less work than a scan that finds `count`
   * matches: with n rows in the table and m matches, the scan tests about `count` * n / m rows. If a short scan found none,
   * the conditions may have few matches in common, and a scan may have to test all rows.
   */
  *#findSortable(count: number, hasMatches: boolean): SqlSteps<Condition | undefined> {
    const { maxCandidates, table } = this.#rows.dialect;
    const [row] = yield { text: `SELECT max(id) FROM ${table(this.#rows.resource.table)}`, values: [] };
    const evenWork = hasMatches ? Math.floor(Math.sqrt(count * Number(row?.[0]))) : Number.POSITIVE_INFINITY;
    const limit = Math.min(MAX_SORTED_FACTOR * maxCandidates, evenWork);
    return limit <= maxCandidates ? undefined : yield* findRareCondition(this.#rows.plan.conditions, limit);
  }
}

/** Where the search stopped, if ids are left. */
function toStopped({ segment }: SortPosition, id: number | undefined): SortPosition | undefined {
  return id === undefined ? undefined : { segment, key: null, id };
}
