import { type FoundPage, fitPage, type ListQuery, type Position } from "../../../domain/lists/listing.ts";
import type { SqlValue } from "../../sql/sql.ts";
import type { SqlSteps } from "../../sql/sql-steps.ts";
import type { Dialect } from "../dialect.ts";
import type { ListResource, Segment } from "../list-resource.ts";
import { findSegments, type SortPosition } from "../sort-order.ts";
import { type FoundRow, positionOfLast } from "./found-rows.ts";
import { planList } from "./list-plan.ts";
import { inOneStatement } from "./one-statement.ts";
import type { PageStrategy, PlanMemory } from "./plan-memory.ts";
import { RowReader } from "./row-reader.ts";
import { SegmentFinder } from "./segment-finder.ts";
import { findUnique, uniqueLookup } from "./unique-lookup.ts";

/** Finds one page of a list with bounded work, all of it from indexes: docs/decisions/0004-bounded-lists.md. */
export function* findPage(
  dialect: Dialect,
  resource: ListResource,
  query: ListQuery,
  memory?: PlanMemory,
): SqlSteps<FoundPage> {
  const lookup = uniqueLookup(dialect, resource, query);
  if (lookup) return yield* findUnique(lookup, query);
  const plan = yield* planList(dialect, resource, query);
  const rows = new RowReader(dialect, resource, query, plan);
  const finder = new PageFinder(rows, query);
  const page = yield* finder.find();
  const { strategy } = finder;
  if (strategy && !query.from && query.offset === 0) memory?.remember(query, { rows, strategy });
  return page;
}

/** Finds one page with one statement, as it was found before. Undefined if the list is not remembered, or has changed. */
export function* findRemembered(query: ListQuery, memory: PlanMemory): SqlSteps<FoundPage | undefined> {
  const remembered = memory.recall(query);
  if (!remembered) return undefined;
  const { rows, strategy } = remembered;
  const finder = new PageFinder(rows, query, strategy);
  // The plan assumes nothing if SQL tests nothing.
  const absent = strategy.kind === "scan" && !rows.hasTests ? [] : rows.plan.absent;
  const page = yield* inOneStatement(finder.find(), rows.dialect, rows.resource, absent);
  if (page && !finder.isOutdated) return page;
  // Another page of the list may need more work.
  if (!query.from) memory.forget(query);
  return undefined;
}

class PageFinder {
  readonly #query: ListQuery;
  readonly #segments: readonly Segment[];
  readonly #rows: RowReader;
  readonly #finder: SegmentFinder;

  constructor(rows: RowReader, query: ListQuery, strategy?: PageStrategy) {
    this.#query = query;
    this.#rows = rows;
    this.#segments = findSegments(rows.resource, query.sort);
    this.#finder = new SegmentFinder(rows, this.#segments, strategy);
  }

  /** How one statement finds such a page. */
  get strategy(): PageStrategy | undefined {
    return this.#finder.strategy;
  }

  /** The strategy did not find the whole page. */
  get isOutdated(): boolean {
    return this.#finder.isOutdated;
  }

  *find(): SqlSteps<FoundPage> {
    const { from, offset, limit } = this.#query;
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
    const { items, more } = fitPage(found, this.#query);
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
    if (!this.#rows.matchesOf(segment) && typeof this.#query.sort === "string") {
      const request = { segment, start, count, withJson: false, lastOnly: true };
      const { found: lastFound, isEnd } = yield* this.#finder.find(request);
      if (isEnd) return { skipped: 0, end: undefined };
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
      const next = yield* this.#finder.find({ segment, start, count: count - found.length, withJson });
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
}

function toPosition({ key, id }: { key: SqlValue; id: number | undefined }, skip: number): Position {
  return { key, id: id ?? 0, skip };
}
