import type { ListOptions, Page } from "../types.ts";
import type { Users } from "../users.ts";
import { remember } from "./remember.ts";

/** The service skips at most this many users by `offset`. */
const MAX_OFFSET = 10_000;
/** The most users that a jump to a far page reads to find its cursor. */
const MAX_SKIPPED = 100_000;
const MAX_LIMIT = 1000;

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
    const cursor = this.#cursors.get(`${list} ${number}`);
    let position: ListOptions | undefined = { offset: skipped };
    if (cursor) position = { after: cursor };
    else if (skipped > MAX_OFFSET) position = await this.#skip(skipped, options);
    if (!position) return this.#readAfterEnd(options, count);
    const page = await this.#users.list({ ...options, ...position }).page({ count });
    if (page.next) remember(this.#cursors, `${list} ${number + 1}`, page.next);
    const isLast = !page.next && (page.users.length > 0 || number === 1);
    if (!isLast || page.total?.capped === false) return page;
    return { ...page, total: { count: skipped + page.users.length, capped: false } };
  }

  /** An empty page. */
  async #readAfterEnd(options: ListOptions, count: boolean): Promise<Page> {
    const { total } = count ? await this.#users.list({ ...options, limit: 1 }).page({ count }) : {};
    return { users: [], next: undefined, total };
  }

  /** Finds the cursor after `skipped` users; undefined if there are not that many. */
  async #skip(skipped: number, options: ListOptions): Promise<ListOptions | undefined> {
    if (skipped > MAX_SKIPPED) {
      throw new RangeError(
        `This page starts after ${skipped} users. Pages can be opened directly up to user ${MAX_SKIPPED}: use a filter, or go page by page.`,
      );
    }
    let position: ListOptions = { offset: MAX_OFFSET };
    for (let read = MAX_OFFSET; read < skipped; ) {
      const limit = Math.min(skipped - read, MAX_LIMIT);
      const { users, next } = await this.#users.list({ ...options, ...position, limit }).page();
      if (!next) return undefined;
      read += users.length;
      position = { after: next };
    }
    return position;
  }
}
