import { bulkLimits } from "../../contract/bulk.ts";
import type { Expression } from "../filter/expression.ts";
import type { ListQuery, Page } from "../listing.ts";
import type { Store } from "../store.ts";

/** A user that a filter expression matches. */
export interface Match {
  readonly id: number;
  readonly version: number;
}

/** A chunk that takes longer to find yields this often, to keep the connection open. */
const KEEP_ALIVE_MS = 5000;

/** A list of all users in the order of their ids, with only the id and the version of each. */
export const allIds: ListQuery = {
  sort: "id",
  descending: false,
  limit: bulkLimits.chunkLines,
  from: undefined,
  offset: 0,
  search: undefined,
  filters: [],
  count: false,
  fields: [],
};

/**
 * Finds the users that match an expression, in the order of their ids, chunk by chunk. Reads the next page while the consumer
 * works on a chunk. Users that were created after the reader was opened are left out.
 */
export class MatchReader {
  /** The last chunk: empty if no more users match. Its users are limited in number and in size. */
  chunk: readonly Match[] = [];
  readonly #store: Store;
  readonly #query: ListQuery;
  readonly #lastId: number;
  readonly #signal: AbortSignal | undefined;
  /** The next page; undefined if there is none. */
  #page: Promise<Page> | undefined;

  static async open(store: Store, expression: Expression, signal?: AbortSignal): Promise<MatchReader> {
    const [newest] = parseMatches(await store.list({ ...allIds, descending: true, limit: 1 }));
    const query = { ...allIds, expression, maxBytes: bulkLimits.changeBytes };
    return new MatchReader(store, query, newest?.id ?? 0, signal);
  }

  private constructor(store: Store, query: ListQuery, lastId: number, signal: AbortSignal | undefined) {
    this.#store = store;
    this.#query = query;
    this.#lastId = lastId;
    this.#signal = signal;
    this.continueAfter(0);
  }

  /** Finds the next chunk. Yields from time to time while this takes long. Ends early when the signal aborts. */
  async *findChunk(): AsyncGenerator<void, void> {
    this.chunk = [];
    let quietUntil = performance.now() + KEEP_ALIVE_MS;
    // A page can be empty and still have a next page.
    while (this.#page && this.chunk.length === 0 && !this.#signal?.aborted) {
      const page = await this.#page;
      this.chunk = parseMatches(page).filter(({ id }) => id <= this.#lastId);
      this.#page = page.next && this.#readPage(page.next.id);
      if (performance.now() < quietUntil) continue;
      yield;
      quietUntil = performance.now() + KEEP_ALIVE_MS;
    }
  }

  /** The next chunk begins after this user. */
  continueAfter(id: number): void {
    if (id !== this.chunk.at(-1)?.id) this.#page = this.#readPage(id);
  }

  #readPage(after: number): Promise<Page> | undefined {
    if (after >= this.#lastId) return undefined;
    const from = { key: null, id: after, skip: 0 };
    const page = Promise.resolve(this.#store.list({ ...this.#query, from }));
    // The page is awaited later. Until then, a failure must not count as an unhandled rejection.
    page.catch(() => undefined);
    return page;
  }
}

function parseMatches({ body }: Page): Match[] {
  return JSON.parse(new TextDecoder().decode(body));
}
