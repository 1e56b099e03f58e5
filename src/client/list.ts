import type { ItemPage, Resource } from "./resource.ts";
import type { ListOptions } from "./types.ts";

/** What a list has, fetched as it is asked for. */
export class List<Item, Page> implements AsyncIterable<Item> {
  constructor(
    readonly resource: Resource<Item>,
    readonly options: ListOptions,
    readonly toPage: (part: ItemPage<Item>) => Page,
  ) {}

  /** Every one of them, page after page. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    let after = this.options.after;
    do {
      const part = await this.#fetch(after, false);
      yield* part.items;
      after = part.next;
    } while (after !== undefined);
  }

  /** One page; with `count`, how many there are in all. */
  async page({ count = false }: { count?: boolean } = {}): Promise<Page> {
    return this.toPage(await this.#fetch(this.options.after, count));
  }

  /** All of them in one array. Throws a RangeError if there are more than `max`, rather than to fill the memory. */
  async all({ max = 10_000 }: { max?: number } = {}): Promise<Item[]> {
    const items: Item[] = [];
    for await (const item of this) {
      if (items.length >= max) {
        return this.resource.transport.reportErrors(() => {
          throw new RangeError(
            `There are more than ${max} ${this.resource.name}: iterate over the list, or set { max }.`,
          );
        });
      }
      items.push(item);
    }
    return items;
  }

  #fetch(after: string | undefined, count: boolean): Promise<ItemPage<Item>> {
    return this.resource.transport.reportErrors(() => {
      const query = buildQuery({ ...this.options, after }, count);
      if (query) return this.resource.requestPage(query, this.options);
      return { items: [], next: undefined, total: count ? { count: 0, capped: false } : undefined };
    });
  }
}

/** What is asked for, as a query; undefined where nobody could match. */
export function buildQuery(
  { q, sort, limit, after, offset, where = {} }: ListOptions,
  count = false,
): URLSearchParams | undefined {
  const parameters = {
    q,
    sort,
    limit,
    offset: after ? undefined : offset,
    after,
    count: count || undefined,
  };
  const query = new URLSearchParams();
  for (const [field, given] of Object.entries(where)) {
    if (Object.hasOwn(parameters, field)) {
      throw new RangeError(`Users cannot be filtered by a field called ${field}.`);
    }
    const values = Array.isArray(given) ? given : [given];
    // Any of no values: nobody has that, and everybody is who the service would find.
    if (values.length === 0) return undefined;
    for (const value of values) query.append(field, String(value));
  }
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) query.append(name, String(value));
  }
  return query;
}
