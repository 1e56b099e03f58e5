import type { ItemPage, Resource } from "./resource.ts";
import type { FieldOptions, ListOptions } from "./types.ts";

/** The options of a list of any records. */
export type AnyListOptions = ListOptions & Partial<FieldOptions>;

/** A list. Pages are fetched as you read. */
export interface ItemList<Item, Page> extends AsyncIterable<Item> {
  page(): Promise<Page>;
  /** All items in one array. Throws a RangeError if there are more than `max` (default 10,000), to bound memory. */
  all(options?: { max?: number }): Promise<Item[]>;
}

/** A list that the service can count. */
export interface CountedList<Item, Page> extends ItemList<Item, Page> {
  /** One page; with `count`, also the total number of items. */
  page(options?: { count?: boolean }): Promise<Page>;
}

export const toUserPage = <Item>({ items, ...rest }: ItemPage<Item>) => ({ users: items, ...rest });
export const toGroupPage = <Item>({ items, ...rest }: ItemPage<Item>) => ({ groups: items, ...rest });

/** A list of users, keys or other items. Pages are fetched as you read. */
export class List<Item, Page> implements AsyncIterable<Item> {
  readonly #resource: Resource<Item>;
  readonly #options: AnyListOptions;
  readonly #toPage: (page: ItemPage<Item>) => Page;

  constructor(resource: Resource<Item>, options: AnyListOptions, toPage: (page: ItemPage<Item>) => Page) {
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

/** The options as a query string; undefined if no record can match. */
export function buildQuery(
  { q, sort, filter, fields, limit, after, offset, group, where = {} }: AnyListOptions,
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
  const filters = Object.entries(where);
  if (group !== undefined) filters.push(["group", group]);
  for (const [field, filter] of filters) {
    if (Object.hasOwn(parameters, field) || query.has(field)) {
      throw new RangeError(`You cannot filter by ${field}.`);
    }
    const values = [filter].flat();
    // An empty list matches no record. Without the parameter, the service would return all records.
    if (values.length === 0) return undefined;
    for (const value of values) query.append(field, String(value));
  }
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) query.append(name, String(value));
  }
  return query;
}
