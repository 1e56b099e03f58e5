import type { Database } from "bun:sqlite";
import { stat } from "node:fs/promises";
import type { ImportOptions } from "../../contract/bulk/bulk.ts";
import type { CustomField, FieldValue } from "../../contract/field-schemas.ts";
import { loopShare } from "../../domain/bulk/loop-share.ts";
import type { Origin } from "../../domain/caller.ts";
import { DatabaseUnavailable } from "../../domain/database-unavailable.ts";
import type { DeletedUserStore } from "../../domain/deleted-user-store.ts";
import type { EventPage, EventQuery, EventStore } from "../../domain/events/event-store.ts";
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
import { sqliteDeletedUsers } from "../deleted-users/deleted-user-tables.ts";
import { SqlDeletedUsers } from "../deleted-users/sql-deleted-users.ts";
import { sqliteEvents } from "../events/sqlite-events.ts";
import { SqlKeyStore } from "../keys/sql-key-store.ts";
import { countInRounds, isUnfiltered } from "../lists/count.ts";
import { isFastList } from "../lists/fast-list.ts";
import { fillPage } from "../lists/fill-page.ts";
import { userList } from "../lists/user-list.ts";
import { SqlSchemaStore } from "../schema/sql-schema-store.ts";
import type { UniqueValue } from "../schema/unique-values.ts";
import { sqliteStats } from "../stats/stats-tables.ts";
import type { StoreOptions } from "../store-options.ts";
import type { ReadQueries } from "../table-queries.ts";
import { SqlDeliveryStore } from "../webhooks/sql-delivery-store.ts";
import { SqlWebhookStore } from "../webhooks/sql-webhook-store.ts";
import { sqliteDeliveries } from "../webhooks/sqlite-deliveries.ts";
import type { Write, WriteOutcome } from "../writes/apply-write.ts";
import { DryRun } from "../writes/dry-run.ts";
import { UserWrites } from "../writes/user-writes.ts";
import { isBusy, openDatabase, openMigrated, rejectUnfinishedMove } from "./database.ts";
import { FileCheck } from "./health/file-check.ts";
import { FileHealth, readFreeBytes } from "./health/file-health.ts";
import { toFileProblem, toUnavailable } from "./health/file-problem.ts";
import { sqliteKeys } from "./key-tables.ts";
import { Reader } from "./reader.ts";
import { ReaderPool } from "./reader-pool.ts";
import type { ReaderRequest } from "./reader-thread.ts";
import { sqliteSchema } from "./schema-tables.ts";
import { SnapshotLock } from "./snapshot-lock.ts";
import { Thread } from "./thread.ts";
import { sqliteWebhooks } from "./webhook-tables.ts";
import type { WriterRequest, WriterResponse, WriterSetup } from "./writer-thread.ts";

export interface SqliteOptions extends StoreOptions {
  readonly path: string;
  /** Whether to migrate an outdated schema (the default), or to reject it. */
  readonly migrate?: boolean;
  /** Whether to look for damage in the background. Default: false. */
  readonly check?: boolean;
  /** Most users that one list examines. Only tests set this. */
  readonly maxCandidates?: number;
}

const MAX_EVENTS_ON_MAIN_THREAD = 20;
const MAPPED_BYTES = 64 * 1024 * 1024;

/**
 * Users in one SQLite file. Fast reads run on the main thread, slower lists on a few reader threads, and every write on
 * the writer thread, which commits in groups.
 */
export class SqliteStore implements Store {
  readonly #db: Database;
  readonly #reader: Reader;
  readonly #snapshotLock: SnapshotLock;
  readonly #writer: Thread<WriterSetup, WriterRequest, WriterResponse>;
  readonly #readerPool: ReaderPool;
  readonly #writes: UserWrites;
  readonly #health: FileHealth;
  readonly #check: FileCheck | undefined;
  readonly #path: string;
  readonly #recordRules: RecordRules;
  readonly keys: KeyStore;
  readonly events: EventStore;
  readonly webhooks: WebhookStore;
  readonly deliveries: DeliveryStore;
  readonly deletedUsers: DeletedUserStore;
  readonly schema: SchemaStore;
  readonly statistics: StatsStore = {
    readUsers: (from) => this.#read(() => this.#reader.runInSnapshot(sqliteStats.readUsers(from))),
  };

