import { Database } from "bun:sqlite";
import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type CommandResult,
  runRoster,
  startRoster,
  startWith,
  stopAll,
  temporaryFolder,
} from "../support/process/roster.ts";

setDefaultTimeout(120_000);
afterEach(stopAll);

/** The single line on stderr when a start fails because of the database. */
async function problem(database: string): Promise<string> {
  const ran = await runRoster(["serve", "--port=0", `--database=${database}`]);
  expect(ran).toMatchObject({ code: 1, signal: null, stdout: "" });
  expect(ran.stderr).toMatch(/^roster: [^\n]+\n$/);
  expect(ran.stderr).not.toMatch(/\bat .*:\d+|Error:/);
  return ran.stderr;
}

/**
 * Every file of a folder with a digest of its bytes. A child process reads the files: closing a file here would release
 * every lock that this process holds on it, including SQLite's.
 */
function contents(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder).map((name) => {
      const { stdout } = Bun.spawnSync(["cat", join(folder, name)]);
      return [name, Bun.hash(stdout).toString(16)];
    }),
  );
}

async function realDatabase(users: number): Promise<{ folder: string; database: string }> {
  const folder = temporaryFolder();
  const database = join(folder, "roster.db");
  const roster = await startRoster(database);
  await Promise.all(
    Array.from({ length: users }, (_, i) =>
      roster.call("/api/users", { method: "POST", json: { name: `User ${i}`, note: "x".repeat(500) } }),
    ),
  );
  roster.kill("SIGTERM");
  await roster.exited;
  return { folder, database };
}

describe("a start fails with one line that says what to do", () => {
  test("when the folder cannot be created or written to", async () => {
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, "");
    for (const path of [join(file, "roster.db"), "/dev/null/x/roster.db", "/proc/x/roster.db"]) {
      expect(await problem(path)).toContain("DATABASE_URL");
    }
  });

  test("when the path is a folder", async () => {
    const folder = join(temporaryFolder(), "folder");
    mkdirSync(folder);
    expect(await problem(folder)).toContain("DATABASE_URL");
  });

  test("when the file is not a database, and does not change it", async () => {
    const folder = temporaryFolder();
    const random = join(folder, "random.db");
    writeFileSync(random, crypto.getRandomValues(new Uint8Array(20_000)));
    const text = join(folder, "notes.txt");
    writeFileSync(text, "Somebody's notes.\n".repeat(100));
    const before = contents(folder);
    expect(await problem(random)).toContain("is not an SQLite database");
    expect(await problem(text)).toContain("is not an SQLite database");
    expect(contents(folder)).toEqual(before);
  });

  test.each(["DELETE", "WAL"])(
    "when the database belongs to another program (journal %s), and does not change it",
    async (mode) => {
      const folder = temporaryFolder();
      const path = join(folder, "other.db");
      const other = new Database(path);
      other.run(`PRAGMA journal_mode = ${mode}`);
      other.run("CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT)");
      other.run("INSERT INTO users (name) VALUES ('Somebody else''s')");
      other.close();
      const before = readFileSync(path);
      expect(await problem(path)).toContain("of another program");
      expect(readFileSync(path).equals(before)).toBe(true);
    },
  );

  test("when another program is using its own database, and does not change its log", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "other.db");
    const other = new Database(path);
    other.run("PRAGMA journal_mode = WAL");
    other.run("CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT)");
    const { "other.db-shm": _, ...before } = contents(folder);
    expect(await problem(path)).toContain("of another program");
    expect(contents(folder)).toMatchObject(before);
    other.close();
  });

  test("when another program crashed and left a log beside its database, and changes neither", async () => {
    const [folder, left] = [temporaryFolder(), temporaryFolder()];
    const other = new Database(join(folder, "other.db"));
    other.run("PRAGMA journal_mode = WAL");
    other.run("CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT)");
    for (const name of ["other.db", "other.db-wal"]) copyFileSync(join(folder, name), join(left, name));
    other.close();
    const before = contents(left);
    expect(await problem(join(left, "other.db"))).toContain("of another program");
    expect(contents(left)).toMatchObject(before);
  });

  test("when no file is named", async () => {
    for (const none of ["", " ", ":memory:", "sqlite:", "sqlite::memory:"]) {
      const { code, stdout, stderr } = await runRoster(["--port=0", `--database=${none}`]);
      expect({ none, stdout, code }).toEqual({ none, stdout: "", code: 2 });
      expect(stderr).toMatch(/^roster: --database=[^\n]* is invalid\. Use a file path[^\n]*\n$/);
    }
  });

  test("when a newer Roster wrote the database, and does not change it", async () => {
    const { database } = await realDatabase(1);
    const db = new Database(database);
    db.run("PRAGMA user_version = 999");
    db.run("PRAGMA wal_checkpoint(TRUNCATE)");
    db.close();
    const before = readFileSync(database);
    expect(await problem(database)).toMatch(/newer Roster.*999/);
    expect(readFileSync(database).equals(before)).toBe(true);
  });

  test("when the database stays locked for too long", async () => {
    const { database } = await realDatabase(1);
    const db = new Database(database);
    db.run("PRAGMA locking_mode = EXCLUSIVE");
    db.run("BEGIN EXCLUSIVE");
    const args = ["--port=0", `--database=${database}`, "--database-wait=300"];
    const ran = await runRoster(args);
    db.run("ROLLBACK");
    db.close();
    expect(ran).toMatchObject({ code: 1, stdout: "" });
    expect(ran.stderr).toMatch(/^roster: [^\n]+locked[^\n]+\n$/);
  });
});

