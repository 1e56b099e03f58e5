import { existsSync, statSync } from "node:fs";
import type { SQL } from "bun";
import type { Database, PostgresDatabase } from "../../config/database-url.ts";
import { Connections } from "../postgres/connections.ts";
import { migrate, migrationState, requireSchema } from "../postgres/migrate.ts";
import { toStoreError } from "../postgres/to-store-error.ts";
import { connectExclusively, migrateDatabase, openMigrated } from "../sqlite/database.ts";
import { StoreError } from "../store-error.ts";
import type { DatabaseOptions } from "../store-options.ts";
import type { ArchiveSource, ArchiveTarget } from "./archive.ts";
import { sameDatabase } from "./move-state.ts";
import { type ArchiveUse, PostgresArchive } from "./postgres/postgres-archive.ts";
import { SqliteArchive } from "./sqlite/sqlite-archive.ts";

/** Fails with a `StoreError` if both are the same file. Other identical databases are found once they are open. */
export function rejectSameFile(from: Database, to: Database): void {
  if (from.engine !== "sqlite" || to.engine !== "sqlite" || !existsSync(from.path) || !existsSync(to.path))
    return;
  const [source, target] = [statSync(from.path), statSync(to.path)];
  if (source.dev === target.dev && source.ino === target.ino)
    throw sameDatabase(from.displayName, to.displayName);
}

/** Opens a database to read all of it, unchanged. Fails with a `StoreError`. */
export async function openSource(database: Database, options: DatabaseOptions): Promise<ArchiveSource> {
  if (database.engine === "postgres") return openPostgres(database, options, "reading");
  const { path, displayName } = database;
  if (!existsSync(path)) throw new StoreError(`There is no database at ${displayName}: check DATABASE_URL.`);
  return new SqliteArchive(openMigrated(path, options.waitMs), displayName, options.waitMs);
}

/** Opens a snapshot of a PostgreSQL database, while nodes write to it. Fails with a `StoreError`. */
export async function openSnapshot(
  database: PostgresDatabase,
  options: DatabaseOptions,
): Promise<ArchiveSource> {
  return openPostgres(database, options, "snapshot");
}

/** Opens a database to fill: creates a missing file, and migrates the schema. Fails with a `StoreError`. */
export async function openTarget(database: Database, options: DatabaseOptions): Promise<ArchiveTarget> {
  if (database.engine === "postgres") return openPostgres(database, options, "filling");
  const { path, displayName } = database;
  migrateDatabase(path, options.waitMs);
  return new SqliteArchive(
    connectExclusively(path, options.waitMs),
    displayName,
    options.waitMs,
  ).optimizeForFilling();
}

/** Rejects a database without Roster's tables: its URL is probably wrong. */
async function requireRosterTables(sql: SQL, { displayName }: PostgresDatabase): Promise<void> {
  if ((await migrationState(sql, displayName)).version === 0)
    throw new StoreError(`There are no Roster tables at ${displayName}: check DATABASE_URL.`);
  await requireSchema(sql, displayName);
}

async function openPostgres(
  database: PostgresDatabase,
  options: DatabaseOptions,
  use: ArchiveUse,
): Promise<PostgresArchive> {
  try {
    const connections = await Connections.open({ ...options, database, pool: 3 });
    try {
      await connections.withSeparateConnection<unknown>((sql) =>
        use === "filling" ? migrate(sql, database.displayName) : requireRosterTables(sql, database),
      );
      return await PostgresArchive.open(connections, use);
    } catch (error) {
      await connections.close();
      throw error;
    }
  } catch (error) {
    throw toStoreError(error, database);
  }
}
