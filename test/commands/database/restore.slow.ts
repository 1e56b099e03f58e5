import { Database } from "bun:sqlite";
import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { SQL } from "bun";
import { findSqliteCorruption } from "../../support/consistency/list-checks.ts";
import { findPostgresCorruption } from "../../support/consistency/postgres-corruption.ts";
import { pooler, startPostgresBeforeTests } from "../../support/postgres/fresh-database.ts";
import { runRoster, spawnRoster, temporaryFolder } from "../../support/process/roster.ts";
import { runOnTerminal } from "../../support/process/terminal.ts";
import {
  BACKED_UP,
  backup,
  checksumOf,
  copyOf,
  create,
  createBackup,
  file,
  partOf,
  RESTORED,
  restore,
  valueIn,
} from "../support/backups.ts";
import { cleanUp, createDatabase, expectError, flags } from "../support/commands.ts";
import { fillFile, serve } from "../support/moves.ts";
import { stop } from "../support/stop.ts";
import { untilOf } from "../support/until-running.ts";

setDefaultTimeout(120_000);
startPostgresBeforeTests();
afterEach(cleanUp);

const MANY = 6000;

describe("a restore that is killed", () => {
  test("continues in PostgreSQL, and no service serves a partial database", async () => {
    const [from, out, to] = [file("from.db"), file("out.db"), await createDatabase("postgres")];
    await fillFile(from, MANY);
    const checksum = checksumOf(await backup(out, from), BACKED_UP);
    const sql = new SQL(to, { max: 1, prepare: pooler === "none" });
    const users = () =>
      sql
        .unsafe("SELECT count(*) FROM roster.users")
        .values()
        .then(
          ([row]: unknown[][]) => Number(row?.[0]),
          () => 0,
        );
    const restoring = spawnRoster(["restore", out, `--database=${to}`, ...flags]);
    await untilOf(restoring, async () => (await users()) > MANY / 20);
    restoring.kill("SIGKILL");
    await restoring.exited;
    expect(await users()).toBeLessThan(MANY);
    await sql.close();
    expectError(
      await runRoster(["serve", "--port=0", `--database=${to}`, ...flags]),
      1,
      `\`roster restore\` from ${out} has not finished`,
    );
    const another = file("another.db");
    checksumOf(await backup(another, from), BACKED_UP);
    expectError(await restore(another, to), 1, "to replace all data, add --force");
    expect(checksumOf(await restore(out, to), RESTORED)).toBe(checksum);
    expect(await findPostgresCorruption(to, MANY)).toEqual([]);
  });

  test("leaves an SQLite file unchanged, and can be repeated", async () => {
    const [from, out, to] = [file("from.db"), file("out.db"), file("to.db")];
    await fillFile(from, MANY);
    checksumOf(await backup(out, from), BACKED_UP);
    const old = await serve(to);
    await create(old, "old");
    await stop(old);
    const restoring = spawnRoster(["restore", out, `--database=${to}`, "--force", "--yes"]);
    await untilOf(
      restoring,
      () => (statSync(partOf(to) ?? "none", { throwIfNoEntry: false })?.size ?? 0) > 1_000_000,
    );
    restoring.kill("SIGKILL");
    await restoring.exited;
    const same = await serve(to);
    expect(await (await same.call("/api/users")).json()).toMatchObject([{ name: "old" }]);
    await stop(same);
    checksumOf(await restore(out, to, "--force", "--yes"), RESTORED);
    expect(findSqliteCorruption(to, MANY)).toEqual([]);
    expect(readdirSync(dirname(to))).toEqual(["to.db"]);
  });
});

test("Ctrl-C ends a restore into a new file with one line, and leaves nothing", async () => {
  const [from, out, to] = [file("from.db"), file("out.db"), file("to.db")];
  await fillFile(from, MANY);
  checksumOf(await backup(out, from), BACKED_UP);
  const restoring = spawnRoster(["restore", out, `--database=${to}`]);
  await untilOf(restoring, () => existsSync(to) && partOf(to) !== undefined);
  restoring.kill("SIGINT");
  expect(await restoring.exited).toEqual({ code: 130, signal: null });
  expect(restoring.stderr).toEqual(["roster: Interrupted. Nothing was restored."]);
  expect(readdirSync(dirname(to))).toEqual([]);
});

test("a restore that ends just before its file is in place must be repeated, without --force", async () => {
  const [from, out, to] = [file("from.db"), file("out.db"), file("to.db")];
  await fillFile(from, 500);
  checksumOf(await backup(out, from), BACKED_UP);
  await fillFile(to, 500);
  const db = new Database(to);
  const source = valueIn(out, "SELECT identity FROM directory");
  const moveState = { source, shown: out, doing: "restore", run: "", stale: true };
  db.query("INSERT INTO moving VALUES (1, ?, '[]')").run(JSON.stringify(moveState));
  db.close();
  expectError(await runRoster(["serve", "--port=0", `--database=${to}`]), 1, "`roster restore` from");
  checksumOf(await restore(out, to), RESTORED);
  expect(findSqliteCorruption(to, 500)).toEqual([]);
  // Each copy has another identity.
  const identities = [from, out, to].map((path) => valueIn(path, "SELECT identity FROM directory"));
  expect(new Set(identities).size).toBe(3);
});

