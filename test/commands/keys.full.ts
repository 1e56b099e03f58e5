import { Database } from "bun:sqlite";
import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Scope, scopes } from "../../src/contract/keys/key.ts";
import type { Key } from "../../src/contract/keys/key-schemas.ts";
import { createSecret } from "../../src/contract/keys/key-secret.ts";
import { bearer } from "../support/credentials.ts";
import { onAnyEngine, onEachEngine } from "../support/engines.ts";
import { type CommandResult, runRoster, startRoster, temporaryFolder } from "../support/process/roster.ts";
import { cleanUp, createDatabase, createEmptyDatabase, expectError, flags } from "./support/commands.ts";
import { keyOf, keysOn, statusWith, untilRejected } from "./support/keys.ts";

setDefaultTimeout(120_000);
afterEach(cleanUp);

const COPY_NOW = "Copy the key now: it is not shown again.";

function recordsOf(ran: CommandResult): Key[] {
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  const lines = ran.stdout.split("\n");
  expect(lines.pop()).toBe("");
  return lines.map((line) => JSON.parse(line));
}

/** Expects a time that a command computed from the current time, between `begin` and now. */
function expectTimeAfter(begin: number, time: string | null | undefined, distance: number): void {
  const computedAt = Date.parse(time ?? "") - distance;
  expect(computedAt).toBeGreaterThanOrEqual(begin);
  expect(computedAt).toBeLessThanOrEqual(Date.now());
}

onEachEngine((engine) => {
  test("a running service accepts a new key at once, requires keys from then on, and rejects a revoked key", async () => {
    const url = await createDatabase(engine);
    const keys = keysOn(url);
    const roster = await startRoster(url, { flags });
    expect(await statusWith(roster)).toBe(200);

    const first = await keys("create", "--name=ci", "--scope=users:read");
    const key = keyOf(first);
    expect(first.stderr).toBe(`Created key 1 (ci) with users:read. ${COPY_NOW}\n`);
    // The service applies the scopes of the key, even if it has not loaded the key yet.
    const body = { method: "POST", body: "{}", headers: bearer(key) };
    expect((await roster.call("/api/users", body)).status).toBe(403);
    expect(await statusWith(roster, key)).toBe(200);
    await untilRejected(roster);

    const second = keyOf(await keys("create", "--name=web", "--scope=all"));
    expect(await statusWith(roster, second)).toBe(200);

    const revoked = await keys("revoke", "1");
    expect(revoked).toMatchObject({ code: 0, stdout: "" });
    expect(revoked.stderr).toBe("Revoked key 1 (ci). Services reject it within a second.\n");
    await untilRejected(roster, key);
    expect(await statusWith(roster, second)).toBe(200);
    expect(roster.stderr).toEqual([]);
  });

  test("a service accepts a key that was created before it started, and rejects others", async () => {
    const url = await createDatabase(engine);
    const key = keyOf(await keysOn(url)("create", "--name=first", "--scope=users:read,users:write"));
    const roster = await startRoster(url, { flags });
    expect(await statusWith(roster, key)).toBe(200);
    expect(await statusWith(roster)).toBe(401);
    expect(await statusWith(roster, createSecret())).toBe(401);
  });

  test("five creates at the same time create five keys", async () => {
    const keys = keysOn(await createDatabase(engine));
    const results = await Promise.all(
      Array.from({ length: 5 }, (_, i) => keys("create", `--name=${i}`, "--scope=all")),
    );
    expect(new Set(results.map(keyOf)).size).toBe(5);
    expect(recordsOf(await keys("list")).map(({ id }) => id)).toEqual([1, 2, 3, 4, 5]);
  });

  test("create respects ROSTER_MIGRATE=off", async () => {
    const url = await createEmptyDatabase(engine);
    const off = keysOn(url, { ROSTER_MIGRATE: "off" });
    const create = ["create", "--name=ci", "--scope=all"];
    expectError(await off(...create), 1, "`roster migrate`");
    await runRoster(["migrate", `--database=${url}`, ...flags]);
    keyOf(await off(...create));
  });

  test("only create creates a database", async () => {
    const url = await createEmptyDatabase(engine);
    const keys = keysOn(url);
    for (const args of [["list"], ["revoke", "1"], ["replace", "1"]]) {
      expectError(await keys(...args), 1, engine === "sqlite" ? "There is no database at" : "0 of");
    }
    if (engine === "sqlite") expect(existsSync(url)).toBe(false);
    const ran = await keys("create", "--name=ci", "--scope=all");
    keyOf(ran);
    expect(ran.stderr.startsWith(`Created a database at ${url}.\n`)).toBe(engine === "sqlite");
  });
});

const scimScopes: Scope[] = ["users:read", "users:write", "groups:read", "groups:write"];

