import { type FoundPage, fitPage, type ListQuery, type Position } from "../../domain/lists/listing.ts";
import type { Condition, ListPlan } from "./condition.ts";
import type { Dialect } from "./dialect.ts";
import {
  type CountRound,
  continueAfter,
  type FoundRow,
  type FoundRows,
  isComplete,
  positionOfLast,
  type RowRequest,
} from "./found-rows.ts";
import { chooseLeadingIndex, findRareCondition, isRareAhead, type LeadingIndex } from "./leading-index.ts";
import { planList } from "./list-plan.ts";
import type { ListResource, Segment } from "./list-resource.ts";
import { RowReader } from "./row-reader.ts";
import { MAX_SORTED_FACTOR, scanWhileCommon } from "./scan-while-common.ts";
import { findSegments, type SortPosition } from "./sort-order.ts";
import { SortedCandidates } from "./sorted-candidates.ts";
import type { SqlValue } from "./sql.ts";
import type { SqlSteps } from "./sql-steps.ts";

/** If one row in ten matches, a scan of this many rows for each requested row fills the page. */
const SCANNED_PER_RESULT = 10;
/** So few rows are fetched and sorted at once. */
const FEW_IDS = 100;
/** If one row in a hundred matches, a range of this many ids for each requested row fills the page. */
const IDS_PER_RESULT = 100;

const ID_ORDER: Segment = { key: undefined, keyType: "number", index: undefined, where: "" };

/** Finds one page of a list with bounded work, all of it from indexes: docs/decisions/0004-bounded-lists.md. */
export function* findPage<Sort extends string, Column extends string>(
  dialect: Dialect,
  resource: ListResource<Sort, Column>,
  query: ListQuery<Sort, Column>,
): SqlSteps<FoundPage> {
  const plan = yield* planList(dialect, resource, query);
  return yield* new PageFinder(dialect, resource, query, plan).find();
}

export class PageFinder<Sort extends string, Column extends string> {
  readonly #segments: readonly Segment[];
  readonly #sortsById: boolean;
  readonly #rows: RowReader<Sort, Column>;
  /** The rows of a condition with few ids, if one of them leads. */
  #candidates: SortedCandidates<Sort, Column> | undefined;

  constructor(
    readonly dialect: Dialect,
    readonly resource: ListResource<Sort, Column>,
    readonly query: ListQuery<Sort, Column>,
    readonly plan: ListPlan,
  ) {
    this.#segments = findSegments(resource, query.sort);
    this.#sortsById = this.#segments.length === 1 && this.#segments[0]?.key === undefined;
    this.#rows = new RowReader(dialect, resource, query, plan);
  }

  *find(): SqlSteps<FoundPage> {
    const { from, offset, limit } = this.query;
    let start = this.#startPosition(from);
    const skip = from ? from.skip : offset;
    if (skip > 0) {
      const { skipped, end } = yield* this.#skip(start, skip);
      if (!end) return { items: [], next: undefined };
      if (skipped < skip) return { items: [], next: toPosition(end, skip - skipped) };
      start = end;
    }
    // One extra row tells whether there is a next page.
    const { found, end } = yield* this.#findRows(start, limit + 1, true);
    const { items, more } = fitPage(found, this.query);
    const last = found[items.length - 1];
    const stop = more && last ? last : end;
    return { items, next: stop && toPosition(stop, 0) };
  }

