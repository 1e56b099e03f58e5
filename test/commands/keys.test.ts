import { Database } from "bun:sqlite";
import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Key } from "../../src/contract/key-schemas.ts";
import { createSecret, isSecret } from "../../src/contract/key-secret.ts";
import { databaseOn, onEachEngine } from "../support/engines.ts";
import { type FreshDatabase, pooler } from "../support/postgres/fresh-database.ts";
import {
  type CommandResult,
  type Roster,
  runCommand,
  runRoster,
  shellCommand,
  startRoster,
  stopAll,
  temporaryFolder,
} from "../support/process/roster.ts";
import { requirement, requireProgram } from "../support/requirements.ts";

setDefaultTimeout(120_000);
afterEach(async () => {
  await stopAll();
  for (const database of databases.splice(0)) await database.drop();
});

const databases: FreshDatabase[] = [];
const flags = [`--database-pooler=${pooler}`];
const KEPT = "It is shown this once: keep it where your program finds it, for instance as ROSTER_API_KEY.";

/** Runs `roster keys` on one database, named by the environment as it is on a host. */
function keysOn(url: string, env: Record<string, string> = {}) {
  return (...args: string[]) =>
    runRoster(["keys", ...args, ...flags], { env: { DATABASE_URL: url, ...env } });
}

/** The key that alone is on stdout. */
function keyOf(ran: CommandResult): string {
  expect(ran).toMatchObject({ code: 0, signal: null });
  expect(ran.stdout).toMatch(/^roster_\w+\n$/);
  const key = ran.stdout.trim();
  expect(isSecret(key)).toBe(true);
  expect(ran.stderr).not.toContain(key);
  return key;
}

