import { type FoundPage, fitPage, type ListQuery, skipOf } from "../../../domain/lists/listing.ts";
import { readId } from "../../../domain/lists/row-id.ts";
import type { SqlSteps } from "../../sql/sql-steps.ts";
import type { ListPlan } from "../condition.ts";
import type { Dialect } from "../dialect.ts";
import type { ListResource, Segment } from "../list-resource.ts";
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

/** Pages of lists without conditions, the most frequent kind. Their statements read nothing but what is on the page. */
export class PlainPages {
  readonly #dialect: Dialect;
  readonly #resource: ListResource;
  readonly #orders = new Map<string, PlainOrder>();

  constructor(dialect: Dialect, resource: ListResource) {
    this.#dialect = dialect;
    this.#resource = resource;
  }

  /** Finds a page with one statement. Undefined if that is not enough, or if the list has conditions or skips rows. */
  *find(query: ListQuery): SqlSteps<FoundPage | undefined> {
    const { from, limit } = query;
    if (!isUnfiltered(query) || limit >= SINGLE_FETCH_ROWS || skipOf(query) > 0) return undefined;
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
