import type { Database, Statement } from "bun:sqlite";
import type { Page } from "../../domain/lists/listing.ts";
import type { MaybePromise } from "../../domain/maybe-promise.ts";

/** The largest page to keep, and the most pages. */
const MAX_PAGE_BYTES = 32_768;
const MAX_PAGES = 256;

interface CachedPage {
  /** The state of the database, read before the page. */
  readonly version: number;
  readonly page: Page;
}

/**
 * Keeps the first pages of lists that callers repeat, by query string. A page is valid until any process commits a change: every
 * read asks SQLite for the state of the database, which takes a tenth of the time of a page.
 */
export class PageCache {
  readonly #version: Statement<{ data_version: number }, []>;
  readonly #pages = new Map<string, CachedPage>();

  /** `db` must not change the database: SQLite counts only the changes by other connections. */
  constructor(db: Database) {
    this.#version = db.prepare("PRAGMA data_version");
  }

  /** The state of the database. */
  readVersion(): number {
    return this.#version.get()?.data_version ?? 0;
  }

  /** The page of the list of this name if it has this version, otherwise the page that `read` returns. */
  get(name: string, version: number, read: () => MaybePromise<Page>): MaybePromise<Page> {
    const cached = this.#pages.get(name);
    if (cached?.version === version) return cached.page;
    const page = read();
    // A change after `version` was read makes the page newer than its version: the next read finds another version.
    if (page instanceof Promise) return page.then((found) => this.#keep(name, version, found));
    return this.#keep(name, version, page);
  }

  #keep(name: string, version: number, page: Page): Page {
    if (page.body.length > MAX_PAGE_BYTES) return page;
    if (this.#pages.size >= MAX_PAGES) this.#pages.clear();
    this.#pages.set(name, { version, page });
    return page;
  }
}
