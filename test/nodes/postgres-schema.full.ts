import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { SQL } from "bun";
import { migrations } from "../../src/store/postgres/migrations/index.ts";
import { listAllUsers } from "../support/consistency/list-checks.ts";
import { findPostgresCorruption } from "../support/consistency/postgres-corruption.ts";
import {
  emptyDatabase,
  type FreshDatabase,
  startPostgresBeforeTests,
} from "../support/postgres/fresh-database.ts";
import { runRoster, startRoster, stopAll } from "../support/process/roster.ts";

setDefaultTimeout(120_000);
startPostgresBeforeTests();

const NODES = 10;
let database: FreshDatabase;

beforeEach(async () => {
  database = await emptyDatabase();
});
afterEach(async () => {
  await stopAll();
  await database.drop();
});

async function query(statement: string): Promise<unknown[][]> {
  const sql = new SQL(database.url, { max: 1 });
  try {
    return await sql.unsafe(statement).values();
  } finally {
    await sql.close();
  }
}

/** The single line on stderr when a start fails because of the database. */
async function problem(...flags: string[]): Promise<string> {
  const ran = await runRoster(["serve", "--port=0", `--database=${database.url}`, ...flags]);
  expect(ran).toMatchObject({ code: 1, signal: null, stdout: "" });
  expect(ran.stderr).toMatch(/^roster: [^\n]+\n$/);
  return ran.stderr;
}

test("ten nodes that start together on an empty database create the schema once, and all serve", async () => {
  const flags = ["--database-pool=4"];
  const nodes = await Promise.all(Array.from({ length: NODES }, () => startRoster(database.url, { flags })));
  const creates = nodes.map((node, i) =>
    node.call("/api/users", { method: "POST", json: { name: `Node ${i}` } }),
  );
  for (const { status } of await Promise.all(creates)) expect(status).toBe(201);
  for (const node of nodes) {
    expect((await listAllUsers(node)).total).toBe(NODES);
    expect(node.stderr).toEqual([]);
  }
  expect(await query("SELECT only_row, schema FROM roster.about")).toEqual([[1, migrations.length]]);
  expect(await findPostgresCorruption(database.url, NODES)).toEqual([]);
});

test("ROSTER_MIGRATE=off refuses an empty database with one line, and serves an up-to-date one", async () => {
  expect(await problem("--migrate=off")).toContain(`schema is outdated (version 0 of ${migrations.length})`);
  expect(await query("SELECT to_regnamespace('roster') IS NULL")).toEqual([[true]]);
  await startRoster(database.url);
  const roster = await startRoster(database.url, { env: { ROSTER_MIGRATE: "off" } });
  expect((await roster.call("/api/users", { method: "POST", json: { name: "Served" } })).status).toBe(201);
});

test("a database with a newer schema is refused with one line and not changed", async () => {
  const roster = await startRoster(database.url);
  roster.kill("SIGTERM");
  await roster.exited;
  await query("UPDATE roster.about SET schema = 999");
  for (const flags of [[], ["--migrate=off"]])
    expect(await problem(...flags)).toMatch(/newer Roster \(schema 999/);
  expect(await query("SELECT schema FROM roster.about")).toEqual([[999]]);
});
