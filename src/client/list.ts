import type { ItemPage, Resource } from "./resource.ts";
import type { FieldOptions, ListOptions } from "./types.ts";

type Options = ListOptions & Partial<FieldOptions>;

/** A list. Pages are fetched as you read. */
export interface ItemList<Item, Page> extends AsyncIterable<Item> {
  page(): Promise<Page>;
  /** All items in one array. Throws a RangeError if there are more than `max` (default 10,000), to bound memory. */
  all(options?: { max?: number }): Promise<Item[]>;
}

/** A list of users or keys. Pages are fetched as you read. */
export class List<Item, Page> implements AsyncIterable<Item> {
  readonly #resource: Resource<Item>;
  readonly #options: Options;
  readonly #toPage: (page: ItemPage<Item>) => Page;

  constructor(resource: Resource<Item>, options: Options, toPage: (page: ItemPage<Item>) => Page) {
    this.#resource = resource;
    this.#options = options;
    this.#toPage = toPage;
  }

  /** Every item of every page. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    let after = this.#options.after;
    do {
      const page = await this.#fetch(after);
      yield* page.items;
      after = page.next;
    } while (after !== undefined);
  }

  /** One page; with `count`, also the total number of items. */
  async page({ count }: { count?: boolean } = {}): Promise<Page> {
    return this.#toPage(await this.#fetch(this.#options.after, count));
  }

  /** All items in one array. Throws a RangeError if there are more than `max`, to bound memory. */
  async all({ max = 10_000 }: { max?: number } = {}): Promise<Item[]> {
    const items: Item[] = [];
    for await (const item of this) {
      if (items.length >= max) {
        return this.#resource.transport.reportErrors(() => {
          throw new RangeError(`There are more than ${max} ${this.#resource.name}: iterate, or set { max }.`);
        });
      }
      items.push(item);
    }
    return items;
  }

  #fetch(after: string | undefined, count?: boolean): Promise<ItemPage<Item>> {
    return this.#resource.transport.reportErrors(() => {
      const query = buildQuery({ ...this.#options, after }, count);
      if (query) return this.#resource.requestPage(query, this.#options);
      return { items: [], next: undefined, total: count ? { count: 0, capped: false } : undefined };
    });
  }
}

/** The options as a query string; undefined if no user can match. */
export function buildQuery(
  { q, sort, filter, fields, limit, after, offset, where = {} }: Options,
  count?: boolean,
): URLSearchParams | undefined {
  const parameters = {
    q,
    sort,
    filter,
    fields,
    limit,
    offset: after ? undefined : offset,
    after,
    count: count || undefined,
  };
  const query = new URLSearchParams();
  for (const [field, filter] of Object.entries(where)) {
    if (Object.hasOwn(parameters, field)) {
      throw new RangeError(`You cannot filter by ${field}.`);
    }
    const values = [filter].flat();
    // An empty list matches no user. Without the parameter, the service would return all users.
    if (values.length === 0) return undefined;
    for (const value of values) query.append(field, String(value));
  }
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) query.append(name, String(value));
  }
  return query;
}
