import { Database } from "bun:sqlite";
import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { migrations as postgresMigrations } from "../../../src/store/postgres/migrations/index.ts";
import { migrations as sqliteMigrations } from "../../../src/store/sqlite/migrations/index.ts";
import { type Engine, emptyDatabaseOn, onEachEngine } from "../../support/engines.ts";
import { pooler } from "../../support/postgres/fresh-database.ts";
import { runRoster, startRoster, stopAll, temporaryFolder } from "../../support/process/roster.ts";
import { expectError } from "../support/commands.ts";

setDefaultTimeout(120_000);
afterEach(stopAll);

const flags = [`--database-pooler=${pooler}`];

/** A database as the first version creates it, with one user. */
async function createFirstSchema(engine: Engine, url: string): Promise<void> {
  const json = '{"id":1,"version":1,"name":"Ada","createdAt":"2026-01-01T00:00:00.000Z"}';
  if (engine === "sqlite") {
    const db = new Database(url);
    db.run(sqliteMigrations[0]?.sql ?? "");
    db.run("PRAGMA user_version = 1");
    db.run(`PRAGMA application_id = ${0x52737472}`);
    db.run(
      "INSERT INTO users (id, version, json, created_at, updated_at, name_fold, word_starts) VALUES (1, 1, ?, 0, 0, 'ada', '')",
      [json],
    );
    db.run("UPDATE directory SET last_id = 1, users = 1");
    db.close();
    return;
  }
  const sql = new SQL(url, { max: 1 });
  try {
    await sql
      .unsafe(`CREATE SCHEMA roster;
      CREATE TABLE roster.about (only_row integer PRIMARY KEY, schema integer NOT NULL);
      INSERT INTO roster.about VALUES (1, 1);
      ${postgresMigrations[0]?.sql}`)
      .simple();
    await sql`INSERT INTO roster.users (id, version, json, created_at, updated_at, name_fold, word_starts)
      VALUES (nextval('roster.user_ids'), 1, ${json}, 0, 0, 'ada', '')`;
  } finally {
    await sql.close();
  }
}

onEachEngine((engine) => {
  const latest = (engine === "sqlite" ? sqliteMigrations : postgresMigrations).length;

  test("roster migrate creates the schema, and does nothing the second time", async () => {
    const database = await emptyDatabaseOn(engine);
    const run = () => runRoster(["migrate", `--database=${database.url}`, ...flags]);
    expect(await run()).toMatchObject({
      code: 0,
      stdout: `Migrated the schema from 0 to ${latest}.\n`,
      stderr: "",
    });
    expect(await run()).toMatchObject({
      code: 0,
      stdout: `The schema is up to date (${latest} of ${latest}).\n`,
      stderr: "",
    });
    const roster = await startRoster(database.url, { flags: [...flags, "--migrate=off"] });
    expect((await roster.call("/api/users", { method: "POST", json: { name: "Ada" } })).status).toBe(201);
    await stopAll();
    await database.drop();
  });

  test("roster migrate keeps the users of the first schema", async () => {
    const database = await emptyDatabaseOn(engine);
    await createFirstSchema(engine, database.url);
    const migrated = await runRoster(["migrate", `--database=${database.url}`, ...flags]);
    expect(migrated).toMatchObject({ code: 0, stdout: `Migrated the schema from 1 to ${latest}.\n` });
    const roster = await startRoster(database.url, { flags: [...flags, "--migrate=off"] });
    expect((await roster.call("/api/users", { method: "POST", json: { name: "Grace" } })).status).toBe(201);
    const list = await roster.call("/api/users?count=true");
    expect((await list.json()).map(({ id, name }: { id: number; name: string }) => [id, name])).toEqual([
      [1, "Ada"],
      [2, "Grace"],
    ]);
    await stopAll();
    await database.drop();
  });

  test("roster migrate and doctor name what is missing or different in the tables", async () => {
    const database = await emptyDatabaseOn(engine);
    const run = (command: string) => runRoster([command, `--database=${database.url}`, ...flags]);
    await run("migrate");
    const statements = [
      "DROP INDEX roster.events_by_subject",
      "DROP TABLE roster.webhook_work",
      "ALTER TABLE roster.sessions ADD COLUMN extra text",
    ];
    if (engine === "sqlite") {
      const db = new Database(database.url);
      for (const statement of statements) db.run(statement.replace("roster.", ""));
      db.close();
    } else {
      await using sql = new SQL(database.url, { max: 1 });
      for (const statement of statements) await sql.unsafe(statement);
    }
    const problems = [
      "the index events_by_subject is missing",
      "the table webhook_work is missing",
      "the table sessions is different",
    ];
    expectError(await run("migrate"), 1, ...problems, "Restore a backup");
    const doctor = await run("doctor");
    expect(doctor.code).toBe(1);
    for (const problem of problems) expect(doctor.stdout).toContain(problem);
    await database.drop();
  });

  test("five at the same time succeed", async () => {
    const database = await emptyDatabaseOn(engine);
    const env = { DATABASE_URL: database.url };
    const runs = await Promise.all(
      Array.from({ length: 5 }, () => runRoster(["migrate", ...flags], { env })),
    );
    for (const { code, stderr } of runs) expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect((await runRoster(["migrate", ...flags], { env })).stdout).toContain("is up to date");
    await database.drop();
  });
});

