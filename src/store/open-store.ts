import type { Database, PostgresDatabase } from "../database-url.ts";
import type { Store, StoreObserver } from "../domain/store.ts";
import { Connections } from "./postgres/connections.ts";
import { explain } from "./postgres/explain.ts";
import { migrate, requireSchema } from "./postgres/migrate.ts";
import { PostgresStore } from "./postgres/postgres-store.ts";
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

async function openPostgres(
  database: PostgresDatabase,
  options: OpenOptions,
  observer: StoreObserver,
): Promise<Store> {
  const location = { ...options, database };
  try {
    const connections = await Connections.open(location);
    try {
      await connections.alone(options.migrate ? migrate : requireSchema);
    } catch (error) {
      await connections.close();
      throw error;
    }
    return new PostgresStore(connections, location, observer);
  } catch (error) {
    throw explain(error, database);
  }
}
