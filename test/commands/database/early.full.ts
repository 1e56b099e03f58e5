import { Database } from "bun:sqlite";
import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { SQL } from "bun";
import { migrations } from "../../../src/store/postgres/migrations/index.ts";
import {
  addUsers,
  contentsOf,
  type EarlyState,
  openEarlyDatabase,
} from "../../store/support/early-database.ts";
import { dumpDatabase } from "../../store/support/postgres-dump.ts";
import { DiskFaults, requireDiskFaults } from "../../support/disk-faults/disk-faults.ts";
import { type Engine, onEachEngine } from "../../support/engines.ts";
import { type FreshDatabase, startPostgresBeforeTests } from "../../support/postgres/fresh-database.ts";
import {
  type Roster,
  runRoster,
  spawnRoster,
  startRoster,
  temporaryFolder,
} from "../../support/process/roster.ts";
import { cleanUp, createDatabase, createEmptyDatabase, expectError } from "../support/commands.ts";
import { stop } from "../support/stop.ts";
import { untilOf } from "../support/until-running.ts";

setDefaultTimeout(120_000);

/** So many users that migrating them can be interrupted. */
const MANY = 10_000;
const MIGRATED = `Migrated the tables of an early version to schema ${migrations.length}.\n`;
const UP_TO_DATE = `The schema is up to date (${migrations.length} of ${migrations.length}).`;
/** Shorter than the default: other nodes stay connected. */
const SHORT_WAIT = "--database-wait=300";
/** Long enough for another process that migrates. */
const LONG_WAIT = "--database-wait=60000";

let database: FreshDatabase | undefined;
afterEach(async () => {
  await cleanUp();
  await database?.drop();
  database = undefined;
});

async function open(engine: Engine, state: EarlyState = "2b3f424"): Promise<string> {
  database = await openEarlyDatabase(state, engine);
  return database.url;
}

const migrate = (url: string, ...flags: string[]) => runRoster(["migrate", `--database=${url}`, ...flags]);
const serve = (url: string, ...flags: string[]) =>
  startRoster(url, { flags: ["--auth=off", LONG_WAIT, ...flags] });

/** Every file beside the database, or every row of it. */
async function contents(engine: Engine, url: string): Promise<unknown> {
  if (engine === "postgres") return dumpDatabase(url, []);
  const folder = dirname(url);
  return readdirSync(folder)
    .filter((name) => statSync(join(folder, name)).isFile() && !name.endsWith("-shm"))
    .map((name) => [name, Bun.hash(readFileSync(join(folder, name))).toString(16)]);
}

async function countUsers(roster: Roster): Promise<number> {
  return Number((await roster.call("/api/users?count=true&limit=1")).headers.get("x-total-count"));
}

/** Starts to migrate and kills the process when some users are copied. */
async function killMigration(engine: Engine): Promise<{ url: string; before: string }> {
  for (let attempt = 1; attempt <= 20; attempt++) {
    const url = await open(engine);
    await addUsers(url, engine, MANY);
    const before = digestOf(url);
    const migrating = spawnRoster(["migrate", `--database=${url}`]);
    await untilOf(migrating, async () => (await countCopied(engine, url)) > 0);
    migrating.kill("SIGKILL");
    const { signal } = await migrating.exited;
    if (signal === "SIGKILL" && migrating.stdout.length === 0) return { url, before };
    await database?.drop();
  }
  throw new Error("Every migration has finished before it could be killed.");
}

/** Of a file. */
function digestOf(url: string): string {
  return existsSync(url) ? Bun.hash(readFileSync(url)).toString(16) : "";
}

/** How much has been copied: users, or bytes of the new file. */
async function countCopied(engine: Engine, url: string): Promise<number> {
  if (engine === "sqlite") return statSync(`${url}.migrating-wal`, { throwIfNoEntry: false })?.size ?? 0;
  await using sql = new SQL(url, { max: 1 });
  const [row] = await sql.unsafe("SELECT to_regclass('roster_earlier.users') IS NOT NULL").values();
  if (row?.[0] !== true) return 0;
  const [users] = await sql.unsafe("SELECT count(*) FROM roster.users").values();
  return Number(users?.[0]);
}