  constructor(options: SqliteOptions, observer: StoreObserver) {
    const { path, waitMs, check = false, migrate = true, recordRules, maxCandidates } = options;
    this.#db = migrate ? openDatabase(path, waitMs) : openMigrated(path, waitMs);
    rejectUnfinishedMove(this.#db, path);
    // This connection serves the event loop: it never waits for a lock, and maps the first part of the file into memory,
    // which saves a system call per page.
    this.#db.run("PRAGMA busy_timeout = 0");
    this.#db.run(`PRAGMA mmap_size = ${MAPPED_BYTES}`);
    this.#reader = new Reader(this.#db, maxCandidates);
    this.#writer = new Thread("writer-thread", { path, waitMs, recordRules });
    this.#snapshotLock = new SnapshotLock(path, () => this.#writer.pending > 0);
    this.#readerPool = new ReaderPool({
      start: () => new Thread("reader-thread", { path, waitMs, maxCandidates }),
      waitMs,
    });
    this.#path = path;
    this.#recordRules = recordRules;
    this.#health = new FileHealth({
      path,
      observer,
      probe: () => this.#writer.request({ kind: "probe" }),
    });
    this.#check = check
      ? new FileCheck({
          start: () => new Thread("check-thread", { path, waitMs }),
          onError: (error) => this.#health.note(error, false),
        })
      : undefined;
    this.#writes = new UserWrites((writes) => this.#commit(writes), options, observer);
    const read: ReadQueries["read"] = (steps) => this.#read(() => this.#reader.runInSnapshot(steps()));
    this.keys = new SqlKeyStore(sqliteKeys, {
      read,
      write: async (write) =>
        (await this.#write(() => this.#writer.request({ kind: "keys", write }))).outcome,
    });
    this.webhooks = new SqlWebhookStore(sqliteWebhooks, {
      read,
      write: async (write) =>
        (await this.#write(() => this.#writer.request({ kind: "webhooks", write }))).webhook,
    });
    this.deliveries = new SqlDeliveryStore(sqliteDeliveries, {
      read,
      write: async (write) =>
        (await this.#write(() => this.#writer.request({ kind: "deliveries", write }))).outcome,
    });
    this.schema = this.#openSchema(read);
    this.events = {
      read: (query) => this.#readEvents(query),
      readLines: async (query) => (await this.#requestReader({ kind: "event-lines", query })).lines,
      last: () => read(() => sqliteEvents.last()),
      removeOldest: async (retention) =>
        (await this.#write(() => this.#writer.request({ kind: "remove-events", retention }))).removed,
    };
    this.deletedUsers = new SqlDeletedUsers(
      sqliteDeletedUsers,
      sqliteEvents,
      {
        read,
        eraseEvents: async (range) => {
          await this.#write(() => this.#writer.request({ kind: "erase-events", range }));
        },
        page: async (query) => (await this.#requestReader({ kind: "deleted-users", query })).page,
      },
      this.#writes,
    );
  }

  #openSchema(read: ReadQueries["read"]): SchemaStore {
    return new SqlSchemaStore(sqliteSchema, {
      read,
      write: async (write) =>
        (await this.#write(() => this.#writer.request({ kind: "schema", write }))).outcome,
      checkUsers: async (json, after, limit) =>
        (await this.#requestReader({ kind: "check-users", json, after, limit })).checked,
      compareValues: async (field, after) =>
        (await this.#requestReader({ kind: "compare-values", field, after })).step,
    });
  }

  read(id: number): StoredUser | undefined {
    this.#snapshotLock.beforeRead();
    return this.#read(() => this.#reader.read(id));
  }

  list(query: ListQuery): MaybePromise<Page> {
    const since = runningTime();
    return query.count ? this.#pageAndTotal(query, since) : this.#fullPage(query, since);
  }

  async listFields(): Promise<CustomField[]> {
    return (await this.#requestReader({ kind: "fields" })).fields;
  }

  async listFieldValues(field: string, prefix: string): Promise<FieldValue[]> {
    return (await this.#requestReader({ kind: "values", field, prefix })).values;
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
    const cause = this.#writer.ended;
    if (cause) throw new DatabaseUnavailable("The writer thread has stopped.", cause);
    this.read(1);
    const problem = this.#health.problem;
    if (problem !== undefined) throw problem;
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
      up: stats !== undefined && !this.#writer.ended && this.#health.problem === undefined,
      stats,
      queuedWrites: this.#writes.queued,
      ...(diskFreeBytes !== undefined && { diskFreeBytes }),
      walBytes: wal?.size ?? 0,
    };
  }

  async close(): Promise<void> {
    this.#health.close();
    await this.#writes.drain();
    await this.#check?.close();
    this.#snapshotLock.close();
    this.#db.close();
    await this.#readerPool.close();
    await this.#writer.end();
  }

  /** Reads on the main thread. */
  #read<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (isBusy(error)) throw toUnavailable(error);
      throw this.#health.note(toFileProblem(error), false);
    }
  }

  /** Short pages that an index answers are read on the main thread. */
  #readEvents(query: EventQuery): MaybePromise<EventPage | undefined> {
    const { types, actor, limit } = query;
    if (types === undefined && actor === undefined && limit <= MAX_EVENTS_ON_MAIN_THREAD) {
      return this.#read(() => this.#reader.runInSnapshot(sqliteEvents.read(query)));
    }
    return this.#requestReader({ kind: "events", query }, runningTime()).then(({ page }) => page);
  }

  #fullPage(query: ListQuery, since: number): MaybePromise<Page> {
    return fillPage(query, (part) => this.#page(part, since));
  }

  #page(query: ListQuery, since: number): MaybePromise<Page> {
    if (isFastList(userList, query)) {
      this.#snapshotLock.beforeRead();
      try {
        return formatFoundPageQuickly(this.#reader.find(query), query);
      } catch (error) {
        if (!isBusy(error)) throw this.#health.note(toFileProblem(error), false);
      }
    }
    return this.#requestReader({ kind: "page", query }, since).then(({ page }) => page);
  }

  async #pageAndTotal(query: ListQuery, since: number): Promise<Page> {
    return { ...(await this.#fullPage(query, since)), total: await this.#total(query, since) };
  }

  #total(query: ListQuery, since: number): MaybePromise<Page["total"]> {
    if (isUnfiltered(query)) return this.#read(() => ({ count: this.#reader.countUsers(), capped: false }));
    return countInRounds(async (after) => {
      const { round } = await this.#requestReader({ kind: "count", query, after }, since);
      return round;
    });
  }

  /** Runs a request on a reader thread. */
  #requestReader<R extends ReaderRequest>(request: R, since = runningTime()) {
    return this.#readerPool.request(request, since).catch((error: unknown) => {
      throw this.#health.note(error, false);
    });
  }

  async #commit(writes: Write[]): Promise<WriteOutcome[]> {
    return (await this.#write(() => this.#writer.request({ kind: "users", writes }))).outcomes;
  }

  /** Runs a request on the writer thread. */
  async #write<T>(request: () => Promise<T>): Promise<T> {
    this.#snapshotLock.release();
    try {
      return await request();
    } catch (error) {
      throw this.#health.note(error, true);
    }
  }
}
