import { Database } from "bun:sqlite";
import { SQL } from "bun";
import type { KnownParts, Parts } from "../../../src/store/parts.ts";
import { migrations as postgresMigrations } from "../../../src/store/postgres/migrations/index.ts";
import { readParts as readPostgresParts } from "../../../src/store/postgres/read-parts.ts";
import { migrations as sqliteMigrations } from "../../../src/store/sqlite/migrations/index.ts";
import { readParts as readSqliteParts } from "../../../src/store/sqlite/read-parts.ts";
import { emptyDatabase } from "../../support/postgres/fresh-database.ts";

/** The parts of a file after each migration. */
export function partsOnSqlite(): KnownParts {
  const db = new Database(":memory:");
  const parts: Record<string, Parts> = {};
  for (const { name, sql } of sqliteMigrations) {
    db.run(sql);
    parts[name] = readSqliteParts(db);
  }
  db.close();
  return parts;
}

/** The parts of a PostgreSQL database after each migration. */
export async function partsOnPostgres(): Promise<KnownParts> {
  const database = await emptyDatabase();
  const sql = new SQL(database.url, { max: 1 });
  const parts: Record<string, Parts> = {};
  await sql
    .unsafe(
      `CREATE SCHEMA roster; CREATE TABLE roster.about (only_row integer PRIMARY KEY, schema integer NOT NULL)`,
    )
    .simple();
  for (const { name, sql: text } of postgresMigrations) {
    await sql.unsafe(text).simple();
    parts[name] = await readPostgresParts(sql);
  }
  await sql.close();
  await database.drop();
  return parts;
}
