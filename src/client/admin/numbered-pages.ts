import type { ListOptions, Page } from "../types.ts";
import type { Users } from "../users.ts";
import { remember } from "./remember.ts";

/**
 * Pages by number. Admin frameworks ask for pages by number; the service continues a list by cursor, which is as fast on
 * every page. Remembers the cursors of the pages after those that were read.
 */
export class NumberedPages {
  readonly #users: Users;
  readonly #cursors = new Map<string, string>();

  constructor(users: Users) {
    this.#users = users;
  }

  /** Reads page `number`, from 1. The page has a total if `count` is set, and if it is the last page. */
  async read(
    number: number,
    options: ListOptions & { readonly limit: number },
    { count = false } = {},
  ): Promise<Page> {
    const { q, sort, filter, where, limit } = options;
    const list = JSON.stringify([q, sort, String(filter), where, limit]);
    const skipped = (number - 1) * limit;
    const after = this.#cursors.get(`${list} ${number}`);
    const position = after ? { after } : { offset: skipped };
    const page = await this.#readFull({ ...options, ...position }, count);
    if (page.next) remember(this.#cursors, `${list} ${number + 1}`, page.next);
    const isLast = !page.next && (page.users.length > 0 || number === 1);
    if (!isLast || page.total?.capped === false) return page;
    return { ...page, total: { count: skipped + page.users.length, capped: false } };
  }

  /** Reads on while a page is short: pages by number have no gaps. The service may end a page early, also before its first user. */
  async #readFull(options: ListOptions & { readonly limit: number }, count: boolean): Promise<Page> {
    let page = await this.#users.list(options).page({ count });
    while (page.next && page.users.length < options.limit) {
      const rest = { after: page.next, limit: options.limit - page.users.length };
      const { users, next } = await this.#users.list({ ...options, ...rest }).page();
      page = { ...page, users: [...page.users, ...users], next };
    }
    return page;
  }
}
