import type { Database } from "bun:sqlite";
import { stat } from "node:fs/promises";
import type { ImportOptions } from "../../contract/bulk/bulk.ts";
import type { CustomField, FieldValue } from "../../contract/field-schemas.ts";
import { loopShare } from "../../domain/bulk/loop-share.ts";
import type { Origin } from "../../domain/caller.ts";
import type { DeletedUserStore } from "../../domain/deleted-user-store.ts";
import type { EventStore } from "../../domain/events/event-store.ts";
import type { KeyStore } from "../../domain/keys/key-store.ts";
import { formatFoundPageQuickly, type ListQuery, type Page } from "../../domain/lists/listing.ts";
import type { MaybePromise } from "../../domain/maybe-promise.ts";
import type { Precondition } from "../../domain/precondition.ts";
import type { RecordRules } from "../../domain/record-rules.ts";
import { runningTime } from "../../domain/running-time.ts";
import type { SchemaStore } from "../../domain/schema/schema-store.ts";
import type { StatsStore } from "../../domain/stats/stats.ts";
import type {
  Attempt,
  BulkChange,
  ChangeCondition,
  ChangesOutcome,
  CreateOutcome,
  IdempotencyKey,
  ImportDryRun,
  ImportLine,
  ImportOutcome,
  Store,
  StoreGauges,
  StoreObserver,
  StoreStats,
} from "../../domain/store.ts";
import type { Edit, StoredUser } from "../../domain/user.ts";
import type { DeliveryStore } from "../../domain/webhooks/delivery-store.ts";
import type { WebhookStore } from "../../domain/webhooks/webhook-store.ts";
import { countInRounds, isUnfiltered } from "../lists/count.ts";
import { isFastList } from "../lists/fast-list.ts";
import { fillPage } from "../lists/fill-page.ts";
import { userList } from "../lists/user-list.ts";
import type { UniqueValue } from "../schema/unique-values.ts";
import type { StoreOptions } from "../store-options.ts";
import type { ReadQueries } from "../table-queries.ts";
import type { Write, WriteOutcome } from "../writes/apply-write.ts";
import { DryRun } from "../writes/dry-run.ts";
import { UserWrites } from "../writes/user-writes.ts";
import { isBusy, openDatabase, openMigrated, rejectUnfinishedMove } from "./database.ts";
import { readFreeBytes } from "./health/file-health.ts";
import { toFileProblem, toUnavailable } from "./health/file-problem.ts";
import { PageCache } from "./page-cache.ts";
import { Reader } from "./reader.ts";
import { type StoreThreadOptions, StoreThreads } from "./store-threads.ts";
import { openTableStores } from "./table-stores.ts";

export interface SqliteOptions extends StoreOptions, StoreThreadOptions {
  /** Whether to migrate an outdated schema (the default), or to reject it. */
  readonly migrate?: boolean;
}

const MAPPED_BYTES = 64 * 1024 * 1024;

/**
 * Users in one SQLite file. Fast reads run on the main thread, slower lists on a few reader threads, and every write on
 * the writer thread, which commits in groups.
 */
export class SqliteStore implements Store {
  readonly #db: Database;
  readonly #reader: Reader;
  readonly #pageCache: PageCache;
  readonly #threads: StoreThreads;
  readonly #writes: UserWrites;
  readonly #path: string;
  readonly #recordRules: RecordRules;
  readonly keys: KeyStore;
  readonly events: EventStore;
  readonly webhooks: WebhookStore;
  readonly deliveries: DeliveryStore;
  readonly deletedUsers: DeletedUserStore;
  readonly schema: SchemaStore;
  readonly statistics: StatsStore;

