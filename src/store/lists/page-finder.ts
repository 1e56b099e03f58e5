import { type FoundPage, fitPage, type ListQuery, PAGE_BYTES, type Position } from "../../domain/listing.ts";
import { buildConditions } from "./build-conditions.ts";
import type { Condition } from "./condition.ts";
import type { Dialect } from "./dialect.ts";
import { chooseLeadingIndex, type LeadingIndex } from "./leading-index.ts";
import type { ListResource, Segment } from "./list-resource.ts";
import { afterPosition, fromSegment, type SortPosition } from "./sort-order.ts";
import type { Sql, SqlValue } from "./sql.ts";
import type { SqlSteps } from "./sql-steps.ts";

/** Pages of up to this many rows are fetched at once. More rows could be far larger than `PAGE_BYTES`. */
export const SINGLE_FETCH_ROWS = 128;

interface FoundRow {
  readonly key: SqlValue;
  readonly id: number;
  /** Empty for rows that are only skipped. */
  readonly json: Uint8Array;
}

/** Rows found in one segment, and where the search stopped if its work ran out before the segment's end. */
interface FoundRows {
  readonly found: readonly FoundRow[];
  readonly stopped?: SortPosition | undefined;
}

interface RowRequest {
  readonly segment: Segment;
  readonly start: SortPosition;
  readonly count: number;
  readonly withJson: boolean;
}

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
      const skipped = yield* this.#findRows(start, skip, false);
      if (!skipped.end) return { items: [], next: undefined };
      if (skipped.found.length < skip) {
        return { items: [], next: toPosition(skipped.end, skip - skipped.found.length) };
      }
      start = skipped.end;
    }
    // One extra row tells whether there is a next page.
    const { found, end } = yield* this.#findRows(start, limit + 1, true);
    const { items, more } = fitPage(found, limit);
    const last = found[items.length - 1];
    const stop = more && last ? last : end;
    return { items, next: stop && toPosition(stop, 0) };
  }

  #startPosition(from: Position | undefined): SortPosition {
    if (!from) return { segment: 0, key: null, id: undefined };
    const segment = this.#segments.length > 1 && from.key === null ? 1 : 0;
    return { segment, key: from.key, id: from.id };
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
      const segment = this.#segments[start.segment];
      if (!segment) throw new Error("This sort order has no such segment.");
      const next = yield* this.#findInSegment({ segment, start, count: count - found.length, withJson });
      found.push(...next.found);
      if (found.length >= count) return { found, end: positionOfLast(found, start) };
      if (next.stopped) return { found, end: next.stopped };
      if (start.segment + 1 >= this.#segments.length) return { found, end: undefined };
      start = { segment: start.segment + 1, key: null, id: undefined };
    }
  }

  *#findInSegment(request: RowRequest): SqlSteps<FoundRows> {
    if (this.#conditions.length === 0) return yield* this.#findUnfiltered(request);
    const unsorted = this.#conditions.some(({ sorted }) => !sorted);
    if (!unsorted || this.#conditions.some(({ selective }) => selective)) {
      return yield* this.#findByIndex(request);
    }
    const { scannedPerResult, maxCandidates } = this.dialect;
    const scanned = yield* this.#scan(request, Math.min(scannedPerResult * request.count, maxCandidates));
    if (scanned.found.length >= request.count || !scanned.stopped) return scanned;
    const rest = yield* this.#findByIndex({
      ...request,
      start: scanned.stopped,
      count: request.count - scanned.found.length,
    });
    return { found: [...scanned.found, ...rest.found], stopped: rest.stopped };
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
    const found = yield* this.#select(request, first);
    if (first === count || found.length < first) return { found };
    const bytes = found.reduce((sum, { json }) => sum + json.length, 0);
    const room = Math.min(count, Math.ceil((first * PAGE_BYTES) / bytes));
    if (room > first) {
      const rest = { segment, start: positionOfLast(found, start), count, withJson };
      found.push(...(yield* this.#select(rest, room - first)));
    }
    return found.length < room || room === count
      ? { found }
      : { found, stopped: positionOfLast(found, start) };
  }

  *#select({ segment, start, withJson }: RowRequest, count: number): SqlSteps<FoundRow[]> {
    const { text, values } = this.#fromSegment(segment, start);
    return yield* this.#queryRows(segment, {
      text: `SELECT u.id, ${keyColumn(segment)}, ${this.#jsonColumn(withJson)} ${text} LIMIT ?`,
      values: [...values, count],
    });
  }

  /** In order of id, like the conditions' indexes: reads ids from the leading index and applies the other conditions. */
  *#findInIdOrder({ segment, start, count, withJson }: RowRequest): SqlSteps<FoundRows> {
    const { descending } = this.query;
    const { maxCandidates, optimizationFence, repeatOrder } = this.dialect;
    const only = this.#conditions.length === 1 ? this.#conditions[0] : undefined;
    // In an unsorted index, finding the last candidate costs as much as the page: do so only after a short page.
    const skipsChoice = only !== undefined && !only.sorted;
    const choose = () => chooseLeadingIndex(this.#conditions, maxCandidates, descending, start.id);
    const leading: LeadingIndex =
      only && (only.exact || skipsChoice) ? { condition: only, last: undefined } : yield* choose();
    const ids = leading.condition.selectIds({ descending, after: start.id, last: leading.last });
    const tests = this.#testSql(leading.condition);
    const order = leading.condition.sorted ? repeatOrder(["id"], descending) : "";
    const rows = this.#joinRows(`${ids.text} ${skipsChoice ? `LIMIT ${maxCandidates}` : optimizationFence}`);
    const found = yield* this.#queryRows(segment, {
      text: `SELECT u.id, NULL, ${this.#jsonColumn(withJson)} FROM ${rows} WHERE ${tests.text} ${order} LIMIT ?`,
      values: [...ids.values, ...tests.values, count],
    });
    const { last } = skipsChoice && found.length < count ? yield* choose() : leading;
    return {
      found,
      stopped: last === undefined ? undefined : { segment: start.segment, key: null, id: last },
    };
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

  *#fetchAndSort(
    condition: Condition,
    { segment, start, count, withJson }: RowRequest,
  ): SqlSteps<FoundRow[]> {
    const ids = condition.selectIds({ descending: false, after: undefined, last: undefined });
    const { text, values } = afterPosition(segment, this.query.descending, start, this.#testSql(condition));
    const rows = this.#joinRows(`${ids.text} ${this.dialect.optimizationFence}`);
    return yield* this.#queryRows(segment, {
      text: `SELECT u.id, ${keyColumn(segment)}, ${this.#jsonColumn(withJson)}
             FROM ${rows} ${text} LIMIT ?`,
      values: [...ids.values, ...values, count],
    });
  }

  /** Reads the sort order's index and tests each row, `scanLimit` rows at most. Fast if matches are common. */
  *#scan({ segment, start, count, withJson }: RowRequest, scanLimit: number): SqlSteps<FoundRows> {
    const { descending } = this.query;
    const from = this.#fromSegment(segment, start);
    const tests = this.#testSql();
    const scan = `SELECT u.id, ${keyColumn(segment)} AS key ${from.text} LIMIT`;
    const order = this.dialect.repeatOrder(segment.key ? ["key", "id"] : ["id"], descending);
    const found = yield* this.#queryRows(segment, {
      text: `SELECT u.id, d.key, ${this.#jsonColumn(withJson)} FROM ${this.#joinRows(`${scan} ?`)}
             WHERE ${tests.text} ${order} LIMIT ?`,
      values: [...from.values, scanLimit, ...tests.values, count],
    });
    if (found.length >= count) return { found };
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

  *#queryRows(segment: Segment, sql: Sql): SqlSteps<FoundRow[]> {
    const rows = yield sql;
    return rows.map(([id, key, json]) => ({
      id: Number(id),
      key: toKey(segment, key),
      json: json instanceof Uint8Array ? json : typeof json === "string" ? Buffer.from(json) : EMPTY,
    }));
  }
}

const EMPTY = new Uint8Array();

function keyColumn({ key }: Segment): string {
  return key ? `u.${key}` : "NULL";
}

function toKey({ keyType }: Segment, value: unknown): SqlValue {
  if (value === null || value === undefined) return null;
  return keyType === "number" ? Number(value) : String(value);
}

function toPosition({ key, id }: { key: SqlValue; id: number | undefined }, skip: number): Position {
  return { key, id: id ?? 0, skip };
}

/** The position of the last row found, or the start if no row was found. */
function positionOfLast(found: readonly FoundRow[], start: SortPosition): SortPosition {
  const last = found.at(-1);
  return last ? { segment: start.segment, key: last.key, id: last.id } : start;
}
