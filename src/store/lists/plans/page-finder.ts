import type { ListExplanation } from "../../../contract/users/explanation-schemas.ts";
import {
  type FoundPage,
  fitPage,
  type ListQuery,
  type Position,
  skipOf,
} from "../../../domain/lists/listing.ts";
import type { SqlValue } from "../../sql/sql.ts";
import type { SqlSteps } from "../../sql/sql-steps.ts";
import { KnownEntries } from "../conditions/known-entries.ts";
import type { Dialect } from "../dialect.ts";
import type { CountRound } from "../list-reads.ts";
import type { ListResource, Segment } from "../list-resource.ts";
import { findSegments, type SortPosition } from "../sort-order.ts";
import { Checks, checkedSteps } from "./checked-steps.ts";
import type { Estimates, PlannedWork } from "./choose-plan.ts";
import { countAfter } from "./count.ts";
import { estimateList } from "./estimate.ts";
import { countStatements, explainLookup, SearchTrace } from "./explain.ts";
import { countRows, type FoundRow, positionOfLast, type RowRequest } from "./found-rows.ts";
import { planList } from "./list-plan.ts";
import { PlainPages } from "./plain-pages.ts";
import { type EstimatedList, PlanMemory, type RememberedList } from "./plan-memory.ts";
import { RowFinder, type SearchOptions, type WorkLimit } from "./row-finder.ts";
import { RowReader } from "./row-reader.ts";
import { findUnique, uniqueLookup } from "./unique-lookup.ts";

/** The page would take more work than allowed. */
export const TOO_MUCH = "too much";

/** The page of a list whose work is not limited. */
export function requirePage(found: FoundPage | typeof TOO_MUCH): FoundPage {
  if (found === TOO_MUCH) throw new Error("The work of this list is not limited.");
  return found;
}

/** Finds pages of the lists of one resource with bounded work, all of it from indexes: docs/decisions/0004-bounded-lists.md. */
export class PageFinder {
  readonly #dialect: Dialect;
  readonly #resource: ListResource;
  readonly #known: KnownEntries;
  readonly #memory = new PlanMemory();
  readonly #plainPages: PlainPages;

  constructor(dialect: Dialect, resource: ListResource) {
    this.#dialect = dialect;
    this.#resource = resource;
    this.#known = new KnownEntries(dialect, resource.customValues);
    this.#plainPages = new PlainPages(dialect, resource);
  }