  constructor(options: SqliteOptions, observer: StoreObserver) {
    const { path, waitMs, migrate = true, recordRules, maxCandidates } = options;
    this.#db = migrate ? openDatabase(path, waitMs) : openMigrated(path, waitMs);
    rejectUnfinishedMove(this.#db, path);
    // This connection serves the event loop: it never waits for a lock, and maps the first part of the file into memory,
    // which saves a system call per page.
    this.#db.run("PRAGMA busy_timeout = 0");
    this.#db.run(`PRAGMA mmap_size = ${MAPPED_BYTES}`);
    this.#reader = new Reader(this.#db, maxCandidates);
    this.#pageCache = new PageCache(this.#db);
    this.#threads = new StoreThreads(options, observer);
    this.#path = path;
    this.#recordRules = recordRules;
    this.#writes = new UserWrites((writes) => this.#commit(writes), options, observer);
    const read: ReadQueries["read"] = (steps) => this.#read(() => this.#reader.runInSnapshot(steps()));
    const stores = openTableStores(read, this.#threads, this.#writes);
    this.keys = stores.keys;
    this.events = stores.events;
    this.webhooks = stores.webhooks;
    this.deliveries = stores.deliveries;
    this.deletedUsers = stores.deletedUsers;
    this.schema = stores.schema;
    this.statistics = stores.statistics;
  }

  read(id: number): StoredUser | undefined {
    this.#threads.snapshotLock.beforeRead();
    return this.#read(() => this.#reader.read(id));
  }

  list(query: ListQuery): MaybePromise<Page> {
    const since = runningTime();
    return query.count ? this.#pageAndTotal(query, since) : this.#fullPage(query, since);
  }

  async listFields(): Promise<CustomField[]> {
    return (await this.#threads.requestReader({ kind: "fields" })).fields;
  }

  async listFieldValues(field: string, prefix: string): Promise<FieldValue[]> {
    return (await this.#threads.requestReader({ kind: "values", field, prefix })).values;
  }

  create(attempt: Attempt, idempotencyKey?: IdempotencyKey, by?: Origin): Promise<CreateOutcome> {
    return this.#writes.create(attempt, idempotencyKey, by);
  }

  import(
    lines: readonly ImportLine[],
    idempotencyKey?: IdempotencyKey,
    by?: Origin,
    options?: ImportOptions,
  ): Promise<ImportOutcome> {
    return this.#writes.import(lines, idempotencyKey, by, options);
  }

  changeMany(
    ids: readonly number[],
    change: BulkChange,
    idempotencyKey?: IdempotencyKey,
    by?: Origin,
    condition?: ChangeCondition,
  ): Promise<ChangesOutcome> {
    return this.#writes.changeMany(ids, change, idempotencyKey, by, condition);
  }

  startDryRun(): ImportDryRun {
    return new DryRun(this, this.#recordRules);
  }

  async measureUsers(ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
    return this.#read(() => this.#reader.measureUsers(ids));
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
      add(this.#read(() => this.#reader.findByEmail(emailKey)));
    }
    for (const value of values) {
      if (loopShare.isSpent) await loopShare.nextTurn();
      add(this.#read(() => this.#reader.findByValue(value)));
    }
    return [...found.values()];
  }

  edit(id: number, edit: Edit, precondition?: Precondition, by?: Origin): Promise<StoredUser> {
    return this.#writes.edit(id, edit, precondition, by);
  }

  remove(id: number, precondition?: Precondition, by?: Origin, purge?: boolean): Promise<void> {
    return this.#writes.remove(id, precondition, by, purge);
  }

  async ping(): Promise<void> {
    this.read(1);
    const { problem } = this.#threads;
    if (problem) throw problem;
  }

  async stats(): Promise<StoreStats> {
    return this.#read(() => this.#reader.stats());
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
      queuedWrites: this.#writes.queued,
      ...(diskFreeBytes !== undefined && { diskFreeBytes }),
      walBytes: wal?.size ?? 0,
    };
  }

  async close(): Promise<void> {
    this.#threads.health.close();
    await this.#writes.drain();
    this.#db.close();
    await this.#threads.close();
  }

  /** Reads on the main thread. */
  #read<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (isBusy(error)) throw toUnavailable(error);
      throw this.#threads.health.note(toFileProblem(error), false);
    }
  }

  #fullPage(query: ListQuery, since: number): MaybePromise<Page> {
    return fillPage(query, (part) => this.#page(part, since));
  }

  #page(query: ListQuery, since: number): MaybePromise<Page> {
    if (isFastList(userList, query)) {
      this.#threads.snapshotLock.beforeRead();
      try {
        return this.#pageCache.get(query, () => formatFoundPageQuickly(this.#reader.find(query), query));
      } catch (error) {
        if (!isBusy(error)) throw this.#threads.health.note(toFileProblem(error), false);
      }
    }
    return this.#threads.requestReader({ kind: "page", query }, since).then(({ page }) => page);
  }

  async #pageAndTotal(query: ListQuery, since: number): Promise<Page> {
    return { ...(await this.#fullPage(query, since)), total: await this.#total(query, since) };
  }

  #total(query: ListQuery, since: number): MaybePromise<Page["total"]> {
    if (isUnfiltered(query)) return this.#read(() => ({ count: this.#reader.countUsers(), capped: false }));
    return countInRounds(async (after) => {
      const { round } = await this.#threads.requestReader({ kind: "count", query, after }, since);
      return round;
    });
  }

  async #commit(writes: Write[]): Promise<WriteOutcome[]> {
    return (await this.#threads.requestWriter({ kind: "users", writes })).outcomes;
  }
}
