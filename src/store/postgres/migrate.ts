import type { SQL } from "bun";
import {
  type DatabaseRecord,
  isOutdated,
  type MigrationState,
  type RecordedMigration,
  readState,
  schemaOutdated,
} from "../migration.ts";
import { compareParts, type KnownParts, type Parts } from "../parts.ts";
import { StoreError } from "../store-error.ts";
import { errorCode, isConflict, isDuplicate } from "./error-codes.ts";
import { migrations } from "./migrations/index.ts";
import knownParts from "./migrations/parts.json" with { type: "json" };
import { readParts } from "./read-parts.ts";

/** How long to wait for another node that runs migrations. */
const MAX_WAIT_MS = 60_000;
/** A migration that waits for a lock blocks every later statement: it gives up after this time and is retried. */
const LOCK_TIMEOUT = "1s";

const CREATE_ABOUT = `CREATE TABLE IF NOT EXISTS roster.about (
  only_row integer PRIMARY KEY CHECK (only_row = 1),
  schema   integer NOT NULL
)`;
/** `applied_at` is NULL for migrations of before they were recorded. */
const CREATE_RECORD = `CREATE TABLE roster.migrations (
  name       text COLLATE "C" PRIMARY KEY,
  digest     text NOT NULL,
  applied_at bigint
)`;

/**
 * Migrates the schema and returns its state before. Safe with several nodes: a row lock lets each migration run once.
 * Fails with a `StoreError`.
 */
export async function migrate(sql: SQL, displayName: string): Promise<MigrationState> {
  const deadline = performance.now() + MAX_WAIT_MS;
  for (;;) {
    try {
      const before = await migrationState(sql, displayName);
      if (before.isEarlier) throw schemaOutdated(before);
      for (let state = before; await isPending(sql, state); state = await migrationState(sql, displayName)) {
        await runNextMigration(sql, displayName);
      }
      return before;
    } catch (error) {
      const isTemporary = isDuplicate(error) || isConflict(error) || isConcurrent(error);
      if (!isTemporary || performance.now() > deadline) throw error;
      await Bun.sleep(20 + Math.random() * 80);
    }
  }
}

/** Without pending migrations, the user needs no privileges for them: such a user does not record earlier ones either. */
async function isPending(sql: SQL, state: MigrationState): Promise<boolean> {
  if (isOutdated(state)) return true;
  if (state.isRecorded) return false;
  const [row] = await sql.unsafe("SELECT has_schema_privilege('roster', 'CREATE')").values();
  return row?.[0] === true;
}

/** Which migrations the database has had. Fails with a `StoreError` if this program does not know its tables. */
export async function migrationState(sql: SQL, displayName: string): Promise<MigrationState> {
  let refusal = "";
  for (;;) {
    try {
      return await sql.begin("ISOLATION LEVEL REPEATABLE READ READ ONLY", (snapshot) =>
        readMigrationState(snapshot, displayName),
      );
    } catch (error) {
      // PostgreSQL's catalogs do not belong to the snapshot: if another node has just migrated the database, the next attempt
      // finds something else.
      if (!(error instanceof StoreError) || error.message === refusal) throw error;
      refusal = error.message;
    }
  }
}

async function readMigrationState(sql: SQL, displayName: string): Promise<MigrationState> {
  const record = await readRecord(sql);
  const isUnknown = record.version > 0 && record.migrations === undefined;
  const parts: Parts = isUnknown ? await readParts(sql) : {};
  return readState(displayName, record, migrations, knownParts, () => parts);
}

async function readRecord(sql: SQL): Promise<DatabaseRecord> {
  const [found] = await sql
    .unsafe("SELECT to_regclass('roster.about') IS NOT NULL, to_regclass('roster.migrations') IS NOT NULL")
    .values();
  const [hasTables, isRecorded] = found ?? [];
  const [row] = hasTables ? await sql.unsafe("SELECT schema FROM roster.about").values() : [];
  const version = Number(row?.[0] ?? 0);
  if (!isRecorded) return { version, migrations: undefined };
  const rows: unknown[][] = await sql
    .unsafe("SELECT name, digest FROM roster.migrations ORDER BY name")
    .values();
  const recorded = rows.map(
    ([name, digest]): RecordedMigration => ({ name: String(name), digest: String(digest) }),
  );
  return { version, migrations: recorded };
}

/** What is missing or different in the tables of an up-to-date database. */
export async function findTableProblems(sql: SQL): Promise<string[]> {
  const { name = "" } = migrations.at(-1) ?? {};
  const expected: KnownParts = knownParts;
  return compareParts(expected[name] ?? {}, await readParts(sql));
}

/** Fails with a `StoreError` unless the schema is up to date. */
export async function requireSchema(sql: SQL, displayName: string): Promise<MigrationState> {
  const state = await migrationState(sql, displayName);
  if (isOutdated(state)) throw schemaOutdated(state);
  return state;
}

/** Creates all tables in one transaction. */
export async function createTables(transaction: SQL): Promise<void> {
  await transaction.unsafe("CREATE SCHEMA roster");
  await transaction.unsafe(CREATE_ABOUT);
  await transaction.unsafe(`INSERT INTO roster.about VALUES (1, ${migrations.length})`);
  await transaction.unsafe(CREATE_RECORD);
  for (const { name, sql, digest } of migrations) {
    await transaction.unsafe(sql).simple();
    await record(transaction, name, digest, Date.now());
  }
}

/** Runs and records the next missing migration. */
async function runNextMigration(sql: SQL, displayName: string): Promise<void> {
  const [found] = await sql.unsafe("SELECT to_regnamespace('roster') IS NOT NULL").values();
  // CREATE SCHEMA IF NOT EXISTS needs the privilege even if the schema exists.
  if (!found?.[0]) await sql.unsafe("CREATE SCHEMA roster");
  await sql.unsafe(CREATE_ABOUT);
  await sql.unsafe("INSERT INTO roster.about VALUES (1, 0) ON CONFLICT DO NOTHING");
  await sql.begin(async (transaction) => {
    await transaction
      .unsafe(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'; SET LOCAL statement_timeout = 0`)
      .simple();
    // Other nodes wait here, and then find nothing to do.
    await transaction.unsafe("SELECT schema FROM roster.about FOR UPDATE");
    const { version, isRecorded } = await readMigrationState(transaction, displayName);
    if (!isRecorded) {
      await transaction.unsafe(CREATE_RECORD);
      for (const { name, digest } of migrations.slice(0, version))
        await record(transaction, name, digest, null);
    }
    const next = migrations[version];
    if (next === undefined) return;
    await transaction.unsafe(next.sql).simple();
    await record(transaction, next.name, next.digest, Date.now());
    await transaction.unsafe(`UPDATE roster.about SET schema = ${version + 1}`);
  });
}

async function record(sql: SQL, name: string, digest: string, appliedAt: number | null): Promise<void> {
  await sql.unsafe("INSERT INTO roster.migrations VALUES ($1, $2, $3::bigint)", [name, digest, appliedAt]);
}

/** Another node created the same object first, or holds a lock. */
function isConcurrent(error: unknown): boolean {
  return ["42P06", "42P07", "42710", "55P03", "XX000"].includes(errorCode(error));
}
