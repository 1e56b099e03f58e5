import type { ListExplanation } from "../../contract/users/explanation-schemas.ts";
import type { CountedFieldValue, CustomField, FieldValue } from "../../contract/users/field-schemas.ts";
import { countComparisons } from "../../domain/filter/count-comparisons.ts";
import {
  type FoundPage,
  formatFoundPageQuickly,
  type ListQuery,
  type Page,
  skipOf,
} from "../../domain/lists/listing.ts";
import type { MaybePromise } from "../../domain/maybe-promise.ts";
import { type ListName, listResources } from "../list-resources.ts";
import type { CountRound, ListOrigin, ListReads } from "../lists/list-reads.ts";
import { TOO_MUCH } from "../lists/plans/page-finder.ts";
import type { WorkLimit } from "../lists/plans/row-finder.ts";
import { isBusy } from "./database.ts";
import { toFileProblem } from "./health/file-problem.ts";
import type { PageCache } from "./page-cache.ts";
import type { Reader } from "./reader.ts";
import type { StoreThreads } from "./store-threads.ts";

/** A page of up to this many rows takes less than a millisecond to copy. */
const QUICK_ROWS = 100;
/** To skip so many rows takes less than a millisecond, even if all of them have to be fetched. */
const QUICK_SKIPPED = 1000;
/** Less work than a message to another thread, and back. */
const QUICK: WorkLimit = { reads: 1000, cost: 500, parses: false };

/** To build and prepare the statements of so many values and comparisons takes a fraction of a millisecond. */
const QUICK_CONDITIONS = 10;

function mayBeQuick(query: ListQuery): boolean {
  const { limit, format, filters, expression } = query;
  const values = filters.reduce((sum, filter) => sum + filter.values.length, 0);
  const comparisons = expression ? countComparisons(expression) : 0;
  return (
    format === undefined &&
    limit <= QUICK_ROWS &&
    skipOf(query) <= QUICK_SKIPPED &&
    values + comparisons <= QUICK_CONDITIONS
  );
}

/** Whether the page was found without much work. */
function isWhole({ items, next }: FoundPage, { limit }: ListQuery): boolean {
  return next === undefined || items.length === limit;
}

/** Reads one list: fast pages on the main thread, slower ones on the reader threads. */
export class SqliteListReads implements ListReads {
  readonly #list: ListName;
  readonly #reader: Reader;
  readonly #pageCache: PageCache;
  readonly #threads: StoreThreads;

  constructor(list: ListName, reader: Reader, pageCache: PageCache, threads: StoreThreads) {
    this.#list = list;
    this.#reader = reader;
    this.#pageCache = pageCache;
    this.#threads = threads;
  }

  page(query: ListQuery, { since, findOwner }: ListOrigin): MaybePromise<Page> {
    const list = this.#list;
    if (mayBeQuick(query)) {
      const found = this.#tryOnMainThread(() => this.#reader.lists[list].find(query, QUICK));
      if (found && found !== TOO_MUCH && isWhole(found, query)) {
        return formatFoundPageQuickly(found, query, listResources[list].rowFields);
      }
    }
    return this.#threads
      .requestReader({ kind: "page", list, query }, since, findOwner?.())
      .then(({ page }) => page);
  }

  async explain(query: ListQuery, { since, findOwner }: ListOrigin): Promise<ListExplanation> {
    const request = { kind: "explain", list: this.#list, query } as const;
    return (await this.#threads.requestReader(request, since, findOwner?.())).explanation;
  }

  keepPage(name: string, read: () => MaybePromise<Page>): MaybePromise<Page> {
    const pages = this.#tryOnMainThread(() => this.#pageCache.refresh());
    return pages ? pages.get(name, read) : read();
  }

  async countRound(
    query: ListQuery,
    after: number | undefined,
    { since, findOwner }: ListOrigin,
  ): Promise<CountRound> {
    const request = { kind: "count", list: this.#list, query, after } as const;
    return (await this.#threads.requestReader(request, since, findOwner?.())).round;
  }

  async customFields(owner?: string): Promise<CustomField[]> {
    const request = { kind: "fields", list: this.#list } as const;
    return (await this.#threads.requestReader(request, undefined, owner)).fields;
  }

  async fieldValues(field: string, prefix: string, owner?: string): Promise<FieldValue[]> {
    const request = { kind: "values", list: this.#list, field, prefix } as const;
    return (await this.#threads.requestReader(request, undefined, owner)).values;
  }

  async fieldValueCounts(field: string, prefix: string, owner?: string): Promise<CountedFieldValue[]> {
    const request = { kind: "value-counts", list: this.#list, field, prefix } as const;
    return (await this.#threads.requestReader(request, undefined, owner)).counts;
  }

  /** Undefined if the file is locked: other threads can wait. */
  #tryOnMainThread<T>(read: () => T): T | undefined {
    this.#threads.snapshotLock.beforeRead();
    try {
      return read();
    } catch (error) {
      if (isBusy(error)) return undefined;
      throw this.#threads.health.note(toFileProblem(error), false);
    }
  }
}
