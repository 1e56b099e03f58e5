import type { SQL } from "bun";
import { type SchemaState, schemaOutdated } from "../schema-state.ts";
import { StoreError } from "../store-error.ts";
import { errorCode, isConflict, isDuplicate } from "./error-codes.ts";
import { migrations } from "./migrations/index.ts";

/** How long to wait for another node that is changing the schema. */
const PATIENCE_MS = 60_000;
/** A change that waits for a lock makes everybody behind it wait: it gives way, and is tried again. */
const LOCK_WAIT = "1s";

/**
 * Brings the schema up to date, whoever else is doing the same: a row that the nodes lock one after the other lets each
 * change be made once. Fails with a `StoreError`.
 */
export async function migrate(sql: SQL): Promise<SchemaState> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      const before = await schemaState(sql);
      // Where nothing is to be done, nobody needs the right to do it.
      if (before.version === before.latest) return before;
      while ((await step(sql)) < migrations.length);
      return before;
    } catch (error) {
      const passing = isDuplicate(error) || isConflict(error) || isConcurrent(error);
      if (!passing || performance.now() > deadline) throw error;
      await Bun.sleep(20 + Math.random() * 80);
    }
  }
}

/** How many migrations the database has had. Fails with a `StoreError` when it is more than this program knows. */
export async function schemaState(sql: SQL): Promise<SchemaState> {
  const [table] = await sql.unsafe("SELECT to_regclass('roster.about') IS NOT NULL").values();
  const [row] = table?.[0] ? await sql.unsafe("SELECT schema FROM roster.about").values() : [];
  const version = Number(row?.[0] ?? 0);
  if (version > migrations.length) {
    throw new StoreError(
      `The database was written by a newer Roster (schema ${version}, this one knows ${migrations.length}): run that version or a later one.`,
    );
  }
  return { version, latest: migrations.length };
}

/** Fails with a `StoreError` unless the schema is the one that this program knows. */
export async function requireSchema(sql: SQL): Promise<SchemaState> {
  const state = await schemaState(sql);
  if (state.version === state.latest) return state;
  throw schemaOutdated(state);
}

/** Makes the next change that the database lacks, and returns how many it has had then. */
async function step(sql: SQL): Promise<number> {
  const [found] = await sql.unsafe("SELECT to_regnamespace('roster') IS NOT NULL").values();
  // Asking for a schema that is there would still need the right to make one.
  if (!found?.[0]) await sql.unsafe("CREATE SCHEMA roster");
  await sql.unsafe(`CREATE TABLE IF NOT EXISTS roster.about (
    only_row integer PRIMARY KEY CHECK (only_row = 1),
    schema   integer NOT NULL
  )`);
  await sql.unsafe("INSERT INTO roster.about VALUES (1, 0) ON CONFLICT DO NOTHING");
  return await sql.begin(async (transaction) => {
    await transaction
      .unsafe(`SET LOCAL lock_timeout = '${LOCK_WAIT}'; SET LOCAL statement_timeout = 0`)
      .simple();
    const [row] = await transaction.unsafe("SELECT schema FROM roster.about FOR UPDATE").values();
    const at = Number(row?.[0]);
    const next = migrations[at];
    if (next === undefined) return at;
    await transaction.unsafe(next).simple();
    await transaction.unsafe(`UPDATE roster.about SET schema = ${at + 1}`);
    return at + 1;
  });
}

/** Somebody else made it first, or holds a lock that it needs. */
function isConcurrent(error: unknown): boolean {
  return ["42P06", "42P07", "42710", "55P03", "XX000"].includes(errorCode(error));
}
