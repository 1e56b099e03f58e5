import type { Database as SqliteDatabase } from "bun:sqlite";
import { existsSync, statSync } from "node:fs";
import type { Database, PostgresDatabase } from "../config/database-url.ts";
import { listResources } from "./list-resources.ts";
import { Connections } from "./postgres/connections.ts";
import { toStoreError } from "./postgres/to-store-error.ts";
import { checkpoint, openMigrated, withStoreErrors } from "./sqlite/database.ts";
import { StoreError } from "./store-error.ts";
import type { DatabaseOptions } from "./store-options.ts";

/** Pages of a search index that one transaction merges: other programs can write in between. */
const MERGED_PAGES = 500;

/**
 * Removes what deletes and purges leave behind. On SQLite: merges the search indexes, rewrites the file, and empties the log. On
 * PostgreSQL: vacuums Roster's tables, so that the space of deleted rows is used again. Fails with a `StoreError`.
 */
export async function compactDatabase(database: Database, options: DatabaseOptions): Promise<void> {
  if (database.engine === "postgres") return await vacuumPostgres(database, options);
  const { path, displayName } = database;
  if (!existsSync(path)) throw new StoreError(`There is no database at ${displayName}: check DATABASE_URL.`);
  withStoreErrors(displayName, () => compactFile(path, options.waitMs));
}

function compactFile(path: string, waitMs: number): void {
  const db = openMigrated(path, waitMs);
  try {
    for (const { search } of Object.values(listResources)) mergeIndex(db, search.table);
    db.run("VACUUM");
    checkpoint(db, waitMs);
    const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
    if (log && log.size > 0) {
      throw new StoreError(
        `Another program reads ${path} all the time, so its log is not empty: stop that program, then try again.`,
      );
    }
  } finally {
    db.close();
  }
}

function mergeIndex(db: SqliteDatabase, index: string): void {
  const changes = db.query<{ count: number }, []>("SELECT total_changes() AS count");
  const countChanges = () => changes.get()?.count ?? 0;
  // A negative number merges all parts of the index into one, step by step. A step without work makes one change.
  for (let before = countChanges(); ; before = countChanges()) {
    db.run(`INSERT INTO ${index} (${index}, rank) VALUES ('merge', ${-MERGED_PAGES})`);
    if (countChanges() - before < 2) break;
  }
  // Also merges a single part that has deleted entries.
  db.run(`INSERT INTO ${index} (${index}) VALUES ('optimize')`);
}

async function vacuumPostgres(database: PostgresDatabase, options: DatabaseOptions): Promise<void> {
  try {
    const connections = await Connections.open({ ...options, database, pool: 3 });
    try {
      await connections.withSeparateConnection(async (sql) => {
        const tables: [string][] = await sql
          .unsafe(
            "SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'roster' ORDER BY tablename",
          )
          .values();
        if (tables.length === 0) {
          throw new StoreError(`There are no Roster tables at ${database.displayName}: check DATABASE_URL.`);
        }
        await sql.unsafe("SET statement_timeout = 0");
        for (const [table] of tables) await sql.unsafe(`VACUUM (ANALYZE) roster.${table}`);
      });
    } finally {
      await connections.close();
    }
  } catch (error) {
    throw toStoreError(error, database);
  }
}
