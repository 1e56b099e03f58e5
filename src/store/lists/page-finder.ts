import { type FoundPage, fitPage, type ListQuery, PAGE_BYTES, type Position } from "../../domain/listing.ts";
import { buildConditions } from "./build-conditions.ts";
import type { Condition } from "./condition.ts";
import type { Dialect } from "./dialect.ts";
import {
  continueAfter,
  type FoundRow,
  type FoundRows,
  isComplete,
  keyColumn,
  positionOfLast,
  type RowRequest,
  toFoundRow,
  toKey,
} from "./found-rows.ts";
import { chooseLeadingIndex, type LeadingIndex } from "./leading-index.ts";
import type { ListResource, Segment } from "./list-resource.ts";
import { afterPosition, fromSegment, type SortPosition } from "./sort-order.ts";
import type { Sql, SqlValue } from "./sql.ts";
import type { SqlSteps } from "./sql-steps.ts";

/** Pages of up to this many rows are fetched at once. More rows could be far larger than `PAGE_BYTES`. */
export const SINGLE_FETCH_ROWS = 128;

/** If one row in ten matches, a scan of this many rows for each requested row fills the page. */
const SCANNED_PER_RESULT = 10;
/** If one row in a hundred matches, a range of this many ids for each requested row fills the page. */
const IDS_PER_RESULT = 100;

/** Finds one page of a list with bounded work, all of it from indexes: docs/decisions/0004-bounded-lists.md. */
export class PageFinder<Sort extends string, Column extends string> {
  readonly #segments: readonly Segment[];
  readonly #sortsById: boolean;
  readonly #conditions: readonly Condition[];
  /** The result of `#findSelectiveCondition`; undefined before its first call. */
  #selectiveCondition: Condition | undefined | "none";

