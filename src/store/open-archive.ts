import { existsSync, statSync } from "node:fs";
import type { SQL } from "bun";
import type { Database, PostgresDatabase } from "../config/database-url.ts";
import type { ArchiveSource, ArchiveTarget } from "./archive.ts";
import { sameDatabase } from "./move-state.ts";
import { Connections } from "./postgres/connections.ts";
import { migrate, requireSchema, schemaState } from "./postgres/migrate.ts";
import { type ArchiveUse, PostgresArchive } from "./postgres/postgres-archive.ts";
import { toStoreError } from "./postgres/to-store-error.ts";
import { connectExclusively, migrateDatabase, openMigrated } from "./sqlite/database.ts";
import { SqliteArchive } from "./sqlite/sqlite-archive.ts";
import { StoreError } from "./store-error.ts";

export interface ArchiveOptions {
  readonly waitMs: number;
  /** PostgreSQL: whether a connection is a session of our own. */
  readonly sessions: boolean;
}

/** Fails with a `StoreError` where both name one file. What else may be one database is known when it is open. */
export function refuseSameFile(from: Database, to: Database): void {
  if (from.engine !== "sqlite" || to.engine !== "sqlite" || !existsSync(from.path) || !existsSync(to.path))
    return;
  const [one, other] = [statSync(from.path), statSync(to.path)];
  if (one.dev === other.dev && one.ino === other.ino) throw sameDatabase(from.displayName, to.displayName);
}

/** A database to read whole; it stays as it is. Fails with a `StoreError`. */
export async function openSource(database: Database, options: ArchiveOptions): Promise<ArchiveSource> {
  if (database.engine === "postgres") return openPostgres(database, options, "reading");
  const { path, displayName: shown } = database;
  if (!existsSync(path)) throw new StoreError(`There is no database at ${shown}: check DATABASE_URL.`);
  return new SqliteArchive(openMigrated(path, options.waitMs), shown, options.waitMs);
}

/** Everything that a PostgreSQL database has now, whoever writes to it meanwhile. Fails with a `StoreError`. */
export async function openSnapshot(
  database: PostgresDatabase,
  options: ArchiveOptions,
): Promise<ArchiveSource> {
  return openPostgres(database, options, "moment");
}

/** A database to fill, made if it is a file and not there, its schema brought up to date. Fails with a `StoreError`. */
export async function openTarget(database: Database, options: ArchiveOptions): Promise<ArchiveTarget> {
  if (database.engine === "postgres") return openPostgres(database, options, "filling");
  const { path, displayName: shown } = database;
  migrateDatabase(path, options.waitMs);
  return new SqliteArchive(connectExclusively(path, options.waitMs), shown, options.waitMs).hurry();
}

/** A database that Roster has never used is more likely a mistake than one without users. */
async function requireRoster(sql: SQL, { displayName: shown }: PostgresDatabase): Promise<void> {
  if ((await schemaState(sql)).version === 0)
    throw new StoreError(`Roster has no tables at ${shown}: check DATABASE_URL.`);
  await requireSchema(sql);
}

async function openPostgres(
  database: PostgresDatabase,
  options: ArchiveOptions,
  use: ArchiveUse,
): Promise<PostgresArchive> {
  try {
    const connections = await Connections.open({ ...options, database, pool: 3 });
    try {
      await connections.withOwnConnection<unknown>((sql) =>
        use === "filling" ? migrate(sql) : requireRoster(sql, database),
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
