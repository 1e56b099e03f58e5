import type { Database, PostgresDatabase } from "../config/database-url.ts";
import type { Store, StoreObserver } from "../domain/store.ts";
import type { MoveProgress } from "./archive/move.ts";
import { carryOver, mustCarryOver } from "./archive/postgres/carry-over.ts";
import { carryOverFile } from "./archive/sqlite/carry-over-file.ts";
import { describeTableProblems, type MigrationState } from "./migration.ts";
import type { ConnectionOptions } from "./postgres/connection-pools.ts";
import { Connections, waitForServer } from "./postgres/connections.ts";
import { findTableProblems, migrate, migrationState, requireSchema } from "./postgres/migrate.ts";
import { openPostgresStore } from "./postgres/postgres-store.ts";
import { toStoreError } from "./postgres/to-store-error.ts";
import { earlierState, migrateDatabase, readTableProblems } from "./sqlite/database.ts";
import { openSqliteStore } from "./sqlite/sqlite-store.ts";
import { StoreError } from "./store-error.ts";
import type { DatabaseOptions, StoreOptions } from "./store-options.ts";
import { unfinishedMove } from "./unfinished-move.ts";

export interface OpenOptions extends StoreOptions, DatabaseOptions {
  /** PostgreSQL: most connections of this node. */
  readonly pool: number;
  /** Whether to migrate an outdated schema, or to reject it. */
  readonly migrate: boolean;
  /** SQLite: whether to look for damage in the background. Default: false. */
  readonly check?: boolean;
  /** Follows the migration of an early database, which takes long if it is large. */
  readonly reportMigration?: (progress: MoveProgress) => void;
}

/** Opens the store of a database. Fails with a `StoreError`. */
export async function openStore(
  database: Database,
  options: OpenOptions,
  observer: StoreObserver,
): Promise<Store> {
  if (database.engine === "postgres") return openPostgres(database, options, observer);
  if (options.migrate) await carryOverIfEarlier(database.path, options);
  return openSqliteStore({ path: database.path, ...options }, observer);
}

interface MigrateOptions extends DatabaseOptions, Pick<OpenOptions, "reportMigration"> {}

/** Migrates the tables and returns their state before. Fails with a `StoreError`. */
export async function migrateStore(database: Database, options: MigrateOptions): Promise<MigrationState> {
  if (database.engine === "sqlite") {
    const earlier = await carryOverIfEarlier(database.path, options);
    const before = migrateDatabase(database.path, options.waitMs);
    requireTables(readTableProblems(database.path, options.waitMs));
    return earlier ?? before;
  }
  try {
    return await waitForServer(options, async () => {
      const connections = await Connections.open({ ...options, database, pool: 3 });
      try {
        const before = await migratePostgres(connections, options);
        requireTables(await connections.withSeparateConnection(findTableProblems));
        return before;
      } finally {
        await connections.close();
      }
    });
  } catch (error) {
    throw toStoreError(error, database);
  }
}

function requireTables(problems: readonly string[]): void {
  if (problems.length > 0) throw new StoreError(describeTableProblems(problems));
}

/** Returns the state before if the file was an early one. */
async function carryOverIfEarlier(
  path: string,
  { waitMs, reportMigration = () => undefined }: MigrateOptions,
): Promise<MigrationState | undefined> {
  const state = earlierState(path, waitMs);
  if (state) await carryOverFile(path, waitMs, reportMigration);
  return state;
}

async function migratePostgres(
  connections: Connections,
  { reportMigration = () => undefined }: MigrateOptions,
): Promise<MigrationState> {
  const { displayName } = connections.options.database;
  const before = await connections.withSeparateConnection(async (sql) => {
    const state = await migrationState(sql, displayName);
    // New tables of an interrupted migration can be outdated as well.
    if (!state.isEarlier) await migrate(sql, displayName);
    return (await mustCarryOver(sql, displayName)) ? { ...state, isEarlier: true } : state;
  });
  if (before.isEarlier) await carryOver(connections, reportMigration);
  return before;
}

async function openPostgres(
  database: PostgresDatabase,
  options: OpenOptions,
  observer: StoreObserver,
): Promise<Store> {
  const location = { ...options, database };
  try {
    const connections = await waitForServer(options, () => openMigrated(location));
    return openPostgresStore(connections, location, observer);
  } catch (error) {
    throw toStoreError(error, database);
  }
}

/** Connects to a database, and migrates it if it may. */
async function openMigrated(options: OpenOptions & ConnectionOptions): Promise<Connections> {
  const { displayName } = options.database;
  const connections = await Connections.open(options);
  try {
    if (options.migrate) await migratePostgres(connections, options);
    await connections.withSeparateConnection(async (sql) => {
      await requireSchema(sql, displayName);
      const [row] = await sql.unsafe("SELECT mark FROM roster.moving").values();
      if (row) throw unfinishedMove(displayName, String(row[0]));
    });
    return connections;
  } catch (error) {
    await connections.close();
    throw error;
  }
}