  /** Whether one statement found the last page of this list. To skip rows takes another one. */
  canFindAtOnce(query: ListQuery): boolean {
    return skipOf(query) === 0 && (this.#memory.recall(query)?.isOneStatement ?? false);
  }

  /** How the first page of a list was found. */
  planOf(query: ListQuery): PlannedWork | undefined {
    return this.#memory.recall(query)?.work;
  }

  /** Finds a page with one statement, which needs no transaction. Undefined if it needs more, or if nothing is known about the list. */
  *findAtOnce(query: ListQuery, limit?: WorkLimit): SqlSteps<FoundPage | typeof TOO_MUCH | undefined> {
    const lookup = uniqueLookup(this.#dialect, this.#resource, query);
    if (lookup) return yield* findUnique(lookup, query);
    const plain = yield* this.#plainPages.find(query);
    if (plain) return plain;
    const list = this.canFindAtOnce(query) ? this.#memory.recall(query) : undefined;
    return list && (yield* this.#findAgain(query, list, { limit, maxStatements: 1 }));
  }

  /** Finds a page. All statements have to see the same state of the database. */
  *find(query: ListQuery, limit?: WorkLimit): SqlSteps<FoundPage | typeof TOO_MUCH> {
    const lookup = uniqueLookup(this.#dialect, this.#resource, query);
    if (lookup) return yield* findUnique(lookup, query);
    const remembered = this.#memory.recall(query);
    const again = remembered && (yield* this.#findAgain(query, remembered, { limit }));
    if (again) return again;
    const list = yield* this.#estimate(query, query.from?.id);
    const search = new PageSearch(query, list, { limit });
    const found = yield* checkedSteps(search.find());
    if (!found) throw new Error("A list without checks was not found.");
    const checks = new Checks(list.rows.plan.absent.map((entries) => this.#known.check(entries)));
    this.#memory.remember(query, {
      rows: list.rows,
      estimates: search.estimates,
      work: search.work,
      checks,
      isOneStatement: found.statements === 1 && skipOf(query) === 0,
    });
    return found.result;
  }

  /** Finds a page without what is remembered of its list, and says how. All statements have to see the same state of the database. */
  *explain(query: ListQuery): SqlSteps<ListExplanation> {
    const lookup = uniqueLookup(this.#dialect, this.#resource, query);
    if (lookup) return explainLookup(query, yield* findUnique(lookup, query));
    const estimated = yield* countStatements(this.#estimate(query, query.from?.id));
    const trace = new SearchTrace(estimated.result);
    const search = new PageSearch(query, estimated.result, { observer: trace });
    const found = yield* countStatements(search.find());
    return trace.explain(requirePage(found.result), estimated.statements + found.statements);
  }

  /** Counts the matches after an id, with bounded work. */
  *countRound(query: ListQuery, after: number | undefined): SqlSteps<CountRound> {
    const inIdOrder = { ...query, sort: "id", descending: false };
    return yield* countAfter(yield* this.#estimate(inIdOrder, after), after);
  }

  /** Plans a list, and again if the index of custom fields has what the plan takes to be absent. */
  *#estimate(query: ListQuery, after: number | undefined): SqlSteps<EstimatedList> {
    for (;;) {
      const plan = planList(this.#dialect, this.#resource, query, this.#known);
      const rows = new RowReader(this.#dialect, this.#resource, query, plan);
      const list = yield* estimateList(rows, this.#known, after);
      if (list) return list;
    }
  }

  *#findAgain(
    query: ListQuery,
    list: RememberedList,
    { limit, maxStatements }: { limit: WorkLimit | undefined; maxStatements?: number },
  ): SqlSteps<FoundPage | typeof TOO_MUCH | undefined> {
    const search = new PageSearch(query, list, { limit });
    const found = yield* checkedSteps(search.find(), { checks: list.checks, maxStatements });
    // Another page of the list may need more work.
    if (!found && !query.from) this.#memory.forget(query);
    if (found) {
      list.estimates = search.estimates;
      list.work = search.work ?? list.work;
      if (found.statements === 1 && skipOf(query) === 0) list.isOneStatement = true;
    }
    return found?.result;
  }
}

/** The search for one page. */
class PageSearch {
  readonly #query: ListQuery;
  readonly #segments: readonly Segment[];
  readonly #finder: RowFinder;
  #isTooMuch = false;

  constructor(query: ListQuery, { rows, estimates }: EstimatedList, options: SearchOptions) {
    this.#query = query;
    this.#segments = findSegments(rows.resource, query.sort);
    this.#finder = new RowFinder(rows, this.#segments, estimates, options);
  }

  /** What is known now. */
  get estimates(): Estimates {
    return this.#finder.estimates;
  }

  /** The last plan. */
  get work(): PlannedWork | undefined {
    return this.#finder.work;
  }

  *find(): SqlSteps<FoundPage | typeof TOO_MUCH> {
    const page = yield* this.#find();
    return this.#isTooMuch ? TOO_MUCH : page;
  }

  *#find(): SqlSteps<FoundPage> {
    const { from, limit } = this.#query;
    let start = this.#startPosition(from);
    const skip = skipOf(this.#query);
    if (skip > 0) {
      const { count, end } = yield* this.#findRows(start, { count: skip, withJson: false, skip: "last" });
      if (!end) return { items: [], next: undefined };
      if (count < skip) return { items: [], next: toPosition(end, skip - count) };
      start = end;
    }
    // One extra row tells whether there is a next page.
    const { found, end } = yield* this.#findRows(start, { count: limit + 1, withJson: true });
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

  /** Finds or skips up to `count` rows after a position. `end` is where to continue if there may be more. */
  *#findRows(
    from: SortPosition,
    wanted: Pick<RowRequest, "count" | "withJson" | "skip">,
  ): SqlSteps<{ found: FoundRow[]; count: number; end: SortPosition | undefined }> {
    const found: FoundRow[] = [];
    let count = 0;
    let start = from;
    for (;;) {
      const segment = this.#segmentAt(start);
      const next = yield* this.#finder.find({ ...wanted, segment, start, count: wanted.count - count });
      if (next.isTooMuch) this.#isTooMuch = true;
      // They can be too many for the arguments of a call.
      for (const row of next.found) found.push(row);
      count += countRows(next);
      if (next.stopped) return { found, count, end: next.stopped };
      if (count >= wanted.count) return { found, count, end: positionOfLast(found, start) };
      if (start.segment + 1 >= this.#segments.length) return { found, count, end: undefined };
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
