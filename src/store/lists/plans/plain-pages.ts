import {
  type FoundPage,
  fitPage,
  type ListQuery,
  type MembershipFilter,
  skipOf,
} from "../../../domain/lists/listing.ts";
import { readId } from "../../../domain/lists/row-id.ts";
import type { Sql } from "../../sql/sql.ts";
import type { SqlSteps } from "../../sql/sql-steps.ts";
import type { ListPlan } from "../condition.ts";
import { membershipFilter } from "../conditions/membership-filter.ts";
import type { Dialect } from "../dialect.ts";
import { plainMembership } from "../fast-list.ts";
import type { ListResource, Segment } from "../list-resource.ts";
import { slots } from "../page-statement.ts";
import { findSegments, type StatementStart, segmentColumns } from "../sort-order.ts";
import { isUnfiltered } from "./count.ts";
import { inSteps, toBytes, toKey } from "./found-rows.ts";
import { RowReader, SINGLE_FETCH_ROWS } from "./row-reader.ts";

/** The most lists to keep statements of: orders by custom fields are any number. */
const MAX_LISTS = 64;

const NO_CONDITIONS: ListPlan = {
  conditions: [],
  tests: [],
  matches: undefined,
  absent: [],
  unindexed: [],
};

/** Lists that differ in their position, and in what their rows belong to, only. */
interface PlainList {
  readonly rows: RowReader;
  readonly segment: Segment;
  readonly hasMoreSegments: boolean;
  /** Selects the columns JSON and, if the order has one, sort key. */
  select(start: StatementStart): Sql;
}

/**
 * Pages of lists without conditions, the most frequent kind, and of all rows that belong to another one. Their statements read nothing
 * but what is on the page.
 */
export class PlainPages {
  readonly #dialect: Dialect;
  readonly #resource: ListResource;
  readonly #lists = new Map<string, PlainList>();

  constructor(dialect: Dialect, resource: ListResource) {
    this.#dialect = dialect;
    this.#resource = resource;
  }

  /** Finds a page with one statement. Undefined if that is not enough, or if the list has other conditions or skips rows. */
  *find(query: ListQuery): SqlSteps<FoundPage | undefined> {
    const { from, limit } = query;
    const other = plainMembership(query);
    if (other === undefined && !isUnfiltered(query)) return undefined;
    if (limit >= SINGLE_FETCH_ROWS || skipOf(query) > 0) return undefined;
    const { rows, segment, hasMoreSegments, select } = this.#listOf(query, other !== undefined);
    if (hasMoreSegments && from?.key === null) return undefined;
    const start = { segment: 0, key: from?.key ?? null, id: from?.id };
    // One extra row tells whether there is a next page.
    const request = { segment, start, count: limit + 1, withJson: true, other };
    const selected = yield rows.statement("plain", request, select);
    const found: { json: Uint8Array; key: unknown }[] = [];
    yield* inSteps(selected, 0, ([json, key]) => found.push({ json: toBytes(json), key }));
    const { items, more } = fitPage(found, query);
    if (!more) return hasMoreSegments ? undefined : { items, next: undefined };
    const last = found[items.length - 1];
    const next = last && { key: toKey(segment, last.key), id: readId(last.json), skip: 0 };
    return { items, next };
  }

  #listOf(query: ListQuery, isOfMembers: boolean): PlainList {
    const { sort, descending } = query;
    const order = `${descending ? "-" : ""}${typeof sort === "string" ? sort : `.${sort.custom}`}`;
    const name = isOfMembers ? `members ${order}` : order;
    const known = this.#lists.get(name);
    if (known) return known;
    const [segment, ...others] = findSegments(this.#resource, sort);
    if (!segment) throw new Error("This sort order has no segment.");
    const rows = new RowReader(this.#dialect, this.#resource, query, NO_CONDITIONS);
    const list = {
      rows,
      segment,
      hasMoreSegments: others.length > 0,
      select: isOfMembers ? this.#selectMembers(descending) : this.#selectAll(rows, segment),
    };
    if (this.#lists.size >= MAX_LISTS) this.#lists.clear();
    this.#lists.set(name, list);
    return list;
  }

  #selectAll(rows: RowReader, segment: Segment): PlainList["select"] {
    const { key } = segmentColumns(this.#resource, segment);
    const { json } = this.#dialect;
    return (start) => rows.selectAll(segment, start, key ? [json, key] : [json]);
  }

  /** In order of id, as the index of members is. */
  #selectMembers(descending: boolean): PlainList["select"] {
    const { json } = this.#dialect;
    const filter: MembershipFilter = { kind: "membership", by: "id", values: [slots.other] };
    const built = membershipFilter(this.#dialect, this.#resource, filter);
    if (!("condition" in built)) throw new Error("A filter by an id has an index.");
    const { selectIds } = built.condition;
    return ({ id: after }) => {
      const { text, values } = selectIds({ descending, after, last: undefined });
      const rows = this.#dialect.pageRows(this.#resource.table, `${text} LIMIT ?`, descending);
      return { text: `SELECT ${json} FROM ${rows}`, values: [...values, slots.count] };
    };
  }
}