  constructor(
    readonly dialect: Dialect,
    readonly resource: ListResource<Sort, Column>,
    readonly query: ListQuery<Sort, Column>,
  ) {
    if (typeof query.sort !== "string")
      throw new Error("Lists sorted by a custom field are not implemented.");
    const segments = resource.sortOrders[query.sort];
    this.#segments = segments;
    this.#sortsById = segments.length === 1 && segments[0].key === undefined;
    this.#conditions = buildConditions(dialect, resource, query);
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

  /** Skips matches after a position. The database returns only the last of them, unless there are fewer. */
  *#skip(start: SortPosition, count: number): SqlSteps<{ skipped: number; end: SortPosition | undefined }> {
    const segment = this.#segmentAt(start);
    const { found: lastFound } = yield* this.#findInSegment({
      segment,
      start,
      count,
      withJson: false,
      lastOnly: true,
    });
    if (lastFound.length > 0) return { skipped: count, end: positionOfLast(lastFound, start) };
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

  /**
   * First tests a few rows in the order of the list, which fill the page if matches are common. If there are matches among
   * them, a short range of an index may do. Otherwise matches are rare, and the index with the rarest ones leads.
   */
  *#findInSegment(request: RowRequest): SqlSteps<FoundRows> {
    if (this.#conditions.length === 0) return yield* this.#findUnfiltered(request);
    const only = this.#conditions.length === 1 ? this.#conditions[0] : undefined;
    const needsNoScan = this.#sortsById && only?.exact === true;
    if (needsNoScan || request.lastOnly || this.#conditions.some(({ selective }) => selective)) {
      return yield* this.#findByIndex(request);
    }
    const scanLimit = Math.min(SCANNED_PER_RESULT * request.count, this.dialect.maxCandidates);
    const scanned = yield* this.#scan(request, scanLimit);
    if (isComplete(request, scanned.found) || !scanned.stopped) return scanned;
    const rest = continueAfter(request, scanned.found, scanned.stopped);
    const hasMatches = scanned.found.length > 0;
    const others =
      hasMatches && this.#sortsById ? yield* this.#findNearAndFar(rest) : yield* this.#findByIndex(rest);
    return { found: [...scanned.found, ...others.found], stopped: others.stopped };
  }

  *#findByIndex(request: RowRequest): SqlSteps<FoundRows> {
    if (this.#sortsById) return yield* this.#findInIdOrder(request);
    const selective = yield* this.#findSelectiveCondition();
    return selective
      ? { found: yield* this.#fetchAndSort(selective, request) }
      : yield* this.#scan(request, this.dialect.maxCandidates);
  }

  /** Without conditions: reads the sort order's index. On a long page, the first rows tell how many more fit. */
  *#findUnfiltered(request: RowRequest): SqlSteps<FoundRows> {
    const { segment, start, count, withJson } = request;
    const first = withJson ? Math.min(count, SINGLE_FETCH_ROWS) : count;
    const found = yield* this.#select({ ...request, count: first });
    if (first === count || found.length < first) return { found };
    const bytes = found.reduce((sum, { json }) => sum + json.length, 0);
    const room = Math.min(count, Math.ceil((first * PAGE_BYTES) / bytes));
    if (room > first) {
      const rest = { segment, start: positionOfLast(found, start), count: room - first, withJson };
      found.push(...(yield* this.#select(rest)));
    }
    return found.length < room || room === count
      ? { found }
      : { found, stopped: positionOfLast(found, start) };
  }

  *#select(request: RowRequest): SqlSteps<FoundRow[]> {
    const { segment, start, withJson } = request;
    const { text, values } = this.#fromSegment(segment, start);
    return yield* this.#queryRows(request, {
      text: `SELECT u.id, ${keyColumn(segment)}, ${this.#jsonColumn(withJson)} ${text}`,
      values,
    });
  }

  /** In order of id: reads a short range of an index first. */
  *#findNearAndFar(request: RowRequest): SqlSteps<FoundRows> {
    const { descending } = this.query;
    const { start, count } = request;
    // The search, if there is one: its index is the intersection of several.
    const condition = this.#conditions.at(-1);
    if (start.id === undefined || !condition?.sorted) return yield* this.#findInIdOrder(request);
    const range = Math.min(count * IDS_PER_RESULT, this.dialect.maxCandidates);
    const last = Math.max(0, descending ? start.id - range : start.id + range);
    const near = yield* this.#readIndex({ condition, last }, request);
    if (near.length >= count) return { found: near };
    const rest = continueAfter(request, near, { ...start, id: last });
    const far = yield* this.#findInIdOrder(rest);
    return { found: [...near, ...far.found], stopped: far.stopped };
  }

  /** In order of id, like the conditions' indexes: reads ids from the leading index and applies the other conditions. */
  *#findInIdOrder(request: RowRequest): SqlSteps<FoundRows> {
    const { start } = request;
    const only = this.#conditions.length === 1 ? this.#conditions[0] : undefined;
    // In an unsorted index, finding the last candidate costs as much as the page: do so only after a short page.
    const skipsChoice = only !== undefined && !only.sorted;
    const choose = () =>
      chooseLeadingIndex(this.#conditions, this.dialect.maxCandidates, this.query.descending, start.id);
    const leading: LeadingIndex =
      only && (only.exact || skipsChoice) ? { condition: only, last: undefined } : yield* choose();
    const found = yield* this.#readIndex(leading, request);
    const { last } = skipsChoice && !isComplete(request, found) ? yield* choose() : leading;
    return {
      found,
      stopped: last === undefined ? undefined : { segment: start.segment, key: null, id: last },
    };
  }

  /** Reads the leading index up to its last id and applies the other conditions. */
  *#readIndex({ condition, last }: LeadingIndex, request: RowRequest): SqlSteps<FoundRow[]> {
    const { descending } = this.query;
    const { maxCandidates, optimizationFence, repeatOrder } = this.dialect;
    const ids = condition.selectIds({ descending, after: request.start.id, last });
    const tests = this.#testSql(condition);
    const order = condition.sorted ? repeatOrder(["id"], descending) : "";
    const isUnbounded = !condition.sorted && last === undefined && this.#conditions.length === 1;
    const rows = this.#joinRows(`${ids.text} ${isUnbounded ? `LIMIT ${maxCandidates}` : optimizationFence}`);
    return yield* this.#queryRows(request, {
      text: `SELECT u.id, NULL, ${this.#jsonColumn(request.withJson)} FROM ${rows} WHERE ${tests.text} ${order}`,
      values: [...ids.values, ...tests.values],
    });
  }

  /** A condition with at most `maxCandidates` ids, if there is one: few enough to fetch and sort. */
  *#findSelectiveCondition(): SqlSteps<Condition | undefined> {
    if (this.#selectiveCondition === undefined) {
      const { maxCandidates } = this.dialect;
      const { condition, last } = yield* chooseLeadingIndex(
        this.#conditions,
        maxCandidates,
        false,
        undefined,
      );
      this.#selectiveCondition = last === undefined ? condition : "none";
    }
    return this.#selectiveCondition === "none" ? undefined : this.#selectiveCondition;
  }

  *#fetchAndSort(condition: Condition, request: RowRequest): SqlSteps<FoundRow[]> {
    const { segment, start, withJson } = request;
    const ids = condition.selectIds({ descending: false, after: undefined, last: undefined });
    const { text, values } = afterPosition(segment, this.query.descending, start, this.#testSql(condition));
    const rows = this.#joinRows(`${ids.text} ${this.dialect.optimizationFence}`);
    return yield* this.#queryRows(request, {
      text: `SELECT u.id, ${keyColumn(segment)}, ${this.#jsonColumn(withJson)} FROM ${rows} ${text}`,
      values: [...ids.values, ...values],
    });
  }

  /** Reads the sort order's index and tests each row, `scanLimit` rows at most. Fast if matches are common. */
  *#scan(request: RowRequest, scanLimit: number): SqlSteps<FoundRows> {
    const { segment, start, withJson } = request;
    const { descending } = this.query;
    const from = this.#fromSegment(segment, start);
    const tests = this.#testSql();
    const scan = `SELECT u.id, ${keyColumn(segment)} AS key ${from.text} LIMIT`;
    const order = this.dialect.repeatOrder(segment.key ? ["key", "id"] : ["id"], descending);
    const found = yield* this.#queryRows(request, {
      text: `SELECT u.id, d.key, ${this.#jsonColumn(withJson)} FROM ${this.#joinRows(`${scan} ?`)}
             WHERE ${tests.text} ${order}`,
      values: [...from.values, scanLimit, ...tests.values],
    });
    if (isComplete(request, found)) return { found };
    const [last] = yield { text: `${scan} 1 OFFSET ?`, values: [...from.values, scanLimit - 1] };
    return {
      found,
      stopped: last && { segment: start.segment, key: toKey(segment, last[1]), id: Number(last[0]) },
    };
  }

  /** All conditions as tests, except a leading one whose index is exact. */
  #testSql(leading?: Condition): Sql {
    const tests = this.#conditions
      .filter((condition) => condition !== leading || !condition.exact)
      .map(({ test }) => test);
    return {
      text: tests.length > 0 ? tests.map(({ text }) => text).join(" AND ") : "TRUE",
      values: tests.flatMap(({ values }) => values),
    };
  }

  #fromSegment(segment: Segment, start: SortPosition): Sql {
    return fromSegment(this.dialect, this.resource.table, segment, this.query.descending, start);
  }

  #joinRows(ids: string): string {
    return this.dialect.joinRows(this.resource.table, ids);
  }

  #jsonColumn(withJson: boolean): string {
    return withJson ? this.dialect.json : "NULL";
  }

  /** Runs a SELECT of the requested rows, without its LIMIT. */
  *#queryRows({ segment, count, lastOnly }: RowRequest, { text, values }: Sql): SqlSteps<FoundRow[]> {
    const rows = yield lastOnly
      ? { text: `${text} LIMIT 1 OFFSET ?`, values: [...values, count - 1] }
      : { text: `${text} LIMIT ?`, values: [...values, count] };
    return rows.map((row) => toFoundRow(segment, row));
  }
}

function toPosition({ key, id }: { key: SqlValue; id: number | undefined }, skip: number): Position {
  return { key, id: id ?? 0, skip };
}
