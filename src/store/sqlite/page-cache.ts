import type { Database, Statement } from "bun:sqlite";
import type { ListQuery, Page } from "../../domain/lists/listing.ts";
import type { MaybePromise } from "../../domain/maybe-promise.ts";
import { isUnfiltered } from "../lists/plans/count.ts";

/** The largest page to keep. Callers keep at most a few hundred queries (`http/query/list-query.ts`), and each has one page. */
const MAX_PAGE_BYTES = 32_768;

interface CachedPage {
  /** The state of the database, read before the page. */
  readonly version: number;
  readonly page: Page;
}

/**
 * Keeps the first pages of lists without conditions, the lists that callers repeat most. A page is valid until any process
 * commits a change: every read asks SQLite for the state of the database, which takes a tenth of the time of a page.
 */
export class PageCache {
  readonly #version: Statement<{ data_version: number }, []>;
  /** A page is dropped together with the query that it belongs to. */
  readonly #pages = new WeakMap<ListQuery, CachedPage>();

  /** `db` must not change the database: SQLite counts only the changes by other connections. */
  constructor(db: Database) {
    this.#version = db.prepare("PRAGMA data_version");
  }

  /** Returns the page of this query object if the database has not changed since, otherwise the page that `read` returns. */
  get(query: ListQuery, read: () => MaybePromise<Page>): MaybePromise<Page> {
    if (query.from !== undefined || !isUnfiltered(query)) return read();
    const version = this.#version.get()?.data_version ?? 0;
    const cached = this.#pages.get(query);
    if (cached?.version === version) return cached.page;
    const page = read();
    // A change after `version` was read makes the page newer than its version: the next read finds another version.
    if (!(page instanceof Promise) && page.body.length <= MAX_PAGE_BYTES) {
      this.#pages.set(query, { version, page });
    }
    return page;
  }
}
