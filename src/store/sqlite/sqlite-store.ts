import { stat } from "node:fs/promises";
import type { SchemaStore } from "../../domain/schema/schema-store.ts";
import type { Store, StoreObserver } from "../../domain/store.ts";
import { forEachList } from "../list-resources.ts";
import { openStores } from "../open-tables.ts";
import type { StoreOptions } from "../store-options.ts";
import type { Write } from "../writes/apply-write.ts";
import type { WriteBatch } from "../writes/write-batch.ts";
import { WriteQueue } from "../writes/write-queue.ts";
import { openDatabase, openMigrated, rejectUnfinishedMove } from "./database.ts";
import { openEngines } from "./engine.ts";
import { readFreeBytes } from "./health/file-health.ts";
import { SqliteListReads } from "./list-reads.ts";
import { PageCache } from "./page-cache.ts";
import { Reader } from "./reader.ts";
import { type StoreThreadOptions, StoreThreads } from "./store-threads.ts";
import { SqliteUserReads } from "./user-reads.ts";

export interface SqliteOptions extends StoreOptions, StoreThreadOptions {
  /** Whether to migrate an outdated schema (the default), or to reject it. */
  readonly migrate?: boolean;
}

const MAPPED_BYTES = 64 * 1024 * 1024;

/**
 * Opens a database in one SQLite file. Fast reads run on the main thread, slower lists on a few reader threads, and every
 * write on the writer thread, which commits in groups.
 */
export function openSqliteStore(options: SqliteOptions, observer: StoreObserver): Store {
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
    (await threads.requestWriter({ kind: "batch", writes, states: refusals.states })).outcomes;
  const queue = new WriteQueue({ commit, options, observer });
  const reads = new SqliteUserReads(reader, threads);
  const readGroup = (id: number) => threads.readOnMainThread(() => reader.readGroup(id));
  const lists = forEachList((name) => new SqliteListReads(name, reader, new PageCache(db), threads));
  const checkUsers: SchemaStore["checkUsers"] = async (json, after, limit) =>
    (await threads.requestReader({ kind: "check-users", json, after, limit })).checked;
  const engine = openEngines({
    read: (steps) => threads.onMainThread(() => reader.run(steps)),
    requestReader: (request) => threads.requestReader(request),
    requestWriter: (request) => threads.requestWriter(request),
  });
  const stats = async () => threads.onMainThread(() => reader.stats());
  return {
    ...openStores({ engine, reads, readGroup, lists, queue, checkUsers }, recordRules),

    async ping() {
      reads.read(1);
      const { problem } = threads;
      if (problem) throw problem;
    },

    stats,

    async gauges() {
      const known = await stats().catch(() => undefined);
      const [diskFreeBytes, wal] = await Promise.all([
        readFreeBytes(path),
        // The log is missing until the first write.
        stat(`${path}-wal`).catch(() => undefined),
      ]);
      return {
        up: known !== undefined && threads.problem === undefined,
        stats: known,
        queuedWrites: queue.queued,
        ...(diskFreeBytes !== undefined && { diskFreeBytes }),
        walBytes: wal?.size ?? 0,
      };
    },

    async close() {
      threads.health.close();
      await queue.drain();
      db.close();
      await threads.close();
    },
  };
}
