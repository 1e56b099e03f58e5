import { Database } from "bun:sqlite";
import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { copyFileSync, existsSync, openSync, readdirSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { version } from "../../package.json" with { type: "json" };
import type { Finding, Level } from "../../src/cli/doctor/finding.ts";
import { createSecret } from "../../src/contract/keys/key-secret.ts";
import { databaseOn, onEachEngine } from "../support/engines.ts";
import {
  emptyDatabase,
  type FreshDatabase,
  pooler,
  startPostgresBeforeTests,
} from "../support/postgres/fresh-database.ts";
import {
  runCommand,
  runRoster,
  shellCommand,
  startRoster,
  stopAll,
  temporaryFolder,
} from "../support/process/roster.ts";
import { runOnTerminal } from "../support/process/terminal.ts";

setDefaultTimeout(120_000);
afterEach(async () => {
  await stopAll();
  for (const database of databases.splice(0)) await database.drop();
});

const databases: FreshDatabase[] = [];
const free = "--port=0";

interface Diagnosis {
  readonly code: number | null;
  readonly findings: readonly Finding[];
  /** The text of a check at this level. */
  at(level: Level, check: Finding["check"]): string;
}

/** Runs doctor with --output ndjson: one object per line on stdout, and nothing else. */
async function diagnose(
  args: string[],
  env: Record<string, string> = {},
  cwd = temporaryFolder(),
): Promise<Diagnosis> {
  const ran = await runRoster(["doctor", "--output=ndjson", ...args], { env, cwd });
  expect(ran).toMatchObject({ signal: null, stderr: "" });
  const findings: Finding[] = ran.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(ran.code).toBe(findings.some(({ level }) => level === "problem") ? 1 : 0);
  const at = (level: Level, check: Finding["check"]) =>
    findings.find((finding) => finding.level === level && finding.check === check)?.says ?? "";
  return { code: ran.code, findings, at };
}

const bad = ({ findings }: Diagnosis) => findings.filter(({ level }) => level !== "ok");

/** A database file that no service has open. */
async function createDatabase(): Promise<string> {
  const path = join(temporaryFolder(), "roster.db");
  expect(await runRoster(["migrate", `--database=${path}`])).toMatchObject({ code: 0 });
  return path;
}

describe("without a database", () => {
  test("reports ROSTER_MIGRATE=off as a problem", async () => {
    const found = await diagnose([free, "--migrate=off"]);
    expect(found.at("problem", "database")).toContain("run `roster migrate`, or remove");
  });

  test("prints a coloured table that fits the terminal", async () => {
    const options = { columns: 60, cwd: temporaryFolder(), env: { NO_COLOR: "", HOST: "0.0.0.0" } };
    const { code, screen } = await runOnTerminal(["doctor", free], options);
    expect(code).toBe(1);
    expect(screen).toContain("\u001b[32mok\u001b[39m");
    expect(screen).toContain("\u001b[31mproblem\u001b[39m  access");
    expect(screen.split("\n").filter((line) => Bun.stringWidth(line) > 60)).toEqual([]);
    expect(screen).toEndWith("\n1 problem, 1 warning.\n");
  });
});

onEachEngine((engine) => {
  test("finds a running service and its keys, and does not change the database", async () => {
    const database = await databaseOn(engine);
    databases.push(database);
    const flags = [`--database-pooler=${pooler}`];
    const roster = await startRoster(database.url, { flags });
    await roster.call("/api/users", { method: "POST", json: { name: "Ada" } });
    const folder = engine === "sqlite" ? join(database.url, "..") : temporaryFolder();
    const before = readdirSync(folder);
    const args = [`--database=${database.url}`, ...flags];
    const running = await diagnose([...args, `--port=${roster.port}`]);
    expect(bad(running)).toEqual([]);
    expect(running.at("ok", "port")).toBe(`Roster ${version} is running at ${roster.url}.`);
    expect(running.at("ok", "schema")).toMatch(/^The schema is up to date \((\d+) of \1\)\.$/);
    expect(running.at("ok", "access")).toStartWith("Open to this machine only");
    expect(readdirSync(folder)).toEqual(before);

    await roster.call("/api/keys", { method: "POST", json: { name: "first", scopes: ["users:read"] } });
    expect((await diagnose([...args, free])).at("ok", "access")).toBe(
      "API keys are required: 1 active in the database.",
    );
    roster.kill("SIGTERM");
    await roster.exited;
    const after = readdirSync(folder);
    expect(bad(await diagnose([...args, free]))).toEqual([]);
    expect(readdirSync(folder)).toEqual(after);
  });
});

describe("an SQLite file", () => {
  test("of a killed service is read with its log, and not changed", async () => {
    const path = join(temporaryFolder(), "roster.db");
    const roster = await startRoster(path);
    await roster.call("/api/keys", { method: "POST", json: { name: "first", scopes: ["users:read"] } });
    roster.kill("SIGKILL");
    await roster.exited;
    const sizes = () => ["", "-wal"].map((end) => statSync(path + end).size);
    const before = sizes();
    expect((await diagnose([free, `--database=${path}`])).at("ok", "access")).toContain("1 active");
    expect(sizes()).toEqual(before);
    // A copy without the index of the log (-shm): creating one would be a change.
    const copy = join(temporaryFolder(), "roster.db");
    for (const end of ["", "-wal"]) copyFileSync(path + end, copy + end);
    const found = await diagnose([free, `--database=${copy}`]);
    expect(found.at("warning", "database")).toBe(
      `${copy}-wal was not checked: the service reads it when it starts.`,
    );
    expect(existsSync(`${copy}-shm`)).toBe(false);
  });

  test("of another program or a newer Roster is a problem", async () => {
    const other = join(temporaryFolder(), "other.db");
    new Database(other).run("CREATE TABLE t (x)").lastInsertRowid;
    const found = await diagnose([free, `--database=${other}`]);
    expect(found.at("problem", "database")).toContain("of another program");
    const later = await createDatabase();
    const db = new Database(later);
    db.run("PRAGMA user_version = 99");
    db.close();
    const newer = await diagnose([free, `--database=${later}`]);
    expect(newer.at("problem", "database")).toContain("written by a newer Roster (schema 99");
  });

  test("that is damaged is a problem", async () => {
    const path = await createDatabase();
    const db = new Database(path);
    const row = db
      .query<{ rootpage: number }, []>("SELECT rootpage FROM sqlite_schema WHERE name = 'users_by_name'")
      .get();
    const { page_size } = db.query<{ page_size: number }, []>("PRAGMA page_size").get() ?? { page_size: 0 };
    db.close();
    writeSync(openSync(path, "r+"), "damaged!", ((row?.rootpage ?? 0) - 1) * page_size);
    const found = await diagnose([free, `--database=${path}`]);
    expect(found.at("problem", "integrity")).toContain(`${path} is damaged: restore a backup.`);
    expect(found.at("ok", "database")).toBe(`${path} is a Roster database.`);
  });

  test("with an unfinished move, or with times in the future, is a problem", async () => {
    const path = await createDatabase();
    const db = new Database(path);
    // As an earlier version stored it: these names must not change.
    const moveState = {
      source: "",
      shown: "postgres://roster@db/users",
      doing: "move",
      run: "",
      stale: false,
    };
    db.run("INSERT INTO moving VALUES (1, ?, '[]')", [JSON.stringify(moveState)]);
    const later = Date.now() + 3 * 3_600_000;
    db.run(
      "INSERT INTO users (id, version, json, created_at, updated_at, name_fold, word_starts) VALUES (1, 1, '{}', ?, ?, 'a', 'a')",
      [later, later],
    );
    db.close();
    const found = await diagnose([free, `--database=${path}`]);
    expect(found.at("problem", "move")).toContain(
      "`roster move` from postgres://roster@db/users has not finished",
    );
    expect(found.at("problem", "clock")).toContain("3h behind the last change of a user");
  });
});

describe("on PostgreSQL", () => {
  startPostgresBeforeTests();

  test("accepts a database without tables, and names missing privileges", async () => {
    const database = await emptyDatabase();
    databases.push(database);
    const flags = [`--database-pooler=${pooler}`, free];
    const empty = await diagnose([`--database=${database.url}`, ...flags]);
    expect(bad(empty)).toEqual([]);
    expect(empty.at("ok", "schema")).toBe(
      "There are no tables yet. The service migrates the database on its next start.",
    );
    expect(empty.at("ok", "database")).toMatch(/^PostgreSQL \d+(\.\d+)* is running at postgres:\/\/\w+@/);
    expect(empty.at("ok", "clock")).toContain("differ by less than a second");
    const role = `doctor_${process.pid}`;
    const url = new URL(database.url);
    const sql = new SQL(database.url, { max: 1, prepare: false });
    await runRoster(["migrate", `--database=${database.url}`, ...flags.slice(0, 1)]);
    await sql.unsafe(`CREATE ROLE ${role} LOGIN PASSWORD 's3cret'`);
    try {
      await sql
        .unsafe(
          `GRANT USAGE ON SCHEMA roster TO ${role}; GRANT SELECT ON ALL TABLES IN SCHEMA roster TO ${role}`,
        )
        .simple();
      url.username = role;
      url.password = "s3cret";
      const found = await diagnose([`--database=${url.href}`, ...flags]);
      expect(found.at("problem", "rights")).toMatch(
        new RegExp(
          `^PostgreSQL user ${role} lacks privileges: INSERT ON roster\\.\\w+, .* and \\d+ more\\. GRANT the privileges`,
        ),
      );
      expect(JSON.stringify(found.findings)).not.toContain("s3cret");
    } finally {
      await sql.unsafe(`DROP OWNED BY ${role}; DROP ROLE ${role}`).simple();
      await sql.close();
    }
  });

  test("reports an unavailable server without its password", async () => {
    const found = await diagnose([
      free,
      "--database=postgres://me:s3cret@127.0.0.1:1/users",
      "--database-wait=100",
    ]);
    expect(found.at("problem", "database")).toBe(
      "PostgreSQL is not reachable at postgres://me@127.0.0.1:1/users: start it, or change DATABASE_URL.",
    );
    expect(JSON.stringify(found.findings)).not.toContain("s3cret");
  });
});

describe("the port", () => {
  test("is a problem if another program uses it, or the address is not of this machine", async () => {
    const other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("Hello") });
    const { port } = other;
    const [used, elsewhere] = await Promise.all([
      diagnose([`--port=${port}`]),
      diagnose(["--host=192.0.2.1", "--port=3000", "--auth=required"]),
    ]);
    await other.stop(true);
    expect(used.at("problem", "port")).toContain(`Port ${port} is in use by another program`);
    expect(elsewhere.at("problem", "port")).toContain("192.0.2.1 is not an address of this machine");
  });

  test("is a warning if another version of Roster runs there", async () => {
    const other = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      routes: {
        "/healthz": Response.json({ status: "ok" }),
        "/openapi.json": Response.json({ info: { title: "Roster", version: "0.0.1" } }),
      },
    });
    const { port } = other;
    const found = await diagnose([`--port=${port}`]);
    await other.stop(true);
    expect(found.at("warning", "port")).toContain(`Roster 0.0.1 is running at http://127.0.0.1:${port}`);
  });
});

test("reports all invalid settings without secrets, and exits with 2 for unknown flags", async () => {
  const key = createSecret();
  const env = {
    PORT: "http",
    ROSTER_API_KEY: `${key}x`,
    DATABASE_URL: "postgres://me:s3cret@h/d?sslmode=maybe",
  };
  const found = await diagnose([], env);
  expect(found.findings.filter(({ check }) => check === "settings").length).toBe(3);
  expect(JSON.stringify(found.findings)).not.toMatch(/s3cret|roster_\w{6}/);
  const ran = await runRoster(["doctor", "--prot=1"]);
  expect(ran).toMatchObject({
    code: 2,
    stdout: "",
    stderr: "roster: Unknown option --prot. Did you mean --port? See roster doctor --help.\n",
  });
});

test("warns about a low limit on open files", async () => {
  const doctor = shellCommand(["doctor", "--output", "ndjson", free]);
  const { stdout } = await runCommand(["sh", "-c", `ulimit -n 512; ${doctor}`], { cwd: temporaryFolder() });
  expect(stdout).toMatch(/"limits","level":"warning","says":"The service can open 512 files .*LimitNOFILE=/);
});