describe("a damaged database", () => {
  test("with overwritten first pages is refused with one line", async () => {
    const { database } = await realDatabase(50);
    const bytes = readFileSync(database);
    crypto.getRandomValues(bytes.subarray(100, 4096 * 2));
    writeFileSync(database, bytes);
    expect(await problem(database)).toMatch(/damaged.*backup/);
  });

  test("with overwritten pages in the middle is refused with one line, or served with problems and without a crash", async () => {
    const { database } = await realDatabase(200);
    const bytes = readFileSync(database);
    const middle = Math.floor(statSync(database).size / 8192) * 4096;
    crypto.getRandomValues(bytes.subarray(middle, middle + 4096 * 4));
    writeFileSync(database, bytes);
    const { code, signal, stdout, stderr } = await serveOnce(database);
    if (stdout === "") {
      expect(stderr).toMatch(/^roster: [^\n]*damaged[^\n]*backup[^\n]*\n$/);
      return;
    }
    expect({ code: code === 0 || code === 1, signal }).toEqual({ code: true, signal: null });
    expect(stderr).toMatch(/^(roster: [^\n]+\n)?$/);
  });
});

/** Starts on a database that may be damaged, reads lists, writes once, and stops. */
async function serveOnce(database: string): Promise<CommandResult> {
  const roster = await startWith(["--port=0", `--database=${database}`], { ready: false }).catch(
    () => undefined,
  );
  if (!roster) return runRoster(["--port=0", `--database=${database}`]);
  const queries = ["", "?limit=1000", "?q=user", "?sort=-name&limit=1000", "?name=User%207"];
  const responses = await Promise.all([
    ...queries.map((query) => roster.call(`/api/users${query}`)),
    roster.call("/api/users", { method: "POST", json: { name: "New" } }),
  ]);
  for (const { status, headers } of responses) {
    expect([200, 201, 500, 503]).toContain(status);
    if (status >= 500) expect(headers.get("content-type")).toBe("application/problem+json");
  }
  expect((await roster.call("/healthz")).status).toBe(200);
  roster.kill("SIGTERM");
  const ended = await roster.exited;
  const joinLines = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");
  return { ...ended, stdout: joinLines(roster.stdout), stderr: joinLines(roster.stderr) };
}
