import { runInTurns } from "../../domain/scheduling/steps.ts";
import type { SchemaStore } from "../../domain/schema/schema-store.ts";
import type { Store, StoreObserver, StoreStats } from "../../domain/store.ts";
import type { RecordRules } from "../../domain/users/record-rules.ts";
import { EventPublisher } from "../events/event-publisher.ts";
import { forEachList, listResources } from "../list-resources.ts";
import { DEFAULT_MAX_CANDIDATES, type Dialect } from "../lists/dialect.ts";
import { type AllTables, openStores } from "../open-tables.ts";
import { UserChecker } from "../schema/user-checker.ts";
import type { MethodsByTable } from "../sql/engine.ts";
import type { StoreOptions } from "../store-options.ts";
import { WriteQueue } from "../writes/write-queue.ts";
import { type ConnectionOptions, poolSizes } from "./connection-pools.ts";
import type { Connections } from "./connections.ts";
import { postgresDialect } from "./dialect.ts";
import { openEngines } from "./engine.ts";
import { readOnlyServer } from "./error-codes.ts";
import { PostgresListReads } from "./list-reads.ts";
import { ReadBatcher } from "./read-batcher.ts";
import { PostgresUserReads } from "./user-reads.ts";
import { Writer } from "./writer.ts";

/** Whether the server rejects writes. Fails if users cannot be read. */
export const PING =
  "SELECT current_setting('transaction_read_only'), (SELECT id FROM roster.users WHERE id = 1)";

export const STATS = `
  SELECT (SELECT sum(users) FROM roster.user_counts),
         (SELECT sum(pg_total_relation_size(oid)) FROM pg_class
          WHERE relnamespace = 'roster'::regnamespace AND relkind = 'r'),
         (SELECT last_backup_at FROM roster.about),
         (SELECT sum(bytes) FROM roster.event_usage),
         (SELECT sum(groups) FROM roster.user_counts)`;

/** How long a stop waits until the last events are published. */
const PUBLISH_MS = 1000;

export interface PostgresStoreOptions extends StoreOptions, ConnectionOptions {
  /** The SQL of tables and of lists. Only the simulator replaces it. */
  readonly sql?: {
    readonly tables: MethodsByTable<AllTables>;
    readonly lists: (maxCandidates: number) => Dialect;
  };
}

/**
 * The store of a database in PostgreSQL, which must be migrated. Any number of nodes can share the database: no node holds state
 * that another needs.
 */
export function openPostgresStore(
  connections: Connections,
  options: PostgresStoreOptions,
  observer: StoreObserver,
): Store {
  const { recordRules, maxCandidates = DEFAULT_MAX_CANDIDATES, sql } = options;
  const { clock } = connections;
  const dialect = (sql?.lists ?? postgresDialect)(maxCandidates);
  const [writer, bulkWriter] = openWriters(connections, recordRules);
  const queue = new WriteQueue({
    commit: (batch) => writer.apply(batch),
    commitBulk: bulkWriter && ((batch) => bulkWriter.apply(batch)),
    options,
    observer,
  });
  const reads = new PostgresUserReads(connections);
  const groups = new ReadBatcher(connections, "groups");
  const readGroup = (id: number) => groups.read(id);
  const lists = forEachList((name) => new PostgresListReads(connections, dialect, listResources[name]));
  const engine = openEngines(connections, sql?.tables);
  const publisher = new EventPublisher(engine("events"), options);
  const checker = new UserChecker();
  const checkUsers: SchemaStore["checkUsers"] = async (json, after, limit) => {
    const users = await engine("schema").readLong("readUsers", [after, limit]);
    return runInTurns(checker.check(json, users, limit));
  };
  const ping = async () => {
    const [row] = await connections.read((sql) => sql.unsafe(PING).values());
    if (row?.[0] === "on") throw readOnlyServer();
  };
  const stats = () => readStats(connections);
  return {
    ...openStores({ engine, reads, readGroup, lists, queue, checkUsers, publisher, clock }, recordRules),
    ping,
    stats,

    async gauges() {
      const queuedWrites = queue.queued;
      const poolInUse = connections.readsInUse + queue.running;
      const [known, isReady] = await Promise.all([
        stats().catch(() => undefined),
        ping().then(
          () => true,
          () => false,
        ),
      ]);
      return { up: isReady && known !== undefined, stats: known, queuedWrites, poolInUse };
    },

    async close() {
      await queue.drain();
      // Otherwise, the last events would get the time of the next start.
      await Promise.race([publisher.publishAll().catch(() => undefined), clock.sleep(PUBLISH_MS)]);
      await Promise.all([writer.close(), bulkWriter?.close()]);
      await connections.close();
    },
  };
}

/** The second one, for bulk writes, has a connection of its own. */
function openWriters(connections: Connections, recordRules: RecordRules): [Writer, Writer?] {
  const open = () => new Writer(connections, recordRules);
  return poolSizes(connections.options.pool).writes === 2 ? [open(), open()] : [open()];
}

async function readStats(connections: Connections): Promise<StoreStats> {
  const [row] = await connections.withReserved((sql) => sql.unsafe(STATS).values());
  const [users, bytes, lastBackupAt, eventBytes, groups] = (row ?? []).map(Number);
  return {
    users: users ?? 0,
    groups: groups ?? 0,
    bytes: bytes ?? 0,
    eventBytes: eventBytes ?? 0,
    lastBackupAt: lastBackupAt || null,
  };
}
