import type { Database, PostgresDatabase } from "../config/database-url.ts";
import type { Store, StoreObserver } from "../domain/store.ts";
import { unfinishedMove } from "./move-state.ts";
import { Connections } from "./postgres/connections.ts";
import { migrate, requireSchema } from "./postgres/migrate.ts";
import { PostgresStore } from "./postgres/postgres-store.ts";
import { toStoreError } from "./postgres/to-store-error.ts";
import type { SchemaState } from "./schema-state.ts";
import { migrateDatabase } from "./sqlite/database.ts";
import { SqliteStore } from "./sqlite/sqlite-store.ts";
import type { StoreOptions } from "./store-options.ts";

export interface OpenOptions extends StoreOptions {
  /** PostgreSQL: the most connections of this node. */
  readonly pool: number;
  /** PostgreSQL: whether a connection is a session of our own. */
  readonly sessions: boolean;
  /** Whether to bring the schema up to date, or to refuse one that is behind. */
  readonly migrate: boolean;
}

/** The store that the URL names. Fails with a `StoreError` that says what to do. */
export async function openStore(
  database: Database,
  options: OpenOptions,
  observer: StoreObserver,
): Promise<Store> {
  return database.engine === "sqlite"
    ? new SqliteStore({ path: database.path, ...options }, observer)
    : openPostgres(database, options, observer);
}

/** Brings the schema up to date, ahead of the nodes; says what it was. Fails with a `StoreError`. */
export async function migrateStore(
  database: Database,
  options: Pick<OpenOptions, "waitMs" | "sessions">,
): Promise<SchemaState> {
  if (database.engine === "sqlite") return migrateDatabase(database.path, options.waitMs);
  try {
    const connections = await Connections.open({ ...options, database, pool: 3 });
    try {
      return await connections.withOwnConnection(migrate);
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
      await connections.withOwnConnection(async (sql) => {
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
