import {
  type FoundPage,
  fitPage,
  type ListQuery,
  type MembershipFilter,
  skipOf,
} from "../../../domain/lists/listing.ts";
import { readId } from "../../../domain/lists/row-id.ts";
import type { SqlSteps } from "../../sql/sql-steps.ts";
import type { Condition, ListPlan } from "../condition.ts";
import { membershipFilter } from "../conditions/membership-filter.ts";
import type { Dialect } from "../dialect.ts";
import { plainMembership } from "../fast-list.ts";
import { type ListResource, ofField, type Segment } from "../list-resource.ts";
import { slots } from "../page-statement.ts";
import { findSegments, segmentColumns } from "../sort-order.ts";
import { isUnfiltered } from "./count.ts";
import { inSteps, toBytes, toKey } from "./found-rows.ts";
import { RowReader, SINGLE_FETCH_ROWS } from "./row-reader.ts";

/** The most sort orders to keep statements of: those of custom fields are any number. */
const MAX_ORDERS = 64;

const NO_CONDITIONS: ListPlan = {
  conditions: [],
  tests: [],
  matches: undefined,
  absent: [],
  unindexed: [],
};

interface PlainOrder {
  readonly rows: RowReader;
  readonly segment: Segment;
  readonly hasMoreSegments: boolean;
}

/** The rows that belong to another one. */
interface PlainMembership {
  readonly rows: RowReader;
  readonly condition: Condition;
}

/**
 * Pages of lists without conditions, the most frequent kind, and of all rows that belong to another one. Their statements read nothing
 * but what is on the page.
 */
export class PlainPages {
  readonly #dialect: Dialect;
  readonly #resource: ListResource;
  readonly #orders = new Map<string, PlainOrder>();
  readonly #memberships = new Map<boolean, PlainMembership>();

  constructor(dialect: Dialect, resource: ListResource) {
    this.#dialect = dialect;
    this.#resource = resource;
  }

  /** Finds a page with one statement. Undefined if that is not enough, or if the list has conditions or skips rows. */
  *find(query: ListQuery): SqlSteps<FoundPage | undefined> {
    const { from, limit } = query;
    if (limit >= SINGLE_FETCH_ROWS || skipOf(query) > 0) return undefined;
    const other = plainMembership(query);
    if (other !== undefined) return yield* this.#findMembers(query, other);
    if (!isUnfiltered(query)) return undefined;
    const { rows, segment, hasMoreSegments } = this.#orderOf(query);
    if (hasMoreSegments && from?.key === null) return undefined;
    const start = { segment: 0, key: from?.key ?? null, id: from?.id };
    // One extra row tells whether there is a next page.
    const request = { segment, start, count: limit + 1, withJson: true };
    const selected = yield rows.statement("plain", request, (position) => {
      const { key } = segmentColumns(this.#resource, segment);
      const { json } = this.#dialect;
      return rows.selectAll(segment, position, key ? [json, key] : [json]);
    });
    const found: { json: Uint8Array; key: unknown }[] = [];
    yield* inSteps(selected, 0, ([json, key]) => found.push({ json: toBytes(json), key }));
    const { items, more } = fitPage(found, query);
    if (!more) return hasMoreSegments ? undefined : { items, next: undefined };
    const last = found[items.length - 1];
    const next = last && { key: toKey(segment, last.key), id: readId(last.json), skip: 0 };
    return { items, next };
  }

  *#findMembers(query: ListQuery, other: number): SqlSteps<FoundPage> {
    const { from, limit } = query;
    const { rows, condition } = this.#membershipsOf(query);
    const [segment] = ofField(this.#resource.sortOrders, "id");
    const start = { segment: 0, key: null, id: from?.id };
    const request = { segment, start, count: limit + 1, withJson: true, other };
    const { found } = yield* rows.readIndex(condition, request, {});
    const { items, more } = fitPage(found, query);
    const last = found[items.length - 1];
    return { items, next: more && last ? { key: null, id: last.id, skip: 0 } : undefined };
  }

  #membershipsOf(query: ListQuery): PlainMembership {
    const { descending } = query;
    const known = this.#memberships.get(descending);
    if (known) return known;
    const filter: MembershipFilter = { kind: "membership", by: "id", values: [slots.other] };
    const built = membershipFilter(this.#dialect, this.#resource, filter);
    if (!("condition" in built)) throw new Error("A filter by one id has an index.");
    const { condition } = built;
    const rows = new RowReader(this.#dialect, this.#resource, query, {
      ...NO_CONDITIONS,
      conditions: [condition],
    });
    const memberships = { rows, condition };
    this.#memberships.set(descending, memberships);
    return memberships;
  }

  #orderOf(query: ListQuery): PlainOrder {
    const { sort, descending } = query;
    const name = `${descending ? "-" : ""}${typeof sort === "string" ? sort : `.${sort.custom}`}`;
    const known = this.#orders.get(name);
    if (known) return known;
    const [segment, ...others] = findSegments(this.#resource, sort);
    if (!segment) throw new Error("This sort order has no segment.");
    const rows = new RowReader(this.#dialect, this.#resource, query, NO_CONDITIONS);
    const order = { rows, segment, hasMoreSegments: others.length > 0 };
    if (this.#orders.size >= MAX_ORDERS) this.#orders.clear();
    this.#orders.set(name, order);
    return order;
  }
}