  #startPosition(from: Position | undefined): SortPosition {
    if (!from) return { segment: 0, key: null, id: undefined };
    const segment = this.#segments.length > 1 && from.key === null ? 1 : 0;
    return { segment, key: from.key, id: from.id };
  }

  /**
   * Skips matches after a position. The database returns only the last of them, unless there are fewer, or rows are tested
   * outside of the database.
   */
  *#skip(start: SortPosition, count: number): SqlSteps<{ skipped: number; end: SortPosition | undefined }> {
    const segment = this.#segmentAt(start);
    if (!this.#rows.matchesOf(segment) && typeof this.query.sort === "string") {
      const request = { segment, start, count, withJson: false, lastOnly: true };
      const { found: lastFound } = yield* this.#findInSegment(request);
      if (lastFound.length > 0) return { skipped: count, end: positionOfLast(lastFound, start) };
    }
    const { found, end } = yield* this.#findRows(start, count, false);
    return { skipped: found.length, end };
  }

  /** Finds up to `count` rows after a position, and where to continue if there may be more. */
  *#findRows(
    from: SortPosition,
    count: number,
    withJson: boolean,
  ): SqlSteps<{ found: FoundRow[]; end: SortPosition | undefined }> {
    const found: FoundRow[] = [];
    let start = from;
    for (;;) {
      const segment = this.#segmentAt(start);
      const next = yield* this.#findInSegment({ segment, start, count: count - found.length, withJson });
      found.push(...next.found);
      if (found.length >= count) return { found, end: positionOfLast(found, start) };
      if (next.stopped) return { found, end: next.stopped };
      if (start.segment + 1 >= this.#segments.length) return { found, end: undefined };
      start = { segment: start.segment + 1, key: null, id: undefined };
    }
  }

  #segmentAt({ segment }: SortPosition): Segment {
    const found = this.#segments[segment];
    if (!found) throw new Error("This sort order has no such segment.");
    return found;
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
  *#findInSegment(request: RowRequest): SqlSteps<FoundRows> {
    const { conditions } = this.plan;
    const { maxCandidates } = this.dialect;
    if (conditions.length === 0) {
      return this.#rows.matchesOf(request.segment)
        ? yield* this.#rows.scan(request, maxCandidates)
        : yield* this.#rows.readAll(request);
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

  #shortScan({ count }: RowRequest): number {
    return Math.min(SCANNED_PER_RESULT * count, this.dialect.maxCandidates);
  }

  #sortCandidates(condition: Condition): SortedCandidates<Sort, Column> {
    this.#candidates = new SortedCandidates(this.#rows, condition, this.query.sort);
    return this.#candidates;
  }

  /** In an order other than that of ids. */
  *#findInOrder(request: RowRequest): SqlSteps<FoundRows> {
    const { found, stopped, rare } = yield* scanWhileCommon(this.#rows, request, this.#shortScan(request));
    if (!rare || !stopped) return { found, stopped };
    const rest = continueAfter(request, found, stopped);
    return { found: [...found, ...(yield* this.#sortCandidates(rare).find(rest))] };
  }

  /** In order of id: reads some rows of the rarest index, or of the table, and then ranges of an index. */
  *#findById(request: RowRequest): SqlSteps<FoundRows> {
    const { conditions } = this.plan;
    const { descending } = this.query;
    const { start, count } = request;
    const direction = { descending, after: start.id };
    const inOrder = conditions.filter(({ order, idLists }) => order === "known" && idLists.length === 1);
    const leading = yield* chooseLeadingIndex(inOrder, this.#shortScan(request), direction);
    const search = conditions.find(({ order, idLists }) => order === "known" && idLists.length > 1);
    const first = leading
      ? { found: yield* this.#rows.readIndex(leading, request), stopped: toStopped(start, leading.last) }
      : yield* this.#rows.scan(request, search ? 2 * count : this.#shortScan(request));
    if (isComplete(request, first.found) || !first.stopped) return first;
    const rest = continueAfter(request, first.found, first.stopped);
    const isRare =
      first.found.length === 0 &&
      (!search || (yield* isRareAhead(search, { descending, after: first.stopped.id })));
    const others = isRare ? yield* this.#findInIdOrder(rest, false) : yield* this.#findNearAndFar(rest);
    return { found: [...first.found, ...others.found], stopped: others.stopped };
  }

  /** The only condition, if every row that its index returns matches. */
  get #onlyIndex(): Condition | undefined {
    const { conditions, matches } = this.plan;
    const only = conditions.length === 1 ? conditions[0] : undefined;
    return only?.exact && (!matches || only.coversMatches) ? only : undefined;
  }

  /** In order of id: reads ranges of an index that have enough matches, as far as is known. */
  *#findNearAndFar(request: RowRequest): SqlSteps<FoundRows> {
    const { descending } = this.query;
    const { maxCandidates } = this.dialect;
    const { start, count } = request;
    // The search, if there is one: its index is the intersection of several.
    const condition = this.plan.conditions.findLast(({ order }) => order !== "none");
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
    const { maxCandidates } = this.dialect;
    const { conditions, matches } = this.plan;
    const { start } = request;
    const only = conditions.length === 1 && !matches ? conditions[0] : undefined;
    // Finding the last candidate can cost as much as the page: do so only after a short page.
    const skipsChoice = only?.order === "unknown" || (only?.exact && only.selectBounded !== undefined);
    const onlyIndex = this.#onlyIndex;
    const choose = () =>
      chooseLeadingIndex(conditions, maxCandidates, {
        descending: this.query.descending,
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
      if (!condition) return yield* this.#rows.scan(request, maxCandidates);
      return { found: yield* new SortedCandidates(this.#rows, condition, "id").find(request) };
    }
    const found = yield* this.#rows.readIndex(leading, request);
    const { last } = (skipsChoice && !isComplete(request, found) ? yield* choose() : undefined) ?? leading;
    return { found, stopped: toStopped(start, last) };
  }

  /** A condition with so few ids that a short scan would be more work. */
  *#findFewIds(): SqlSteps<Condition | undefined> {
    const limit = Math.min(FEW_IDS, this.dialect.maxCandidates);
    for (const condition of this.plan.conditions) {
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
    const { maxCandidates, table } = this.dialect;
    const [row] = yield { text: `SELECT max(id) FROM ${table(this.resource.table)}`, values: [] };
    const evenWork = hasMatches ? Math.floor(Math.sqrt(count * Number(row?.[0]))) : Number.POSITIVE_INFINITY;
    const limit = Math.min(MAX_SORTED_FACTOR * maxCandidates, evenWork);
    return limit <= maxCandidates ? undefined : yield* findRareCondition(this.plan.conditions, limit);
  }
}

/** Where the search stopped, if ids are left. */
function toStopped({ segment }: SortPosition, id: number | undefined): SortPosition | undefined {
  return id === undefined ? undefined : { segment, key: null, id };
}

function toPosition({ key, id }: { key: SqlValue; id: number | undefined }, skip: number): Position {
  return { key, id: id ?? 0, skip };
}
