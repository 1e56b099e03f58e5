import type { SQL } from "bun";
import { type MigrationState, schemaOutdated } from "../migration-state.ts";
import { StoreError } from "../store-error.ts";
import { errorCode, isConflict, isDuplicate } from "./error-codes.ts";
import { migrations } from "./migrations/index.ts";

/** How long to wait for another node that runs migrations. */
const MAX_WAIT_MS = 60_000;
/** A migration that waits for a lock blocks every later statement: it gives up after this time and is retried. */
const LOCK_TIMEOUT = "1s";

/**
 * Migrates the schema and returns its state before. Safe with several nodes: a row lock lets each migration run once.
 * Fails with a `StoreError`.
 */
export async function migrate(sql: SQL): Promise<MigrationState> {
  const deadline = performance.now() + MAX_WAIT_MS;
  for (;;) {
    try {
      const before = await migrationState(sql);
      // Without pending migrations, the user needs no privileges for them.
      if (before.version === before.latest) return before;
      while ((await runNextMigration(sql)) < migrations.length);
      return before;
    } catch (error) {
      const isTemporary = isDuplicate(error) || isConflict(error) || isConcurrent(error);
      if (!isTemporary || performance.now() > deadline) throw error;
      await Bun.sleep(20 + Math.random() * 80);
    }
  }
}

/** Fails with a `StoreError` if the database has had more migrations than this program knows. */
export async function migrationState(sql: SQL): Promise<MigrationState> {
  const [table] = await sql.unsafe("SELECT to_regclass('roster.about') IS NOT NULL").values();
  const [row] = table?.[0] ? await sql.unsafe("SELECT schema FROM roster.about").values() : [];
  const version = Number(row?.[0] ?? 0);
  if (version > migrations.length) {
    throw new StoreError(
      `The database was written by a newer Roster (schema ${version}; this version supports ${migrations.length}): run that version or a later one.`,
    );
  }
  return { version, latest: migrations.length };
}

/** Fails with a `StoreError` unless the schema is up to date. */
export async function requireSchema(sql: SQL): Promise<MigrationState> {
  const state = await migrationState(sql);
  if (state.version === state.latest) return state;
  throw schemaOutdated(state);
}

/** Runs the next missing migration. Returns the number of migrations that the database has had. */
async function runNextMigration(sql: SQL): Promise<number> {
  const [found] = await sql.unsafe("SELECT to_regnamespace('roster') IS NOT NULL").values();
  // CREATE SCHEMA IF NOT EXISTS needs the privilege even if the schema exists.
  if (!found?.[0]) await sql.unsafe("CREATE SCHEMA roster");
  await sql.unsafe(`CREATE TABLE IF NOT EXISTS roster.about (
    only_row integer PRIMARY KEY CHECK (only_row = 1),
    schema   integer NOT NULL
  )`);
  await sql.unsafe("INSERT INTO roster.about VALUES (1, 0) ON CONFLICT DO NOTHING");
  return await sql.begin(async (transaction) => {
    await transaction
      .unsafe(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'; SET LOCAL statement_timeout = 0`)
      .simple();
    const [row] = await transaction.unsafe("SELECT schema FROM roster.about FOR UPDATE").values();
    const version = Number(row?.[0]);
    const next = migrations[version];
    if (next === undefined) return version;
    await transaction.unsafe(next).simple();
    await transaction.unsafe(`UPDATE roster.about SET schema = ${version + 1}`);
    return version + 1;
  });
}

/** Another node created the same object first, or holds a lock. */
function isConcurrent(error: unknown): boolean {
  return ["42P06", "42P07", "42710", "55P03", "XX000"].includes(errorCode(error));
}
