import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { SQL } from "bun";
import { parseDatabase } from "../../src/config/database-url.ts";
import { migrateStore } from "../../src/store/open-store.ts";
import { migrations } from "../../src/store/postgres/migrations/index.ts";
import { readParts } from "../../src/store/postgres/read-parts.ts";
import { databaseOn, type Engine, onEachEngine } from "../support/engines.ts";
import type { FreshDatabase } from "../support/postgres/fresh-database.ts";
import { startServiceOn } from "../support/service.ts";
import { type EarlyState, openEarlyDatabase } from "./support/early-database.ts";
import { dumpDatabase } from "./support/postgres-dump.ts";

interface Refusal {
  readonly title: string;
  /** The version that wrote the database: an early one, or this one. */
  readonly from: EarlyState | "this version";
  /** The statements that change the database, for each engine. */
  readonly change: Readonly<Record<Engine, string>>;
  /** A part of the message. */
  readonly says: string;
}

/** The same statement on both engines. `roster.` stands for the schema on PostgreSQL. */
const both = (sql: string) => ({ sqlite: sql.replaceAll("roster.", ""), postgres: sql });
const setVersion = (version: number) => ({
  sqlite: `PRAGMA user_version = ${version}`,
  postgres: `UPDATE roster.about SET schema = ${version}`,
});
const withVersion = (version: number, sql: string) => ({
  sqlite: `${both(sql).sqlite}; ${setVersion(version).sqlite}`,
  postgres: `${sql}; ${setVersion(version).postgres}`,
});
const WAY_OUT = "export its users with the version that wrote it (`roster users export`)";

const refusals: readonly Refusal[] = [
  {
    title: "another column",
    from: "944d220",
    change: both("ALTER TABLE roster.users ADD COLUMN extra text"),
    says: `the table users is different): ${WAY_OUT}`,
  },
  {
    title: "another table",
    from: "944d220",
    change: both("CREATE TABLE roster.extra (id integer)"),
    says: `the table extra is unknown): ${WAY_OUT}`,
  },
  {
    title: "an index less",
    from: "944d220",
    change: both("DROP INDEX roster.users_email"),
    says: `the index users_email is missing): ${WAY_OUT}`,
  },
  {
    title: "the tables of one migration, and the number of two",
    from: "944d220",
    change: {
      sqlite: "ALTER TABLE directory DROP COLUMN last_backup_at",
      postgres: "ALTER TABLE roster.about DROP COLUMN last_backup_at",
    },
    says: WAY_OUT,
  },
  {
    title: "early tables, of which one is different",
    from: "2b3f424",
    change: both("ALTER TABLE roster.outcomes ADD COLUMN extra text"),
    says: WAY_OUT,
  },
  {
    title: "early tables, and one more",
    from: "2b3f424-failed-start",
    change: both("CREATE TABLE roster.extra (id integer)"),
    says: WAY_OUT,
  },
  {
    title: "the number of a newer version",
    from: "944d220",
    change: setVersion(999),
    says: `was written by a newer Roster (schema 999; this version supports ${migrations.length}): run that version or a later one.`,
  },
  {
    title: "a migration that is not known",
    from: "this version",
    change: withVersion(
      migrations.length + 1,
      "INSERT INTO roster.migrations VALUES ('0999_unknown', 'abc', 0)",
    ),
    says: "was written by a newer Roster (migration 0999_unknown, which this version does not have): run that version or a later one.",
  },
  {
    title: "another migration in the place of a known one",
    from: "this version",
    change: both("UPDATE roster.migrations SET name = '0002_other' WHERE name = '0002_last_backup'"),
    says: `it has had the migration 0002_other): ${WAY_OUT}`,
  },
  {
    title: "another form of a migration",
    from: "this version",
    change: both("UPDATE roster.migrations SET digest = 'abc' WHERE name = '0001_initial'"),
    says: `it has had another form of the migration 0001_initial): ${WAY_OUT}`,
  },
  {
    title: "a number that is not that of its migrations",
    from: "this version",
    change: setVersion(1),
    says: `its number of migrations is wrong): ${WAY_OUT}`,
  },
];

/** All of a database: every file in its folder, or all tables and rows. */
async function contentsOf(engine: Engine, url: string): Promise<unknown> {
  if (engine === "sqlite") {
    const folder = dirname(url);
    return (
      readdirSync(folder)
        // SQLite rebuilds the index of the log whenever it opens a file.
        .filter((name) => !name.endsWith("-shm"))
        .map((name) => [name, Bun.hash(readFileSync(join(folder, name))).toString(16)])
    );
  }
  await using sql = new SQL(url, { max: 1 });
  return { parts: await readParts(sql), ...(await dumpDatabase(url, [])) };
}

/** Changes the database. A file keeps its log beside it, as after a crash. */
async function change(engine: Engine, database: FreshDatabase, statements: string): Promise<FreshDatabase> {
  if (engine === "postgres") {
    await using sql = new SQL(database.url, { max: 1 });
    await sql.unsafe(statements).simple();
    return database;
  }
  const db = new Database(database.url);
  db.run("PRAGMA journal_mode = WAL");
  for (const statement of statements.split("; ")) db.run(statement);
  const folder = mkdtempSync(join(tmpdir(), "roster-"));
  const url = join(folder, basename(database.url));
  for (const suffix of ["", "-wal"]) copyFileSync(database.url + suffix, url + suffix);
  db.close();
  await database.drop();
  return { url, drop: async () => rmSync(folder, { recursive: true }) };
}

const open = (from: Refusal["from"], engine: Engine) =>
  from === "this version" ? databaseOn(engine) : openEarlyDatabase(from, engine);

const options = { waitMs: 60_000, dedicatedSessions: true };

onEachEngine((engine) => {
  describe("a database is refused before anything is written if it has", () => {
    test.each(refusals.map((refusal) => [refusal.title, refusal] as const))("%s", async (_, refusal) => {
      const original = await open(refusal.from, engine);
      if (refusal.from === "this version") await migrateStore(parseDatabase(original.url), options);
      const database = await change(engine, original, refusal.change[engine]);
      const before = await contentsOf(engine, database.url);
      const attempts: (() => Promise<unknown>)[] = [
        () => startServiceOn(database.url),
        () => startServiceOn(database.url, { migrate: "off" }),
        () => migrateStore(parseDatabase(database.url), options),
      ];
      for (const attempt of attempts) {
        const message = await attempt().then(() => "It starts.", String);
        expect(message).toContain(refusal.says);
        expect(message).toMatch(/^StoreError: [^\n]+\.$/);
      }
      expect(await contentsOf(engine, database.url)).toEqual(before);
      await database.drop();
    });
  });
});