onEachEngine((engine) => {
  test("roster migrate and doctor name an early database, and the service logs that it copies it", async () => {
    const url = await open(engine);
    const doctor = () => runRoster(["doctor", `--database=${url}`, "--auth=off"]);
    expect((await doctor()).stdout).toContain(
      "The tables are those of an early version. The service migrates the database on its next start.",
    );
    const off = await runRoster(["serve", "--port=0", `--database=${url}`, "--migrate=off"]);
    expectError(off, 1, "is outdated (of an early version)", "`roster migrate`");
    const roster = await serve(url);
    expect(roster.stdout.filter((line) => line.includes("copying the early database"))).toHaveLength(1);
    expect(roster.stdout.filter((line) => line.includes("the early database has been copied"))).toHaveLength(
      1,
    );
    await stop(roster);
    expect((await doctor()).stdout).toContain(UP_TO_DATE);
    expect(await migrate(url)).toMatchObject({ code: 0, stdout: `${UP_TO_DATE}\n` });
  });

  test("a migration that is killed continues, and the early rows stay until the end", async () => {
    const { url, before } = await killMigration(engine);
    const { users, lastId } = await contentsOf("2b3f424", engine);
    if (engine === "sqlite") {
      expect(existsSync(`${url}.migrating`)).toBe(true);
      expect(digestOf(url)).toBe(before);
    } else {
      await using sql = new SQL(url, { max: 1 });
      const [row] = await sql.unsafe("SELECT count(*) FROM roster_earlier.users").values();
      expect(Number(row?.[0])).toBe(users.length + MANY);
      const off = await runRoster(["serve", "--port=0", `--database=${url}`, "--migrate=off"]);
      expectError(off, 1, "roster migrate");
    }
    expect(await migrate(url)).toMatchObject({ code: 0, stdout: MIGRATED, stderr: "" });
    const roster = await serve(url);
    expect(await countUsers(roster)).toBe(users.length + MANY);
    const next = await roster.call("/api/users", { method: "POST", json: { name: "Next" } });
    expect((await next.json()).id).toBe(lastId + MANY + 1);
    if (engine === "sqlite") expect(existsSync(`${url}.migrating`)).toBe(false);
  });

  test("two nodes that start at once migrate it once, and both serve it", async () => {
    const url = await open(engine);
    await addUsers(url, engine, MANY);
    const { users } = await contentsOf("2b3f424", engine);
    const nodes = await Promise.all([serve(url), serve(url)]);
    for (const node of nodes) expect(await countUsers(node)).toBe(users.length + MANY);
    const [one, two] = nodes;
    const created = await (await one.call("/api/users", { method: "POST", json: { name: "Shared" } })).json();
    expect((await two.call(`/api/users/${created.id}`)).status).toBe(200);
    const copied = nodes.filter(({ stdout }) => stdout.some((line) => line.includes("has been copied")));
    expect(copied).toHaveLength(1);
  });

  test("a step that fails changes nothing, and the next attempt succeeds", async () => {
    const url = await open(engine);
    await using sql = engine === "postgres" ? new SQL(url, { max: 1 }) : undefined;
    if (sql) await sql.unsafe("CREATE SCHEMA roster_earlier");
    else mkdirSync(`${url}.migrating`);
    const before = await contents(engine, url);
    expectError(await migrate(url), 1, engine === "sqlite" ? ".migrating" : "has a schema roster_earlier");
    expectError(await runRoster(["serve", "--port=0", `--database=${url}`]), 1);
    expect(await contents(engine, url)).toEqual(before);
    if (sql) await sql.unsafe("DROP SCHEMA roster_earlier");
    else rmdirSync(`${url}.migrating`);
    expect(await migrate(url)).toMatchObject({ code: 0, stdout: MIGRATED });
  });
});

describe("on SQLite", () => {
  requireDiskFaults.test("a full disk ends the migration with a sentence, and changes nothing", async () => {
    const url = await open("sqlite");
    const faults = new DiskFaults(temporaryFolder(), `${url}.migrating`);
    const before = readFileSync(url);
    faults.begin("a full disk", 100);
    const ran = await runRoster(["migrate", `--database=${url}`], { env: faults.env });
    expectError(ran, 1, "is full: free some space.");
    expect(readFileSync(url).equals(before)).toBe(true);
    faults.close();
    expect(await migrate(url)).toMatchObject({ code: 0, stdout: MIGRATED });
  });

  test("an early file that another process uses is refused, and does not change", async () => {
    const url = await open("sqlite");
    const before = await contents("sqlite", url);
    const other = new Database(url);
    other.run("BEGIN");
    other.query("SELECT count(*) FROM users").get();
    expectError(await migrate(url, SHORT_WAIT), 1, "is locked by another program");
    other.close();
    expect(await contents("sqlite", url)).toEqual(before);
  });

  test("a backup of an early version is restored, into a file and into PostgreSQL", async () => {
    const backup = await open("sqlite", "2b3f424-failed-start");
    const { users, lastId } = await contentsOf("2b3f424", "sqlite");
    for (const target of [await createEmptyDatabase("sqlite"), await createDatabase("postgres")]) {
      const ran = await runRoster(["restore", backup, `--database=${target}`]);
      expect(ran).toMatchObject({ code: 0, stderr: "" });
      const roster = await serve(target);
      expect(await countUsers(roster)).toBe(users.length);
      const next = await roster.call("/api/users", { method: "POST", json: { name: "Next" } });
      expect((await next.json()).id).toBe(lastId + 1);
      await stop(roster);
    }
  });
});

describe("on PostgreSQL", () => {
  startPostgresBeforeTests();

  test("early tables are refused while an older node is connected, and through a pooler, and do not change", async () => {
    const url = await open("postgres");
    const before = await contents("postgres", url);
    await using node = new SQL(url, { max: 1, connection: { application_name: "roster" } });
    await node.unsafe("SELECT 1");
    // PostgreSQL cancels statements a quarter of a second before this time is over.
    const wait = "--database-wait=3000";
    expectError(await migrate(url, wait), 1, "Other Roster processes are connected", "stop them first");
    await node.close();
    expectError(await migrate(url, "--database-pooler=transaction"), 1, "without a pooler");
    expect(await contents("postgres", url)).toEqual(before);
  });
});