describe("an invalid backup is rejected with one line, and nothing is changed", () => {
  test("if a byte was changed or bytes are missing", async () => {
    const { out, target } = await createBackup();
    const bytes = readFileSync(out);
    const letter = bytes.indexOf("User 77");
    for (const place of [letter, 30, bytes.length >> 1, bytes.length - 80]) {
      const broken = Buffer.from(bytes);
      broken[place] = (broken[place] ?? 0) ^ 4;
      writeFileSync(out, broken);
      expectError(await restore(out, target), 1, "is damaged");
    }
    for (const length of [bytes.length - 1, 4096 * 7]) {
      writeFileSync(out, bytes);
      truncateSync(out, length);
      expectError(await restore(out, target), 1, "is damaged");
    }
    expect(existsSync(target)).toBe(false);
  });

  test("if it has no checksum, and SQLite finds damage", async () => {
    const { from, target } = await createBackup();
    expect(checksumOf(await restore(from, target), RESTORED)).toHaveLength(64);
    const bytes = readFileSync(from);
    const place = bytes.lastIndexOf("user 77");
    bytes.write("usex 77", place);
    writeFileSync(from, bytes);
    expectError(await restore(from, file("other.db")), 1, "is damaged");
  });

  test("if it is not a backup", async () => {
    const [target, text, foreign, empty] = [
      file("t.db"),
      file("text.db"),
      file("foreign.db"),
      file("empty.db"),
    ];
    writeFileSync(text, "Not a database, but a text that is long enough to be looked at.\n".repeat(20));
    writeFileSync(empty, "");
    const db = new Database(foreign);
    db.run("CREATE TABLE theirs (a)");
    db.close();
    expectError(await restore(file("missing.db"), target), 1, "There is no backup at");
    expectError(await restore(temporaryFolder(), target), 1, "There is no backup at");
    expectError(await restore(text, target), 1, "text.db is not a backup");
    expectError(await restore(foreign, target), 1, "of another program. Restore another backup.");
    expectError(await restore(empty, target), 1, "it has no Roster tables. Restore another backup.");
    expect(existsSync(target)).toBe(false);
  });

  test("if a newer Roster created it", async () => {
    const { from, target } = await createBackup();
    const db = new Database(from);
    db.run("PRAGMA user_version = 999");
    db.close();
    expectError(await restore(from, target), 1, "written by a newer Roster");
    expect(existsSync(target)).toBe(false);
  });
});

test("a damaged file is replaced, with its -wal and -shm files", async () => {
  const [from, out, to] = [file("from.db"), file("out.db"), file("to.db")];
  await fillFile(from, 500);
  checksumOf(await backup(out, from), BACKED_UP);
  copyFileSync(from, to);
  const bytes = readFileSync(to);
  bytes.fill(0xff, 8192, bytes.length - 4096);
  writeFileSync(to, bytes);
  expectError(await restore(out, to), 1, "is damaged: to replace all data, add --force");
  checksumOf(await restore(out, to, "--force", "--yes"), RESTORED);
  expect(findSqliteCorruption(to, 500)).toEqual([]);
});

test("a copy that was served is a backup of its current state", async () => {
  const { out, target } = await createBackup();
  const used = await serve(out);
  const id = await create(used, "later");
  await stop(used);
  checksumOf(await restore(out, target), RESTORED);
  expect(valueIn(target, `SELECT count(*) FROM users WHERE id = ${id}`)).toBe(1);
  expect(findSqliteCorruption(target, 501)).toEqual([]);
});

test("on a terminal, restore asks before it replaces data, and shows progress within 80 columns", async () => {
  const { from, out } = await createBackup();
  // This process may still have the original open, which would lock it.
  const to = copyOf(from);
  const args = ["restore", out, `--database=${to}`, "--force"];
  const before = valueIn(to, "SELECT identity FROM directory");
  const no = await runOnTerminal(args, { typing: [["[y/N]", "n\r"]] });
  expect(no.code).toBe(1);
  // The question is wrapped between words.
  const joinLines = (screen: string) => screen.replaceAll("\n", " ");
  expect(joinLines(no.screen)).toContain(`${to} has 500 users. Replace all data with ${out}? [y/N]`);
  expect(no.screen).toEndWith("roster: Cancelled. Nothing was changed.\n");
  expect(valueIn(to, "SELECT identity FROM directory")).toBe(before);
  const yes = await runOnTerminal(args, { typing: [["[y/N]", "y\r"]] });
  expect(yes.code).toBe(0);
  expect(joinLines(yes.screen)).toContain(`Restored ${out} into ${to}. `);
  const bars = yes.screen.split(/[\r\n]+/).filter((line) => /[█░]/.test(line));
  expect(new Set(bars.map((line) => /[█░]+ {2}(\w+)/.exec(line)?.[1]))).toEqual(
    new Set(["reading", "copying", "verifying"]),
  );
  expect(bars.filter((line) => Bun.stringWidth(line) > 80)).toEqual([]);
});
