import { Database } from "bun:sqlite";
import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { findSqliteCorruption } from "../../support/consistency/list-checks.ts";
import { findPostgresCorruption } from "../../support/consistency/postgres-corruption.ts";
import { bearer } from "../../support/credentials.ts";
import { type Engine, onEachEngine } from "../../support/engines.ts";
import { pooler, startPostgresBeforeTests } from "../../support/postgres/fresh-database.ts";
import { runRoster, spawnRoster } from "../../support/process/roster.ts";
import { until } from "../../support/until.ts";
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
import { cleanUp, createDatabase, createEmptyDatabase, expectError, flags } from "../support/commands.ts";
import { expectReplays, fillFile, move, picture, populate, serve } from "../support/moves.ts";
import { stop } from "../support/stop.ts";
import { untilOf } from "../support/until-running.ts";

setDefaultTimeout(120_000);
startPostgresBeforeTests();
afterEach(cleanUp);

const lists = [
  "",
  "sort=-email",
  "sort=createdAt",
  "q=mul",
  "q=%E6%9D%91",
  "team=stra%C3%9Fe",
  "nothing=null",
  "version=2",
];
const USERS = 500;
const SOME = 1000;

onEachEngine((engine) => {
  const other: Engine = engine === "sqlite" ? "postgres" : "sqlite";

  test("a backup during writes has every user acknowledged before it started, and no partial user", async () => {
    const [url, out] = [await createDatabase(engine), file("out.db")];
    const roster = await serve(url);
    const acknowledged: number[] = [];
    let writing = true;
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let i = 0; writing; i++) {
        const id = await create(roster, `writer${writer}.${i}`);
        acknowledged.push(id);
        if (i % 5 === 1)
          await roster.call(`/api/users/${id}`, { method: "PATCH", json: { team: "blue", edited: i } });
        if (i % 7 === 1) {
          acknowledged.splice(acknowledged.indexOf(id), 1);
          await roster.call(`/api/users/${id}`, { method: "DELETE" });
        }
      }
    });
    await until(() => acknowledged.length > 200);
    const before = [...acknowledged];
    const ran = await backup(out, url);
    const during = acknowledged.length - before.length;
    writing = false;
    await Promise.all(writers);
    checksumOf(ran, BACKED_UP);
    expect(during).toBeGreaterThan(0);
    expect(readdirSync(dirname(out))).toEqual(["out.db"]);
    expect(statSync(out).mode & 0o777).toBe(0o600);

    const copy = copyOf(out);
    const db = new Database(copy, { readonly: true });
    const ids = new Set(
      db
        .query<{ id: number }, []>("SELECT id FROM users")
        .all()
        .map(({ id }) => id),
    );
    db.close();
    // Users that were being deleted may or may not be in the backup.
    expect(before.filter((id) => !ids.has(id))).toEqual([]);
    expect(findSqliteCorruption(copy, ids.size)).toEqual([]);
    const served = await serve(copy);
    expect((await served.call(`/api/users/${before[0]}`)).status).toBe(200);
    expect(await create(served, "next")).toBeGreaterThan(Math.max(...ids));
    expect(roster.stderr).toEqual([]);
  });

  test("a backup is restored unchanged into either engine, as an independent database", async () => {
    const [url, out] = [await createDatabase(engine), file("out.db")];
    const source = await serve(url);
    const outcomes = await populate(source, USERS);
    const before = await picture(source, lists);
    const checksum = checksumOf(await backup(out, url), BACKED_UP);
    await stop(source);
    const users = Number(before[""]?.split(":")[0]);
    for (const target of [await createEmptyDatabase(other), await createEmptyDatabase(engine)]) {
      expect(checksumOf(await restore(out, target), RESTORED)).toBe(checksum);
      const isPostgres = target.startsWith("postgres");
      expect(
        isPostgres ? await findPostgresCorruption(target, users) : findSqliteCorruption(target, users),
      ).toEqual([]);
      // The restored database has its own identity.
      expectError(await move(url, target), 1, "is not empty (users: ");
      const roster = await serve(target);
      expect(await picture(roster, lists)).toEqual(before);
      await expectReplays(roster, outcomes);
      // PostgreSQL may have skipped some ids.
      expect(await create(roster, "next")).toBeGreaterThan(USERS + 20);
      await stop(roster);
    }
  });

  test("a database with users is replaced only with --force, and no id is reused", async () => {
    const [url, out, target] = [await createDatabase(engine), file("out.db"), await createDatabase(other)];
    const source = await serve(url);
    await create(source, "kept");
    checksumOf(await backup(out, url), BACKED_UP);
    const old = await serve(target);
    for (const name of ["one", "two", "three"]) await create(old, name);
    if (other === "sqlite" || pooler === "none") {
      const served = await restore(out, target, "--force", "--yes", "--database-wait=300");
      expectError(served, 1, other === "sqlite" ? "locked by another program" : "stop them first");
    }
    await stop(old);
    expectError(await restore(out, target), 1, "has 3 users: to replace all data, add --force");
    expectError(await restore(out, target, "--force"), 2, "add --yes");
    checksumOf(await restore(out, target, "--force", "--yes"), RESTORED);
    const roster = await serve(target);
    const users = await (await roster.call("/api/users")).json();
    expect(users).toMatchObject([{ id: 1, name: "kept" }]);
    expect((await roster.call("/api/users?q=two")).headers.get("link")).toBeNull();
    expect(await create(roster, "four")).toBe(4);
  });

  test("an interrupted backup prints one line and leaves no file", async () => {
    const [from, out] = [file("from.db"), file("out.db")];
    await fillFile(from, SOME);
    const url = engine === "sqlite" ? from : await createDatabase(engine);
    if (engine === "postgres") await move(from, url);
    const backing = spawnRoster(["backup", out, `--database=${url}`, ...flags]);
    await untilOf(backing, () => partOf(out) !== undefined);
    backing.kill("SIGTERM");
    expect(await backing.exited).toEqual({ code: 143, signal: null });
    expect([backing.stdout, backing.stderr]).toEqual([[], ["roster: Interrupted. No backup was created."]]);
    expect(readdirSync(dirname(out))).toEqual([]);

    const killed = spawnRoster(["backup", out, `--database=${url}`, ...flags]);
    await untilOf(killed, () => partOf(out) !== undefined);
    killed.kill("SIGKILL");
    await killed.exited;
    expect(existsSync(out)).toBe(false);
    // The next backup removes the partial file. Of two backups at once, the second finds the file of the first.
    const two = await Promise.all([backup(out, url), backup(out, url)]);
    expect(two.map(({ code }) => code).sort()).toEqual([0, 4]);
    expect(two.map(({ stderr }) => stderr).join("")).toContain("already exists");
    expect(readdirSync(dirname(out))).toEqual(["out.db"]);
  });
});