// test/store/support/key-contract.ts tests keys on both engines.
onAnyEngine((engine) => {
  test("--scope scim stands for the scopes of users and groups, alone and beside others, also for a replacement", async () => {
    const keys = keysOn(await createDatabase(engine));
    keyOf(await keys("create", "--name=entra", "--scope=scim"));
    keyOf(await keys("create", "--name=more", "--scope=groups:read,scim", "--scope=events:read"));
    keyOf(await keys("create", "--name=all", "--scope=scim,all"));
    keyOf(await keys("create", "--name=old", "--scope=users:read"));
    keyOf(await keys("replace", "4", "--scope=scim"));
    expect(recordsOf(await keys("list")).map((record) => record.scopes)).toEqual([
      scimScopes,
      [...scimScopes, "events:read"],
      [...scopes],
      ["users:read"],
      scimScopes,
    ]);
  });

  test("list prints one JSON object per line, the same as GET /api/keys", async () => {
    const url = await createDatabase(engine);
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
    const begin = Date.now();
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
      {
        id: 3,
        scopes: [...scopes],
      },
    ]);
    expectTimeAfter(begin, records[2]?.expiresAt, 90 * 86_400_000);
    expect(recordsOf(await keys("list", "--output=ndjson"))).toEqual(records);

    const roster = await startRoster(url, { flags });
    const response = await roster.call("/api/keys", { headers: bearer(manager) });
    expect(await response.json()).toEqual(records);
  });

  test("list says how to create a key if there is none", async () => {
    const url = await createDatabase(engine);
    await runRoster(["migrate", `--database=${url}`, ...flags]);
    const ran = await keysOn(url)("list");
    expect(ran).toMatchObject({ code: 0, stdout: "" });
    expect(ran.stderr).toBe(
      "No keys yet. Create one: roster keys create --name my-program --scope users:read\n",
    );
  });

  test("replace copies the old key, which stays active for the grace period", async () => {
    const url = await createDatabase(engine);
    const keys = keysOn(url);
    const old = keyOf(
      await keys("create", "--name=ci", "--scope=users:read", "--rate=100/1", "--quota=9", "--expires=30d"),
    );
    const begin = Date.now();
    const ran = await keys("replace", "1");
    const key = keyOf(ran);
    const [was, is] = recordsOf(await keys("list"));
    expect(is).toMatchObject({ id: 2, name: "ci", scopes: ["users:read"], quota: 9 });
    expect(is?.rateLimit).toEqual({ requests: 100, seconds: 1 });
    expectTimeAfter(begin, was?.expiresAt, 3_600_000);
    expect(ran.stderr.split("\n")).toEqual([
      `Created key 2 (ci) with users:read until ${is?.expiresAt?.slice(0, 19)}Z. ${COPY_NOW}`,
      `Key 1 stays active until ${was?.expiresAt?.slice(0, 19)}Z.`,
      "To end it now: roster keys revoke 1",
      "",
    ]);

    const roster = await startRoster(url, { flags });
    expect(await statusWith(roster, old)).toBe(200);
    expect(await statusWith(roster, key)).toBe(200);

    const changes = ["--name=web", "--scope=all", "--expires=never", "--rate=service", "--quota=none"];
    const now = await keys("replace", "--grace=0s", ...changes, "2");
    keyOf(now);
    expect(now.stderr).toEndWith("Key 2 is no longer active.\n");
    await untilRejected(roster, key);
    expect(recordsOf(await keys("list"))[2]).toMatchObject({
      name: "web",
      scopes: [...scopes],
      expiresAt: null,
      rateLimit: null,
      quota: null,
    });
    expectError(
      await keys("replace", "2"),
      1,
      "Key 2 is expired or revoked. Create a key with `roster keys create`.",
    );
  });

  test("revoke can be repeated, and exits with 3 if the key does not exist", async () => {
    const url = await createDatabase(engine);
    const keys = keysOn(url);
    keyOf(await keys("create", "--name=ci", "--scope=all"));
    await keys("revoke", "1");
    const [revoked] = recordsOf(await keys("list"));
    const again = await keys("revoke", "1");
    expect(again).toMatchObject({ code: 0, stdout: "" });
    expect(again.stderr).toBe(`Key 1 (ci) was already revoked at ${revoked?.revokedAt?.slice(0, 19)}Z.\n`);
    expect(recordsOf(await keys("list"))).toEqual(revoked ? [revoked] : []);
    expectError(await keys("revoke", "2"), 3, "There is no key 2.");
    expectError(await keys("replace", "2"), 3, "There is no key 2.");
  });
});

test("changes on the host are recorded as changes of a command", async () => {
  const path = join(temporaryFolder(), "not", "there", "roster.db");
  const keys = keysOn(path);
  keyOf(await keys("create", "--name=ci", "--scope=all"));
  keyOf(await keys("replace", "1"));
  await keys("revoke", "1");
  const db = new Database(path, { readonly: true });
  expect(db.query("SELECT id, created_by, revoked_by FROM keys ORDER BY id").values()).toEqual([
    [1, -1, -1],
    [2, -1, null],
  ]);
  db.close();
});

test("generate stores nothing, and a service accepts the key as ROSTER_API_KEY", async () => {
  const folder = temporaryFolder();
  const generate = () => runRoster(["keys", "generate"], { cwd: folder });
  const [key, other] = [keyOf(await generate()), keyOf(await generate())];
  expect(key).not.toBe(other);
  expect(existsSync(join(folder, "data"))).toBe(false);
  const roster = await startRoster(join(folder, "roster.db"), { env: { ROSTER_API_KEY: key } });
  expect(await statusWith(roster, key)).toBe(200);
  expect(await statusWith(roster, other)).toBe(401);
});
