import type { Database, Statement } from "bun:sqlite";
import type { Page } from "../../domain/lists/listing.ts";
import type { MaybePromise } from "../../domain/maybe-promise.ts";

/** The largest page to keep, and the most pages. */
const MAX_PAGE_BYTES = 32_768;
const MAX_PAGES = 256;

/**
 * Keeps the first pages of lists that callers repeat, by the name of the list, until any process commits a change: every read asks SQLite
 * for the state of the database, which takes a tenth of the time of a page.
 */
export class PageCache {
  readonly #readVersion: Statement<{ data_version: number }, []>;
  readonly #pages = new Map<string, Page>();
  /** The state of the database that the pages have. */
  #version = 0;

  /** `db` must not change the database: SQLite counts only the changes by other connections. */
  constructor(db: Database) {
    this.#readVersion = db.prepare("PRAGMA data_version");
  }

  /** Forgets all pages if the database has changed. Returns this cache. */
  refresh(): this {
    const version = this.#readVersion.get()?.data_version ?? 0;
    if (version !== this.#version) this.#pages.clear();
    this.#version = version;
    return this;
  }

  /** The page of the list of this name; if it is not kept, the page that `read` returns. */
  get(name: string, read: () => MaybePromise<Page>): MaybePromise<Page> {
    const kept = this.#pages.get(name);
    if (kept) return kept;
    const version = this.#version;
    const page = read();
    if (page instanceof Promise) return page.then((found) => this.#keep(name, version, found));
    return this.#keep(name, version, page);
  }

  /** A change after `version` was read makes the page newer than that: the next refresh finds another version. */
  #keep(name: string, version: number, page: Page): Page {
    if (version !== this.#version || page.body.length > MAX_PAGE_BYTES) return page;
    if (this.#pages.size >= MAX_PAGES) this.#pages.clear();
    this.#pages.set(name, page);
    return page;
  }
}
