import { Database } from "bun:sqlite";
import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { copyFileSync, existsSync, openSync, readdirSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { version } from "../../package.json" with { type: "json" };
import type { Finding, Level } from "../../src/cli/doctor/finding.ts";
import { createSecret } from "../../src/contract/key-secret.ts";
import { serializeMoveState } from "../../src/store/move-state.ts";
import { databaseOn, onEachEngine } from "../support/engines.ts";
import {
  type FreshDatabase,
  freshDatabase,
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
  /** What is said of one check, at that level. */
  at(level: Level, check: Finding["check"]): string;
}

/** What the doctor says to a program: JSON on stdout, one object a line, and nothing else. */
async function diagnose(
  args: string[],
  env: Record<string, string> = {},
  cwd = temporaryFolder(),
): Promise<Diagnosis> {
  const ran = await runRoster(["doctor", "--json", ...args], { env, cwd });
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

/** A file that a service has made and let go of. */
async function madeDatabase(): Promise<string> {
  const path = join(temporaryFolder(), "roster.db");
  expect(await runRoster(["migrate", `--database=${path}`])).toMatchObject({ code: 0 });
  return path;
}

describe("where there is nothing yet", () => {
  test("nothing is wrong, nothing is made, and there is a line for each thing that was looked at", async () => {
    const folder = temporaryFolder();
    const ran = await runRoster(["doctor", free], { cwd: folder });
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    const [head, ...lines] = ran.stdout.split("\n");
    expect(head).toMatch(/^STATE +CHECK +FOUND$/);
    expect(lines.splice(-3)).toEqual(["", "Nothing is wrong.", ""]);
    for (const line of lines) expect(line).toMatch(/^ok +[a-z]+ +[A-Z0-9].*\.$/);
    expect(ran.stdout).toContain("There is no database at ./data/roster.db yet: the first start makes it.");
    expect(ran.stdout).toContain(`Roster ${version}, Bun ${Bun.version}, SQLite 3.`);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("ROSTER_MIGRATE=off would keep it so, which is a problem", async () => {
    const found = await diagnose([free, "--migrate=off"]);
    expect(found.at("problem", "database")).toContain("run `roster migrate` first");
  });

  test("on a terminal the table is no wider, and what is wrong is in colour", async () => {
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
  test("a service that runs is found, with its keys, and a later look finds the database as it was", async () => {
    const database = await databaseOn(engine);
    databases.push(database);
    const flags = [`--database-pooler=${pooler}`];
    const roster = await startRoster(database.url, { flags });
    await roster.send("POST", "/api/users", { name: "Ada" });
    const folder = engine === "sqlite" ? join(database.url, "..") : temporaryFolder();
    const before = readdirSync(folder);
    const args = [`--database=${database.url}`, ...flags];
    const running = await diagnose([...args, `--port=${roster.port}`]);
    expect(bad(running)).toEqual([]);
    expect(running.at("ok", "port")).toBe(`Roster ${version} is running at ${roster.url}.`);
    expect(running.at("ok", "schema")).toBe("The schema is up to date (1 of 1).");
    expect(running.at("ok", "access")).toStartWith("Open to this machine only");
    expect(readdirSync(folder)).toEqual(before);

    await roster.send("POST", "/api/keys", { name: "first", scopes: ["users:read"] });
    expect((await diagnose([...args, free])).at("ok", "access")).toBe("A key is required; 1 is in force.");
    roster.kill("SIGTERM");
    await roster.exited;
    const after = readdirSync(folder);
    expect(bad(await diagnose([...args, free]))).toEqual([]);
    expect(readdirSync(folder)).toEqual(after);
  });
});

describe("an SQLite file", () => {
  test("of a service that was killed is read with its log, and nothing is added to it", async () => {
    const path = join(temporaryFolder(), "roster.db");
    const roster = await startRoster(path);
    await roster.send("POST", "/api/keys", { name: "first", scopes: ["users:read"] });
    roster.kill("SIGKILL");
    await roster.exited;
    const sizes = () => ["", "-wal"].map((end) => statSync(path + end).size);
    const before = sizes();
    expect((await diagnose([free, `--database=${path}`])).at("ok", "access")).toContain("1 is in force");
    expect(sizes()).toEqual(before);
    // A copy without the log's index: to make one would be to change something.
    const copy = join(temporaryFolder(), "roster.db");
    for (const end of ["", "-wal"]) copyFileSync(path + end, copy + end);
    const found = await diagnose([free, `--database=${copy}`]);
    expect(found.at("warning", "database")).toBe(
      `What is in ${copy}-wal was not looked at: the service takes it in when it starts.`,
    );
    expect(existsSync(`${copy}-shm`)).toBe(false);
  });

  test("that is some other program's, or a later Roster's, is a problem", async () => {
    const other = join(temporaryFolder(), "other.db");
    new Database(other).run("CREATE TABLE t (x)").lastInsertRowid;
    const found = await diagnose([free, `--database=${other}`]);
    expect(found.at("problem", "database")).toContain("some other program");
    const later = await madeDatabase();
    const db = new Database(later);
    db.run("PRAGMA user_version = 99");
    db.close();
    const newer = await diagnose([free, `--database=${later}`]);
    expect(newer.at("problem", "database")).toContain("written by a newer Roster (schema 99");
  });

  test("that is damaged is a problem", async () => {
    const path = await madeDatabase();
    const db = new Database(path);
    const row = db
      .query<{ rootpage: number }, []>("SELECT rootpage FROM sqlite_schema WHERE name = 'users_by_name'")
      .get();
    const { page_size } = db.query<{ page_size: number }, []>("PRAGMA page_size").get() ?? { page_size: 0 };
    db.close();
    writeSync(openSync(path, "r+"), "damaged!", ((row?.rootpage ?? 0) - 1) * page_size);
    const found = await diagnose([free, `--database=${path}`]);
    expect(found.at("problem", "integrity")).toContain(`${path} is damaged: put a backup in its place.`);
    expect(found.at("ok", "database")).toBe(`${path} is Roster's.`);
  });

  test("into which a move has not finished, or which is ahead of the clock, is a problem", async () => {
    const path = await madeDatabase();
    const db = new Database(path);
    const mark = {
      source: "",
      shown: "postgres://roster@db/users",
      doing: "move",
      run: "",
      stale: false,
    } as const;
    db.run("INSERT INTO moving VALUES (1, ?, '[]')", [
      serializeMoveState({ ...mark, table: undefined, after: undefined }),
    ]);
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

  test("a database without tables is in order, and what a user may not do there is named", async () => {
    const database = await freshDatabase();
    databases.push(database);
    const flags = [`--database-pooler=${pooler}`, free];
    const empty = await diagnose([`--database=${database.url}`, ...flags]);
    expect(bad(empty)).toEqual([]);
    expect(empty.at("ok", "schema")).toBe("There are no tables yet: the next start sees to that.");
    expect(empty.at("ok", "database")).toMatch(/^PostgreSQL \d+(\.\d+)* answers at postgres:\/\/\w+@/);
    expect(empty.at("ok", "clock")).toContain("agree on the time");
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
          `^PostgreSQL does not let ${role}: INSERT ON roster\\.\\w+, .* and \\d+ more\\. Have the owner GRANT`,
        ),
      );
      expect(JSON.stringify(found.findings)).not.toContain("s3cret");
    } finally {
      await sql.unsafe(`DROP OWNED BY ${role}; DROP ROLE ${role}`).simple();
      await sql.close();
    }
  });

  test("a server that is away is a problem, and its password is not told", async () => {
    const found = await diagnose([
      free,
      "--database=postgres://me:s3cret@127.0.0.1:1/users",
      "--database-wait=100",
    ]);
    expect(found.at("problem", "database")).toBe(
      "PostgreSQL does not answer at postgres://me@127.0.0.1:1/users: start it, or change DATABASE_URL.",
    );
    expect(JSON.stringify(found.findings)).not.toContain("s3cret");
  });
});

describe("the port", () => {
  test("in use by another program is a problem, and so is an address of another machine", async () => {
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

  test("at which another version of Roster answers is worth a warning", async () => {
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
    expect(found.at("warning", "port")).toContain(`Roster 0.0.1 answers at http://127.0.0.1:${port}`);
  });
});

test("settings that cannot be used are told at once, secrets never, and flags that there are not end with code 2", async () => {
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

test("a low limit on open files is worth a warning", async () => {
  const doctor = shellCommand(["doctor", "--json", free]);
  const { stdout } = await runCommand(["sh", "-c", `ulimit -n 512; ${doctor}`], { cwd: temporaryFolder() });
  expect(stdout).toMatch(/"limits","level":"warning","says":"The service may have 512 files .*LimitNOFILE=/);
});
