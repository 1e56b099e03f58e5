import type { ItemPage } from "../resource.ts";
import type { GroupListOptions } from "../types.ts";
import { remember } from "./remember.ts";

/** The options that lists of users and of groups have. */
export interface AdminListOptions extends Omit<GroupListOptions, "filter"> {
  readonly filter?: string;
}
export type Where = NonNullable<AdminListOptions["where"]>;

type ReadPage<Item> = (options: AdminListOptions, counting?: { count?: boolean }) => Promise<ItemPage<Item>>;

/**
 * Pages by number. Admin frameworks ask for pages by number; the service continues a list by cursor, which is as fast on
 * every page. Remembers the cursors of the pages after those that were read.
 */
export class NumberedPages<Item> {
  readonly #readPage: ReadPage<Item>;
  readonly #cursors = new Map<string, string>();

  constructor(readPage: ReadPage<Item>) {
    this.#readPage = readPage;
  }

  /** Reads page `number`, from 1. The page has a total if `count` is set, and if it is the last page. */
  async read(
    number: number,
    options: AdminListOptions & { readonly limit: number },
    { count = false } = {},
  ): Promise<ItemPage<Item>> {
    const { q, sort, filter, where, limit } = options;
    const list = JSON.stringify([q, sort, filter, where, limit]);
    const skipped = (number - 1) * limit;
    const after = this.#cursors.get(`${list} ${number}`);
    const position = after ? { after } : { offset: skipped };
    const page = await this.#readFull({ ...options, ...position }, count);
    if (page.next) remember(this.#cursors, `${list} ${number + 1}`, page.next);
    const isLast = !page.next && (page.items.length > 0 || number === 1);
    if (!isLast || page.total?.capped === false) return page;
    return { ...page, total: { count: skipped + page.items.length, capped: false } };
  }

  /** Reads on while a page is short: pages by number have no gaps. The service may end a page early, also before its first record. */
  async #readFull(
    options: AdminListOptions & { readonly limit: number },
    count: boolean,
  ): Promise<ItemPage<Item>> {
    let page = await this.#readPage(options, { count });
    while (page.next && page.items.length < options.limit) {
      const rest = { after: page.next, limit: options.limit - page.items.length };
      const { items, next } = await this.#readPage({ ...options, ...rest });
      page = { ...page, items: [...page.items, ...items], next };
    }
    return page;
  }
}
