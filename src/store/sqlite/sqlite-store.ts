import type { Database } from "bun:sqlite";
import { stat } from "node:fs/promises";
import type { CustomField, FieldValue } from "../../contract/users/field-schemas.ts";
import { systemClock } from "../../domain/clock.ts";
import { formatFoundPageQuickly, type ListQuery, type Page } from "../../domain/lists/listing.ts";
import type { MaybePromise } from "../../domain/maybe-promise.ts";
import { loopShare } from "../../domain/scheduling/loop-share.ts";
import type { Store, StoreGauges, StoreObserver, StoreStats } from "../../domain/store.ts";
import type { StoredUser } from "../../domain/users/user.ts";
import { countInRounds, isUnfiltered } from "../lists/count.ts";
import { isFastList } from "../lists/fast-list.ts";
import { fillPage } from "../lists/fill-page.ts";
import type { UniqueValue } from "../schema/unique-values.ts";
import type { ReadQueries } from "../sql/table-queries.ts";
import { SqlStore } from "../sql-store.ts";
import type { StoreOptions } from "../store-options.ts";
import { userList } from "../users/user-list.ts";
import { UserWrites } from "../users/user-writes.ts";
import type { Write } from "../writes/apply-write.ts";
import type { WriteBatch } from "../writes/write-batch.ts";
import { isBusy, openDatabase, openMigrated, rejectUnfinishedMove } from "./database.ts";
import { readFreeBytes } from "./health/file-health.ts";
import { toFileProblem } from "./health/file-problem.ts";
import { PageCache } from "./page-cache.ts";
import { Reader } from "./reader.ts";
import { type StoreThreadOptions, StoreThreads } from "./store-threads.ts";
import { openTableStores } from "./table-stores.ts";

export interface SqliteOptions extends StoreOptions, StoreThreadOptions {
  /** Whether to migrate an outdated schema (the default), or to reject it. */
  readonly migrate?: boolean;
}

/** When a list began, and whose list it is. */
interface ListOrigin {
  readonly since: number;
  readonly findOwner: (() => string) | undefined;
}

const MAPPED_BYTES = 64 * 1024 * 1024;

/**
 * Users in one SQLite file. Fast reads run on the main thread, slower lists on a few reader threads, and every write on
 * the writer thread, which commits in groups.
 */
export class SqliteStore extends SqlStore implements Store {
  readonly #db: Database;
  readonly #reader: Reader;
  readonly #pageCache: PageCache;
  readonly #threads: StoreThreads;
  readonly #path: string;

  constructor(options: SqliteOptions, observer: StoreObserver) {
    const { path, waitMs, migrate = true, recordRules, maxCandidates } = options;
    const db = migrate ? openDatabase(path, waitMs) : openMigrated(path, waitMs);
    rejectUnfinishedMove(db, path);
    // This connection serves the event loop: it never waits for a lock, and maps the first part of the file into memory,
    // which saves a system call per page.
    db.run("PRAGMA busy_timeout = 0");
    db.run(`PRAGMA mmap_size = ${MAPPED_BYTES}`);
    const reader = new Reader(db, maxCandidates);
    const threads = new StoreThreads(options, observer);
    const commit = async ({ writes, refusals }: WriteBatch<Write>) =>
      (await threads.requestWriter({ kind: "users", writes, states: refusals.states })).outcomes;
    const writes = new UserWrites(commit, options, observer);
    const read: ReadQueries["read"] = (steps) => threads.onMainThread(() => reader.runInSnapshot(steps()));
    super(writes, openTableStores(read, threads, writes), recordRules);
    this.#db = db;
    this.#reader = reader;
    this.#pageCache = new PageCache(db);
    this.#threads = threads;
    this.#path = path;
  }

  read(id: number): StoredUser | undefined {
    this.#threads.snapshotLock.beforeRead();
    return this.#threads.onMainThread(() => this.#reader.read(id));
  }

  list(query: ListQuery, findOwner?: () => string): MaybePromise<Page> {
    const origin = { since: systemClock.running(), findOwner };
    return query.count ? this.#pageAndTotal(query, origin) : this.#fullPage(query, origin);
  }

  async listFields(owner?: string): Promise<CustomField[]> {
    return (await this.#threads.requestReader({ kind: "fields" }, undefined, owner)).fields;
  }

  async listFieldValues(field: string, prefix: string, owner?: string): Promise<FieldValue[]> {
    const request = { kind: "values", field, prefix } as const;
    return (await this.#threads.requestReader(request, undefined, owner)).values;
  }

  async measureUsers(ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
    return this.#threads.onMainThread(() => this.#reader.measureUsers(ids));
  }

  async findUsers(
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

  async ping(): Promise<void> {
    this.read(1);
    const { problem } = this.#threads;
    if (problem) throw problem;
  }

  async stats(): Promise<StoreStats> {
    return this.#threads.onMainThread(() => this.#reader.stats());
  }

  async gauges(): Promise<StoreGauges> {
    const stats = await this.stats().catch(() => undefined);
    const [diskFreeBytes, wal] = await Promise.all([
      readFreeBytes(this.#path),
      // The log is missing until the first write.
      stat(`${this.#path}-wal`).catch(() => undefined),
    ]);
    return {
      up: stats !== undefined && this.#threads.problem === undefined,
      stats,
      queuedWrites: this.writes.queued,
      ...(diskFreeBytes !== undefined && { diskFreeBytes }),
      walBytes: wal?.size ?? 0,
    };
  }

  async close(): Promise<void> {
    this.#threads.health.close();
    await this.writes.drain();
    this.#db.close();
    await this.#threads.close();
  }

  #fullPage(query: ListQuery, origin: ListOrigin): MaybePromise<Page> {
    return fillPage(query, (part) => this.#page(part, origin));
  }

  #page(query: ListQuery, { since, findOwner }: ListOrigin): MaybePromise<Page> {
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

  async #pageAndTotal(query: ListQuery, origin: ListOrigin): Promise<Page> {
    return { ...(await this.#fullPage(query, origin)), total: await this.#total(query, origin) };
  }

  #total(query: ListQuery, { since, findOwner }: ListOrigin): MaybePromise<Page["total"]> {
    if (isUnfiltered(query))
      return this.#threads.onMainThread(() => ({ count: this.#reader.countUsers(), capped: false }));
    return countInRounds(async (after) => {
      const request = { kind: "count", query, after } as const;
      return (await this.#threads.requestReader(request, since, findOwner?.())).round;
    });
  }
}
