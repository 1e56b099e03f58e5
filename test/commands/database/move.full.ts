import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { copyFileSync, existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { findSqliteCorruption } from "../../support/consistency/list-checks.ts";
import { findPostgresCorruption } from "../../support/consistency/postgres-corruption.ts";
import { pooler, startPostgresBeforeTests } from "../../support/postgres/fresh-database.ts";
import { type Roster, runRoster, startRoster } from "../../support/process/roster.ts";
import { cleanUp, createDatabase, createEmptyDatabase, expectError } from "../support/commands.ts";
import {
  beginMove,
  changeSource,
  expectMoved,
  expectReplays,
  expectSame,
  expectUnserved,
  file,
  fillFile,
  interruptIntoFile,
  MANY,
  move,
  picture,
  populate,
  serve,
} from "../support/moves.ts";
import { stop } from "../support/stop.ts";
import { untilOf } from "../support/until-running.ts";

setDefaultTimeout(120_000);
startPostgresBeforeTests();
afterEach(cleanUp);

const USERS = 2500;

/** Files that are created once, for tests to copy. */
const folder = mkdtempSync(join(tmpdir(), "roster-move-"));
const originals = { "one user": join(folder, "one.db"), "many users": join(folder, "many.db") };
beforeAll(async () => {
  await stop(await served(originals["one user"]));
  await fillFile(originals["many users"], MANY);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A file with one user or many users, for one test. */
function fileWith(content: keyof typeof originals, name?: string): string {
  const path = file(name);
  copyFileSync(originals[content], path);
  return path;
}

async function served(database: string): Promise<Roster> {
  const roster = await serve(database);
  await nextId(roster);
  return roster;
}

async function nextId(roster: Roster): Promise<number> {
  const response = await roster.call("/api/users", { method: "POST", json: { name: "Next" } });
  return (await response.json()).id;
}

const postgres = () => createDatabase("postgres");

/** Begins a move into PostgreSQL, kills it when some users are there, and returns the target. A move that is faster is tried again. */
async function killInPostgres(from: string): Promise<string> {
  for (let attempt = 1; attempt <= 20; attempt++) {
    const to = await postgres();
    await using sql = new SQL(to, { max: 1, prepare: pooler === "none" });
    const moving = beginMove(from, to);
    const users = () =>
      sql
        .unsafe("SELECT count(*) FROM roster.users")
        .values()
        .then(
          ([row]: unknown[][]) => Number(row?.[0]),
          () => 0,
        );
    await untilOf(moving, async () => (await users()) > MANY / 20);
    moving.kill("SIGKILL");
    const { signal } = await moving.exited;
    if (signal === "SIGKILL" && moving.stdout.length === 0 && (await users()) < MANY) return to;
  }
  throw new Error("Every move has finished before it could be killed.");
}

test("all data moves unchanged from SQLite to PostgreSQL and back, and on", async () => {
  const [one, two, three] = [file("one.db"), await postgres(), file("three.db")];
  const source = await serve(one);
  const outcomes = await populate(source, USERS);
  const before = await picture(source);
  await stop(source);

  const there = await expectMoved(one, two);
  const back = await expectMoved(two, three);
  const checksum = (text: string) => /sha256 +(\S+)/.exec(text)?.[1];
  expect(checksum(back)).toBe(checksum(there));
  const users = Number(/users +([\d,]+)/.exec(there)?.[1]?.replace(",", ""));
  expect(users).toBe(Number(before[""]?.split(":")[0]));
  expect(there).toMatch(/ outcomes +40\n/);
  expect(findSqliteCorruption(three, users)).toEqual([]);
  expect(await findPostgresCorruption(two, users)).toEqual([]);

  for (const database of [two, three]) {
    const target = await serve(database);
    expect(await picture(target)).toEqual(before);
    await expectReplays(target, outcomes);
    expect(await nextId(target)).toBe(USERS + 20 + 1);
    expect((await target.call("/api/users/1", { method: "PATCH", json: { edited: 9 } })).status).toBe(200);
    const taken = { name: "Taken", email: "USER.4@example4.COM" };
    expect((await target.call("/api/users", { method: "POST", json: taken })).status).toBe(409);
    await stop(target);
  }
  expect(findSqliteCorruption(three, users + 1)).toEqual([]);

  const four = file("four.db");
  await expectMoved(three, four);
  expect(findSqliteCorruption(four, users + 1)).toEqual([]);
});

test("a database without users moves too, and no id is reused", async () => {
  const [from, to] = [file(), await postgres()];
  const source = await serve(from);
  for (const id of [1, 2]) expect(await nextId(source)).toBe(id);
  for (const id of [1, 2]) await source.call(`/api/users/${id}`, { method: "DELETE" });
  await stop(source);
  expect(await expectMoved(from, to)).toMatch(/ users +0\n/);
  expect(await nextId(await serve(to))).toBe(3);
});

describe("a move that is killed", () => {
  test("continues from SQLite to PostgreSQL, and no service serves a partial database", async () => {
    const from = fileWith("many users");
    const to = await killInPostgres(from);
    await expectUnserved(to);
    const other = file("other.db");
    await runRoster(["migrate", `--database=${other}`]);
    expectError(await move(other, to), 1, "has not finished");
    expectError(await move(to, other), 1, "has not finished");
    expect(await expectMoved(from, to)).toMatch(/ users +10,000\n/);
    expect(await findPostgresCorruption(to, MANY)).toEqual([]);
    await expectSame(await serve(to), await serve(from));
  });

  test("prints one line on SIGTERM, and continues", async () => {
    const from = fileWith("many users");
    const { to, exited, stderr } = await interruptIntoFile(from, "SIGTERM");
    expect(exited).toEqual({ code: 143, signal: null });
    expect(stderr).toEqual(["roster: Interrupted. Run the same command again to continue."]);
    await expectMoved(from, to);
    expect(findSqliteCorruption(to, MANY)).toEqual([]);
  });
});

describe("a source that changes during the move", () => {
  test("is detected, and the next move into PostgreSQL succeeds", async () => {
    const from = fileWith("many users");
    const to = await killInPostgres(from);
    await changeSource(from);
    expectError(await move(from, to), 1, "stop every program that writes to it, then run this command again");
    await expectUnserved(to);
    await expectMoved(from, to);
    expect(await findPostgresCorruption(to, MANY)).toEqual([]);
    await expectSame(await serve(to), await serve(from));
  });
});

describe("a move fails with one line", () => {
  test("into a database that has users", async () => {
    const [from, to, other] = [fileWith("one user", "from.db"), await postgres(), file("other.db")];
    for (const database of [to, other]) await stop(await served(database));
    expectError(await move(from, to), 1, "is not empty (users: 1");
    expectError(await move(from, other), 1, "is not empty (users: 1");
    const roster = await serve(other);
    expect(await nextId(roster)).toBe(2);
  });

  test("from a database that is missing or not of Roster, without creating it", async () => {
    const [from, to] = [file("from.db"), file("to.db")];
    expectError(await move(from, to), 1, "check --from");
    expectError(await move(await createEmptyDatabase("postgres"), to), 1, "check --from");
    expect([existsSync(from), existsSync(to)]).toEqual([false, false]);
  });

  test("from a database to itself, under any name", async () => {
    const [from, link, there] = [fileWith("one user", "from.db"), file("link.db"), await postgres()];
    await stop(await served(there));
    symlinkSync(from, link);
    expectError(await move(from, from), 1, "are the same database");
    expectError(await move(from, `sqlite:${link}`), 1, "are the same database");
    expectError(await move(there, there), 1, "are the same database");
    expectError(await move(there, `${there}?application_name=x`), 1, "are the same database");
  });

  test("into a database that is being served", async () => {
    const [from, to, other] = [fileWith("one user", "from.db"), await postgres(), file("other.db")];
    for (const database of [to, other])
      await startRoster(database, { flags: [`--database-pooler=${pooler}`] });
    expectError(await move(from, other, "--database-wait=300"), 1, "locked by another program");
    if (pooler !== "none") return;
    // PostgreSQL cancels statements a quarter of a second before this time is over.
    expectError(await move(from, to, "--database-wait=3000"), 1, "stop them first");
  });

  test("for invalid usage, with code 2 and without the password", async () => {
    const there = "postgres://me:s3cret@db.example/roster";
    expectError(await runRoster(["move", `--from=${there}`]), 2, "--to is required");
    expectError(await runRoster(["move", `--to=${there}`]), 2, "--from is required");
    expectError(await move("a.db", `${there}?sslmode=maybe`), 2, "--to is invalid");
    expectError(await move("https://me:s3cret@db.example/roster", "a.db"), 2, "--from=https://me:…@");
    expectError(await runRoster(["move", "a.db", there]), 2, "See roster move --help.");
    expectError(await runRoster(["move", there, "a.db"]), 2, "See roster move --help.");
  });

  test("if PostgreSQL does not respond, without the password", async () => {
    const from = fileWith("one user");
    const away = "postgres://me:s3cret@127.0.0.1:1/roster";
    expectError(await move(from, away, "--database-wait=200"), 1, "change --to");
    expectError(await move(away, from, "--database-wait=200"), 1, "change --from");
  });
});
