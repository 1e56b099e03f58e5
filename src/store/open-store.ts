import type { Database, PostgresDatabase } from "../config/database-url.ts";
import type { Store, StoreObserver } from "../domain/store.ts";
import type { MigrationState } from "./migration-state.ts";
import { unfinishedMove } from "./move-state.ts";
import { Connections } from "./postgres/connections.ts";
import { migrate, requireSchema } from "./postgres/migrate.ts";
import { PostgresStore } from "./postgres/postgres-store.ts";
import { toStoreError } from "./postgres/to-store-error.ts";
import { migrateDatabase } from "./sqlite/database.ts";
import { SqliteStore } from "./sqlite/sqlite-store.ts";
import type { DatabaseOptions, StoreOptions } from "./store-options.ts";

export interface OpenOptions extends StoreOptions, DatabaseOptions {
  /** PostgreSQL: most connections of this node. */
  readonly pool: number;
  /** Whether to migrate an outdated schema, or to reject it. */
  readonly migrate: boolean;
  /** SQLite: whether to look for damage in the background. Default: false. */
  readonly check?: boolean;
}

/** Opens the store of a database. Fails with a `StoreError`. */
export async function openStore(
  database: Database,
  options: OpenOptions,
  observer: StoreObserver,
): Promise<Store> {
  return database.engine === "sqlite"
    ? new SqliteStore({ path: database.path, ...options }, observer)
    : openPostgres(database, options, observer);
}

/** Migrates the schema and returns its state before. Fails with a `StoreError`. */
export async function migrateStore(database: Database, options: DatabaseOptions): Promise<MigrationState> {
  if (database.engine === "sqlite") return migrateDatabase(database.path, options.waitMs);
  try {
    const connections = await Connections.open({ ...options, database, pool: 3 });
    try {
      return await connections.withSeparateConnection(migrate);
    } finally {
      await connections.close();
    }
  } catch (error) {
    throw toStoreError(error, database);
  }
}

async function openPostgres(
  database: PostgresDatabase,
  options: OpenOptions,
  observer: StoreObserver,
): Promise<Store> {
  const location = { ...options, database };
  try {
    const connections = await Connections.open(location);
    try {
      await connections.withSeparateConnection(async (sql) => {
        await (options.migrate ? migrate(sql) : requireSchema(sql));
        const [row] = await sql.unsafe("SELECT mark FROM roster.moving").values();
        if (row) throw unfinishedMove(database.displayName, String(row[0]));
      });
    } catch (error) {
      await connections.close();
      throw error;
    }
    return new PostgresStore(connections, location, observer);
  } catch (error) {
    throw toStoreError(error, database);
  }
}