describe("ROSTER_MIGRATE=off on SQLite", () => {
  const env = { ROSTER_MIGRATE: "off" };

  async function problem(database: string): Promise<string> {
    const ran = await runRoster(["serve", "--port=0", `--database=${database}`], { env });
    expect(ran).toMatchObject({ code: 1, signal: null, stdout: "" });
    expect(ran.stderr).toMatch(/^roster: [^\n]+`roster migrate`[^\n]+\n$/);
    return ran.stderr;
  }

  test("rejects a missing file, and creates neither the file nor its folder", async () => {
    const folder = join(temporaryFolder(), "not", "there");
    expect(await problem(join(folder, "roster.db"))).toContain("There is no database");
    expect(existsSync(folder)).toBe(false);
  });

  test("rejects a file with an outdated schema, and does not change it", async () => {
    const path = join(temporaryFolder(), "roster.db");
    writeFileSync(path, "");
    expect(await problem(path)).toContain(`schema is outdated (version 0 of ${sqliteMigrations.length})`);
    expect(Bun.file(path).size).toBe(0);
    await runRoster(["migrate", `--database=${path}`]);
    await startRoster(path, { env });
  });

  test("rejects a file of another program", async () => {
    const path = join(temporaryFolder(), "other.db");
    const other = new Database(path);
    other.run("CREATE TABLE users (id INTEGER PRIMARY KEY)");
    other.close();
    const ran = await runRoster(["serve", "--port=0", `--database=${path}`], { env });
    expect(ran).toMatchObject({ code: 1, stdout: "" });
    expect(ran.stderr).toMatch(/^roster: [^\n]+of another program[^\n]+\n$/);
  });
});

describe("roster migrate ends with one line on stderr", () => {
  test("and code 1 if it fails", async () => {
    const file = join(temporaryFolder(), "notes.txt");
    writeFileSync(file, "Notes of another program.\n".repeat(100));
    expectError(await runRoster(["migrate", `--database=${file}`]), 1, "is not an SQLite database");
    const away = ["--database=postgres://me:s3cret@127.0.0.1:1/roster", "--database-wait=100"];
    expectError(await runRoster(["migrate", ...away]), 1, "is not reachable");
  });

  test("and code 2 for invalid usage, without the password", async () => {
    expectError(
      await runRoster(["migrate", "--database=postgres://me:s3cret@h/d?sslmode=maybe"]),
      2,
      "sslmode",
    );
    expectError(await runRoster(["migrate", "postgres://me:s3cret@h/d"]), 2, "See roster migrate --help.");
    expectError(await runRoster(["migrate", "--port=80"]), 2, "--port");
  });
});

test("each command has help with examples", async () => {
  for (const command of ["migrate", "move"]) {
    for (const flag of ["--help", "-h"]) {
      const help = await runRoster([command, flag]);
      expect(help).toMatchObject({ code: 0, stderr: "" });
      expect(help.stdout).toStartWith(`roster ${command} `);
      expect(help.stdout).toContain("Examples:");
    }
  }
});

test("an unknown command ends with code 2 and a suggestion", async () => {
  const ran = async (word: string) => {
    const { code, stdout, stderr } = await runRoster([word]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    return stderr;
  };
  expect(await ran("MOVE")).toContain("Did you mean move?");
  expect(await ran("constructor")).toBe("roster: Unknown command constructor. See roster --help.\n");
  expect(await ran("postgres://me:s3cret@h/d")).not.toContain("s3cret");
});