test("keys are restored, and sessions are not", async () => {
  const [url, out, target] = [
    await createDatabase("sqlite"),
    file("out.db"),
    await createDatabase("postgres"),
  ];
  const created = await runRoster([
    "keys",
    "create",
    "--name=ci",
    "--scope=all",
    `--database=${url}`,
    ...flags,
  ]);
  const key = created.stdout.trim();
  const source = await serve(url);
  expect((await source.call("/api/session", { method: "POST", json: { key } })).status).toBe(200);
  checksumOf(await backup(out, url), BACKED_UP);
  expect(valueIn(out, "SELECT count(*) FROM sessions")).toBe(0);
  checksumOf(await restore(out, target), RESTORED);
  const roster = await serve(target);
  expect((await roster.call("/api/users", { headers: bearer(key) })).status).toBe(200);
  expect((await roster.call("/api/users")).status).toBe(401);
});

describe("a backup fails with one line and changes nothing", () => {
  test("if it would overwrite a file or a database", async () => {
    const { from, out } = await createBackup();
    const before = readFileSync(out);
    expectError(await backup(out, from), 4, "replace it with --force");
    expect(readFileSync(out).equals(before)).toBe(true);
    expectError(await backup(from, from, "--force"), 1, "is the database itself");
    expectError(await restore(from, from, "--force", "--yes"), 1, "are the same database");
    expectError(await backup(join(out, "x"), from), 1, "Cannot write");
    expectError(
      await backup(join(dirname(out), "no", "out.db"), from),
      1,
      "does not exist: create it, or choose another path.",
    );
    expectError(await backup(dirname(out), from, "--force"), 1, "is not a regular file");
    expectError(await backup(file("new.db"), file("missing.db")), 1, "There is no database at");
    const roster = await serve(from);
    expectError(await backup(from, out, "--force"), 1, "is a database in use");
    await stop(roster);
  });

  test("for invalid usage, with code 2 and without the password", async () => {
    const there = "postgres://me:s3cret@db.example/roster";
    expectError(await runRoster(["backup"]), 2, "FILE is required");
    expectError(await runRoster(["restore"]), 2, "FILE is required");
    expectError(await runRoster(["backup", there]), 2, "FILE=postgres://me:…@");
    expectError(await runRoster(["restore", "a.db", "b.db"]), 2, "See roster restore --help.");
    expectError(await backup("a.db", `${there}?sslmode=maybe`), 2, "--database is invalid");
    const away = "postgres://me:s3cret@127.0.0.1:1/roster";
    expectError(await backup(file("a.db"), away, "--database-wait=200"), 1, "is not reachable");
  });
});