/** One line that says what to do, and the code. */
function expectRefused(ran: CommandResult, code: number, says: string): void {
  expect(ran).toMatchObject({ code, signal: null, stdout: "" });
  expect(ran.stderr).toMatch(/^roster: [^\n]+\n$/);
  expect(ran.stderr).toContain(says);
  expect(ran.stderr).not.toMatch(/s3cret|roster_\w{6}|\bat \S+ \(|Error:/);
}

function recordsOf(ran: CommandResult): Key[] {
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  const lines = ran.stdout.split("\n");
  expect(lines.pop()).toBe("");
  return lines.map((line) => JSON.parse(line));
}

async function statusWith(roster: Roster, key?: string): Promise<number> {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  return (await roster.call("/api/users", { headers })).status;
}

/** Milliseconds until it is answered so. */
async function until(status: number, ask: () => Promise<number>): Promise<number> {
  const start = performance.now();
  while ((await ask()) !== status) {
    if (performance.now() - start > 10_000) throw new Error(`It was never answered with ${status}.`);
    await Bun.sleep(5);
  }
  return performance.now() - start;
}

onEachEngine((engine) => {
  async function fresh(): Promise<string> {
    const database = await databaseOn(engine);
    databases.push(database);
    return database.url;
  }

  test("a running service takes a key at once, asks for one from then on, and refuses it within a second of its end", async () => {
    const url = await fresh();
    const keys = keysOn(url);
    const roster = await startRoster(url, { flags });
    expect(await statusWith(roster)).toBe(200);

    const first = await keys("create", "--name=ci", "--scope=users:read");
    const key = keyOf(first);
    expect(first.stderr).toBe(`Key 1, ci, may users:read. ${KEPT}\n`);
    // Whoever shows it is held to what it may do, though the service may not have heard of it yet.
    const body = { method: "POST", body: "{}", headers: { authorization: `Bearer ${key}` } };
    expect((await roster.call("/api/users", body)).status).toBe(403);
    expect(await statusWith(roster, key)).toBe(200);
    expect(await until(401, () => statusWith(roster))).toBeLessThan(1000);

    const second = keyOf(await keys("create", "--name=web", "--scope=all"));
    expect(await statusWith(roster, second)).toBe(200);

    const revoked = await keys("revoke", "1");
    expect(revoked).toMatchObject({ code: 0, stdout: "" });
    expect(revoked.stderr).toBe("Key 1, ci, is revoked: within a second, every service refuses it.\n");
    expect(await until(401, () => statusWith(roster, key))).toBeLessThan(1000);
    expect(await statusWith(roster, second)).toBe(200);
    expect(roster.stderr).toEqual([]);
  });

  test("a key that was made before any service ran lets in, and others do not", async () => {
    const url = await fresh();
    const key = keyOf(await keysOn(url)("create", "--name=first", "--scope=users:read,users:write"));
    const roster = await startRoster(url, { flags });
    expect(await statusWith(roster, key)).toBe(200);
    expect(await statusWith(roster)).toBe(401);
    expect(await statusWith(roster, createSecret())).toBe(401);
  });

  test("a list is one JSON object a line, the records that GET /api/keys has", async () => {
    const url = await fresh();
    const keys = keysOn(url);
    const manager = keyOf(await keys("create", "--name=manager", "--scope=keys:manage"));
    keyOf(
      await keys(
        "create",
        "--name= ci  of 2 ",
        "--scope=users:write",
        "--scope=users:read,users:write",
        "--expires=2030-01-31T12:00:00Z",
        "--rate=10/60",
        "--quota=100000",
      ),
    );
    const made = Date.now();
    keyOf(await keys("create", "--name=short", "--scope=all", "--expires=90d"));
    const records = recordsOf(await keys("list"));
    expect(records).toMatchObject([
      { id: 1, name: "manager", scopes: ["keys:manage"], expiresAt: null, rateLimit: null, quota: null },
      {
        id: 2,
        name: "ci  of 2",
        scopes: ["users:read", "users:write"],
        expiresAt: "2030-01-31T12:00:00.000Z",
        rateLimit: { requests: 10, seconds: 60 },
        quota: 100_000,
        revokedAt: null,
        lastUsedAt: null,
      },
      { id: 3, scopes: ["users:read", "users:write", "keys:manage"] },
    ]);
    const end = Date.parse(records[2]?.expiresAt ?? "") - made;
    expect(Math.abs(end - 90 * 86_400_000)).toBeLessThan(30_000);
    expect(recordsOf(await keys("list", "--json"))).toEqual(records);

    const roster = await startRoster(url, { flags });
    const answer = await roster.call("/api/keys", { headers: { authorization: `Bearer ${manager}` } });
    expect(await answer.json()).toEqual(records);
  });

  test("a list of no keys says how to make one", async () => {
    const url = await fresh();
    await runRoster(["migrate", `--database=${url}`, ...flags]);
    const ran = await keysOn(url)("list");
    expect(ran).toMatchObject({ code: 0, stdout: "" });
    expect(ran.stderr).toBe(
      "There are no keys. Make one with: roster keys create --name my-program --scope users:read\n",
    );
  });

  test("a key is replaced by one like it, and goes on for the grace", async () => {
    const url = await fresh();
    const keys = keysOn(url);
    const old = keyOf(
      await keys("create", "--name=ci", "--scope=users:read", "--rate=100/1", "--quota=9", "--expires=30d"),
    );
    const ran = await keys("replace", "1");
    const key = keyOf(ran);
    const [was, is] = recordsOf(await keys("list"));
    expect(is).toMatchObject({ id: 2, name: "ci", scopes: ["users:read"], quota: 9 });
    expect(is?.rateLimit).toEqual({ requests: 100, seconds: 1 });
    const [ends, made] = [was?.expiresAt ?? "", is?.createdAt ?? ""].map(Date.parse);
    expect(Math.abs((ends ?? 0) - (made ?? 0) - 3_600_000)).toBeLessThan(30_000);
    expect(ran.stderr.split("\n")).toEqual([
      `Key 2, ci, may users:read until ${is?.expiresAt?.slice(0, 19)}Z. ${KEPT}`,
      `Key 1, which it replaces, goes on until ${was?.expiresAt?.slice(0, 19)}Z.`,
      "To end it now: roster keys revoke 1",
      "",
    ]);

    const roster = await startRoster(url, { flags });
    expect(await statusWith(roster, old)).toBe(200);
    expect(await statusWith(roster, key)).toBe(200);

    const changes = ["--name=web", "--scope=all", "--expires=never", "--rate=service", "--quota=none"];
    const now = await keys("replace", "--grace=0s", ...changes, "2");
    keyOf(now);
    expect(now.stderr).toEndWith("Key 2, which it replaces, has ended.\n");
    expect(await until(401, () => statusWith(roster, key))).toBeLessThan(1000);
    expect(recordsOf(await keys("list"))[2]).toMatchObject({
      name: "web",
      scopes: ["users:read", "users:write", "keys:manage"],
      expiresAt: null,
      rateLimit: null,
      quota: null,
    });
    expectRefused(await keys("replace", "2"), 1, "Key 2 has ended");
  });

  test("to revoke twice is to revoke once, and the code is 3 where there is no such key", async () => {
    const url = await fresh();
    const keys = keysOn(url);
    keyOf(await keys("create", "--name=ci", "--scope=all"));
    await keys("revoke", "1");
    const [revoked] = recordsOf(await keys("list"));
    const again = await keys("revoke", "1");
    expect(again).toMatchObject({ code: 0, stdout: "" });
    expect(again.stderr).toBe(`Key 1, ci, was revoked already, at ${revoked?.revokedAt?.slice(0, 19)}Z.\n`);
    expect(recordsOf(await keys("list"))).toEqual(revoked ? [revoked] : []);
    expectRefused(await keys("revoke", "2"), 3, "There is no key 2.");
    expectRefused(await keys("replace", "2"), 3, "There is no key 2.");
  });

  test("five that are made at once are five", async () => {
    const keys = keysOn(await fresh());
    const made = await Promise.all(
      Array.from({ length: 5 }, (_, i) => keys("create", `--name=${i}`, "--scope=all")),
    );
    expect(new Set(made.map(keyOf)).size).toBe(5);
    expect(recordsOf(await keys("list")).map(({ id }) => id)).toEqual([1, 2, 3, 4, 5]);
  });

  test("ROSTER_MIGRATE=off is kept to: nothing is made then", async () => {
    const url = await fresh();
    const off = keysOn(url, { ROSTER_MIGRATE: "off" });
    const create = ["create", "--name=ci", "--scope=all"];
    expectRefused(await off(...create), 1, "`roster migrate`");
    await runRoster(["migrate", `--database=${url}`, ...flags]);
    keyOf(await off(...create));
  });

  test("only create makes a database: the others say that there is none", async () => {
    const url = await fresh();
    const keys = keysOn(url);
    for (const args of [["list"], ["revoke", "1"], ["replace", "1"]]) {
      expectRefused(await keys(...args), 1, engine === "sqlite" ? "There is no database at" : "0 of");
    }
    if (engine === "sqlite") expect(existsSync(url)).toBe(false);
    const ran = await keys("create", "--name=ci", "--scope=all");
    keyOf(ran);
    expect(ran.stderr.startsWith(`There was no database at ${url}: it has been made.\n`)).toBe(
      engine === "sqlite",
    );
  });
});

test("what is done on the host is done by no key", async () => {
  const path = join(temporaryFolder(), "not", "there", "roster.db");
  const keys = keysOn(path);
  keyOf(await keys("create", "--name=ci", "--scope=all"));
  keyOf(await keys("replace", "1"));
  await keys("revoke", "1");
  const db = new Database(path, { readonly: true });
  expect(db.query("SELECT id, created_by, revoked_by FROM keys ORDER BY id").values()).toEqual([
    [1, null, null],
    [2, null, null],
  ]);
  db.close();
});

test("a generated key is in no database, and a service that is given it takes it", async () => {
  const folder = temporaryFolder();
  const generate = () => runRoster(["keys", "generate"], { cwd: folder });
  const [key, other] = [keyOf(await generate()), keyOf(await generate())];
  expect(key).not.toBe(other);
  expect(existsSync(join(folder, "data"))).toBe(false);
  const roster = await startRoster(join(folder, "roster.db"), { env: { ROSTER_API_KEY: key } });
  expect(await statusWith(roster, key)).toBe(200);
  expect(await statusWith(roster, other)).toBe(401);
});

describe("what cannot be meant ends with code 2 and one line, and nothing is made", () => {
  const named = ["create", "--name=ci"];
  const plain = [...named, "--scope=users:read"];
  const cases: [string[], string][] = [
    [["create", "--scope=all"], "--name is required"],
    [named, "--scope is required: users:read, users:write, keys:manage"],
    [["create", "--name=", "--scope=all"], "--name= is invalid"],
    [["create", `--name=${"x".repeat(101)}`, "--scope=all"], "1 to 100 characters"],
    [["create", "--name=a\u001b[31mb", "--scope=all"], "on one line"],
    [[...named, "--scope=user:read"], "--scope=user:read is invalid. Use users:read, users:write"],
    [[...named, "--scope="], "--scope= is invalid"],
    [[...named, "--scope=all,none"], "--scope=all,none is invalid"],
    [[...plain, "--expires="], "--expires= is invalid"],
    [[...plain, "--expires=2020-01-31T12:00:00Z"], "a moment to come, such as 2030-01-31T12:00:00Z"],
    [[...plain, "--expires=0s"], "--expires=0s is invalid"],
    [[...plain, "--expires=1w"], "--expires=1w is invalid"],
    [[...plain, "--expires=999999999d"], "--expires=999999999d is invalid"],
    [[...plain, "--rate=0"], "--rate=0 is invalid"],
    [[...plain, "--rate=10"], "requests / seconds"],
    [[...plain, "--quota=0"], "--quota=0 is invalid"],
    [[...plain, "--quota=1e6"], "--quota=1e6 is invalid"],
    [[...plain, "--database=postgres://me:s3cret@h/d?sslmode=maybe"], "--database is invalid"],
    [[...plain, "--naem=x"], "See roster keys create --help."],
    [[...plain, "ci"], "Unexpected argument 'ci'"],
    [["list", "--json=yes"], "See roster keys list --help."],
    [["list", "7"], "See roster keys list --help."],
    [["revoke"], "ID is required"],
    [["revoke", "ci"], "ID=ci is invalid"],
    [["revoke", "0"], "ID=0 is invalid"],
    [["revoke", "1", "2"], "Unexpected argument '2'. See roster keys revoke --help."],
    [["replace"], "ID is required"],
    [["replace", "1", "--grace=31d"], "at most 30d"],
    [["replace", "1", "--scope=some"], "--scope=some is invalid"],
    [["generate", "--name=x"], "See roster keys generate --help."],
    [["--json"], "create, list, revoke, replace, generate"],
    [["crate"], "There is no command keys crate. Did you mean keys create? See roster keys --help."],
    [["revok", "1"], "Did you mean keys revoke?"],
    [["constructor"], "There is no command keys constructor. See roster keys --help."],
  ];
  test.each(cases)("%p", async (args, says) => {
    const folder = temporaryFolder();
    expectRefused(await runRoster(["keys", ...args], { cwd: folder }), 2, says);
    expect(existsSync(join(folder, "data"))).toBe(false);
  });

  test("and no key that was put in the wrong place is repeated", async () => {
    const key = keyOf(await runRoster(["keys", "generate"]));
    const places = [[key], ["revoke", key], ["list", key], ["create", `--name=x`, `--scope=${key}`]];
    for (const args of places) {
      const ran = await runRoster(["keys", ...args], { cwd: temporaryFolder() });
      expectRefused(ran, 2, "roster_…");
    }
  });
});

test("each command has a help of its own, with examples; alone, keys shows them all", async () => {
  const alone = await runRoster(["keys"]);
  expect(alone).toMatchObject({ code: 0, stderr: "" });
  for (const command of ["create", "list", "revoke", "replace", "generate"]) {
    expect(alone.stdout).toContain(`  roster keys ${command}`);
    const help = await runRoster(["keys", command, "--help"]);
    expect(help).toMatchObject({ code: 0, stderr: "" });
    expect(help.stdout).toStartWith(`roster keys ${command}`);
    expect(help.stdout).toContain("Examples:");
  }
  expect(await runRoster(["keys", "--help"])).toEqual(alone);
  expect((await runRoster(["--help"])).stdout).toContain("  roster keys ");
});

requireProgram("script").describe("on a terminal", () => {
  async function onTerminal(columns: number, args: string[]): Promise<string[]> {
    const command = `stty cols ${columns}; ${shellCommand(args)}`;
    const env = { TERM: "xterm" };
    const { stdout } = await runCommand(["script", "-qec", command, "/dev/null"], { env });
    return stdout.split("\n").map((line) => line.trimEnd());
  }

  test("a list is a table that is no wider, and JSON if that is asked for", async () => {
    const path = join(temporaryFolder(), "roster.db");
    const keys = keysOn(path);
    keyOf(await keys("create", "--name=ci", "--scope=users:read"));
    const wanted = ["--scope=users:read,users:write", "--expires=90d", "--quota=100000"];
    keyOf(await keys("create", "--name=the frontend of our shop", ...wanted));
    keyOf(await keys("create", "--name=laptop", "--scope=all"));
    await keys("revoke", "3");
    const args = ["keys", "list", `--database=${path}`];
    const lines = await onTerminal(80, args);
    expect(lines[0]).toMatch(/^ID {2}NAME +KEY +SCOPES +CREATED +LAST USED +CALLS +STATE$/);
    expect(lines[2]).toMatch(/^ 1 {2}ci +roster_\w{5}… {2}users:read +\d+s ago +never +0 +in force$/);
    expect(lines.join("\n")).toMatch(/ 3 {2}laptop +roster_\w{5}… {2}all .* revoked/);
    expect(lines.filter((line) => Bun.stringWidth(line) > 80)).toEqual([]);
    expect((await onTerminal(200, args)).filter((line) => line !== "").length).toBe(4);
    expect((await onTerminal(40, args)).slice(0, 2)).toEqual(["ID            1", "NAME          ci"]);
    const json = (await onTerminal(80, [...args, "--json"])).filter((line) => line !== "");
    expect(json.map((line) => JSON.parse(line).id)).toEqual([1, 2, 3]);
  });

  test("a new key is on a line of its own, and no word about it is cut in two", async () => {
    const path = join(temporaryFolder(), "roster.db");
    const args = ["keys", "create", "--name=ci", "--scope=users:read", `--database=${path}`];
    const [key = "", ...told] = await onTerminal(80, args);
    expect(isSecret(key)).toBe(true);
    expect(told.slice(-3)).toEqual([
      "Key 1, ci, may users:read. It is shown this once: keep it where your program",
      "finds it, for instance as ROSTER_API_KEY.",
      "",
    ]);
  });
});

requirement(existsSync("/dev/full"), "there is no /dev/full").test(
  "a key that could not be handed over is named, so that it can be revoked",
  async () => {
    const path = join(temporaryFolder(), "roster.db");
    const create = shellCommand(["keys", "create", "--name=ci", "--scope=all", `--database=${path}`]);
    const ran = await runCommand(["sh", "-c", `${create} > /dev/full`]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/Key 1, ci, .*\nroster: Cannot write to stdout [^\n]+\n$/);
  },
);
