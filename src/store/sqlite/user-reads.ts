import type { CustomField, FieldValue } from "../../contract/users/field-schemas.ts";
import { formatFoundPageQuickly, type ListQuery, type Page } from "../../domain/lists/listing.ts";
import type { MaybePromise } from "../../domain/maybe-promise.ts";
import { loopShare } from "../../domain/scheduling/loop-share.ts";
import type { StoredUser } from "../../domain/users/user.ts";
import { isFastList } from "../lists/fast-list.ts";
import type { CountRound } from "../lists/plans/found-rows.ts";
import type { UniqueValue } from "../schema/unique-values.ts";
import { userList } from "../users/user-list.ts";
import type { ListOrigin, UserReads } from "../users/user-store.ts";
import { isBusy } from "./database.ts";
import { toFileProblem } from "./health/file-problem.ts";
import type { PageCache } from "./page-cache.ts";
import type { Reader } from "./reader.ts";
import type { StoreThreads } from "./store-threads.ts";

/** Reads users: fast reads on the main thread, slower lists on the reader threads. */
export class SqliteUserReads implements UserReads {
  readonly #reader: Reader;
  readonly #pageCache: PageCache;
  readonly #threads: StoreThreads;

  constructor(reader: Reader, pageCache: PageCache, threads: StoreThreads) {
    this.#reader = reader;
    this.#pageCache = pageCache;
    this.#threads = threads;
  }

  read(id: number): StoredUser | undefined {
    this.#threads.snapshotLock.beforeRead();
    return this.#threads.onMainThread(() => this.#reader.read(id));
  }

  page(query: ListQuery, { since, findOwner }: ListOrigin): MaybePromise<Page> {
    if (isFastList(userList, query)) {
      this.#threads.snapshotLock.beforeRead();
      try {
        return this.#pageCache.get(query, () => formatFoundPageQuickly(this.#reader.find(query), query));
      } catch (error) {
        if (!isBusy(error)) throw this.#threads.health.note(toFileProblem(error), false);
      }
    }
    return this.#threads
      .requestReader({ kind: "page", query }, since, findOwner?.())
      .then(({ page }) => page);
  }

  async countRound(
    query: ListQuery,
    after: number | undefined,
    { since, findOwner }: ListOrigin,
  ): Promise<CountRound> {
    const request = { kind: "count", query, after } as const;
    return (await this.#threads.requestReader(request, since, findOwner?.())).round;
  }

  async listFields(owner?: string): Promise<CustomField[]> {
    return (await this.#threads.requestReader({ kind: "fields" }, undefined, owner)).fields;
  }

  async listFieldValues(field: string, prefix: string, owner?: string): Promise<FieldValue[]> {
    const request = { kind: "values", field, prefix } as const;
    return (await this.#threads.requestReader(request, undefined, owner)).values;
  }

  async find(
    ids: readonly number[],
    emailKeys: readonly string[],
    values: readonly UniqueValue[] = [],
  ): Promise<StoredUser[]> {
    const found = new Map<number, StoredUser>();
    const add = (user: StoredUser | undefined) => user && found.set(user.id, user);
    for (const id of ids) {
      if (loopShare.isSpent) await loopShare.nextTurn();
      add(this.read(id));
    }
    for (const emailKey of emailKeys) {
      if (loopShare.isSpent) await loopShare.nextTurn();
      add(this.#threads.onMainThread(() => this.#reader.findByEmail(emailKey)));
    }
    for (const value of values) {
      if (loopShare.isSpent) await loopShare.nextTurn();
      add(this.#threads.onMainThread(() => this.#reader.findByValue(value)));
    }
    return [...found.values()];
  }
}
