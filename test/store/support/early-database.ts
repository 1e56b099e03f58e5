import { Database } from "bun:sqlite";
import { join } from "node:path";
import { SQL } from "bun";
import { type Engine, emptyDatabaseOn } from "../../support/engines.ts";
import type { FreshDatabase } from "../../support/postgres/fresh-database.ts";
import { loadDump } from "./postgres-dump.ts";

/** What the version that wrote a database has answered. */
export interface Contents {
  /** A key with all scopes. */
  readonly key: string;
  readonly users: readonly { readonly id: number; readonly [field: string]: unknown }[];
  readonly keys: readonly Readonly<Record<string, unknown>>[];
  /** The last id, whose user was deleted. */
  readonly lastId: number;
  /** The create with the idempotency key `once`. */
  readonly created: { readonly body: string; readonly response: unknown };
  /** The body of the create with the idempotency key `refused`. */
  readonly refusedBody: string;
  /** The import with the idempotency key `import`, and the id of the user of each line. */
  readonly imported: { readonly body: string; readonly ids: readonly (number | null)[] };
}

const folder = join(import.meta.dir, "../early");

/** The states of databases that were written before migrations were recorded, each on both engines. */
export const earlyStates = ["2b3f424", "c382849", "2b3f424-failed-start", "944d220"] as const;
/** The database of the last commit before users had a user name. Its users are `unsettledUsers`. */
export const UNSETTLED = "f2c1e0a";
/** The database of the last commit before the history of a user had the changes of members that name it. */
export const GROUPED = "ae6e6fc";
export type EarlyState = (typeof earlyStates)[number] | typeof UNSETTLED | typeof GROUPED;

/** What the version has answered that wrote the database. A failed start has changed none of it. */
export async function contentsOf(state: EarlyState, engine: Engine): Promise<Contents> {
  return await Bun.file(join(folder, `${state.slice(0, 7)}.${engine}.json`)).json();
}

/** Creates a copy of the database. Its outcomes and sessions have not expired. */
export async function openEarlyDatabase(state: EarlyState, engine: Engine): Promise<FreshDatabase> {
  const saved = Bun.gunzipSync(await Bun.file(join(folder, `${state}.${engine}.gz`)).bytes());
  const database = await emptyDatabaseOn(engine);
  const expiresAt = Date.now() + 3_600_000;
  if (engine === "sqlite") {
    await Bun.write(database.url, saved);
    const db = new Database(database.url);
    for (const table of ["outcomes", "sessions"]) db.run(`UPDATE ${table} SET expires_at = ${expiresAt}`);
    db.close();
  } else {
    await loadDump(database.url, JSON.parse(new TextDecoder().decode(saved)));
    const sql = new SQL(database.url, { max: 1 });
    for (const table of ["outcomes", "sessions"]) {
      await sql.unsafe(`UPDATE roster.${table} SET expires_at = ${expiresAt}`);
    }
    await sql.close();
  }
  return database;
}

/** Adds copies of a user to an early database, so that migrating it takes a while. */
export async function addUsers(url: string, engine: Engine, count: number): Promise<void> {
  const columns =
    "version, json, created_at, updated_at, changed_by, name_fold, name_key, email_fold, email_key, word_starts";
  const copied = columns.replace("json", `replace(json, '{"id":' || id || ',', '{"id":' || n || ',')`);
  const original = "name_fold = 'four digits'";
  if (engine === "sqlite") {
    const db = new Database(url);
    db.run(
      `WITH RECURSIVE numbers(n) AS (SELECT last_id + 1 FROM directory UNION ALL SELECT n + 1 FROM numbers LIMIT ${count})
       INSERT INTO users (id, ${columns}) SELECT n, ${copied} FROM numbers, users WHERE ${original}`,
    );
    db.run(`UPDATE directory SET users = users + ${count}, last_id = last_id + ${count}`);
    db.close();
    return;
  }
  await using sql = new SQL(url, { max: 1 });
  await sql.unsafe(
    `INSERT INTO roster.users (id, ${columns})
     SELECT n, ${copied} FROM (SELECT nextval('roster.user_ids') AS n FROM generate_series(1, ${count})) numbers, roster.users
     WHERE ${original}`,
  );
  await sql.unsafe(`UPDATE roster.user_counts SET users = users + ${count} WHERE part = 0`);
}
