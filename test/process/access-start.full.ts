import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { createSecret } from "../../src/contract/keys/key-secret.ts";
import { bearer } from "../support/credentials.ts";
import { type Roster, runRoster, startRoster, stopAll, temporaryFolder } from "../support/process/roster.ts";

setDefaultTimeout(120_000);
afterEach(stopAll);

const KEY = createSecret();

interface Started {
  roster: Roster;
  /** The log's description of who may call. */
  access: string;
}

async function start(
  env: Record<string, string>,
  database = join(temporaryFolder(), "roster.db"),
): Promise<Started> {
  const roster = await startRoster(database, { env });
  const line: { access: string } = JSON.parse(roster.stdout[0] ?? "{}");
  return { roster, access: line.access };
}

async function createKey(
  roster: Roster,
  headers?: Record<string, string>,
): Promise<{ id: number; key: string }> {
  const body = { name: "first", scopes: ["users:read", "keys:manage"] };
  const response = await roster.call("/api/keys", { method: "POST", json: body, headers });
  expect(response.status).toBe(201);
  return await response.json();
}

async function statuses({ port }: Roster): Promise<{ without: number; withKey: number }> {
  const url = `http://127.0.0.1:${port}/api/users`;
  const headers = bearer(KEY);
  return { without: (await fetch(url)).status, withKey: (await fetch(url, { headers })).status };
}

describe("the access mode that the log reports at the start", () => {
  test("is this machine only, while no key exists", async () => {
    const { roster, access } = await start({});
    expect(access).toBe("open to this machine only: the service listens on loopback, and no key exists");
    expect(await statuses(roster)).toMatchObject({ without: 200 });
  });

  test("changes to key required when the first key is created, in the log and after a restart", async () => {
    const database = join(temporaryFolder(), "roster.db");
    const { roster } = await start({}, database);
    const { key } = await createKey(roster);
    const output = roster.stdout.map((line) => JSON.parse(line));
    expect(output.filter(({ message }) => message === "first key created")).toMatchObject([
      { level: "info", access: "a key is required: keys exist" },
    ]);
    expect(await statuses(roster)).toMatchObject({ without: 401 });
    roster.kill("SIGTERM");
    await roster.exited;
    const again = await start({}, database);
    expect(again.access).toBe("a key is required: keys exist");
    const headers = bearer(key);
    expect((await again.roster.call("/api/users", { headers })).status).toBe(200);
    expect(await statuses(again.roster)).toMatchObject({ without: 401 });
  });

  test("stays key required after all keys have been revoked", async () => {
    const database = join(temporaryFolder(), "roster.db");
    const { roster } = await start({}, database);
    const { id, key } = await createKey(roster);
    await roster.call(`/api/keys/${id}`, { method: "DELETE", headers: { "x-api-key": key } });
    expect(await statuses(roster)).toMatchObject({ without: 401 });
    roster.kill("SIGKILL");
    await roster.exited;
    const again = await start({}, database);
    expect(again.access).toStartWith("a key is required: keys exist");
    expect(await statuses(again.roster)).toMatchObject({ without: 401 });
  });

  test("is key required with ROSTER_API_KEY, which is never printed", async () => {
    const { roster, access } = await start({ ROSTER_API_KEY: KEY, ROSTER_LOG_LEVEL: "debug" });
    expect(access).toBe("a key is required: keys exist");
    expect(await statuses(roster)).toEqual({ without: 401, withKey: 200 });
    roster.kill("SIGTERM");
    await roster.exited;
    expect([...roster.stdout, ...roster.stderr].join("\n")).not.toContain(KEY.slice(12));
  });

  test("is key required when other machines can connect, with how to create a key and a warning about TLS", async () => {
    const { roster, access } = await start({ HOST: "0.0.0.0" });
    expect(access).toBe(
      "a key is required: HOST=0.0.0.0 lets other machines in; no key is active, create one with: roster keys create; keys cross the network unencrypted, unless a proxy adds TLS",
    );
    expect(await statuses(roster)).toMatchObject({ without: 401 });
    const created = await roster.call("/api/keys", {
      method: "POST",
      json: { name: "first", scopes: ["users:read"] },
    });
    expect(created.status).toBe(401);
    const health = await fetch(`http://127.0.0.1:${roster.port}/healthz`, {
      headers: { host: "roster.example" },
    });
    expect(health.status).toBe(200);
  });

  test("is key required behind a trusted proxy, whose callers are not local", async () => {
    const { roster, access } = await start({ ROSTER_TRUSTED_PROXIES: "127.0.0.1" });
    expect(access).toBe(
      "a key is required: ROSTER_TRUSTED_PROXIES names a proxy; no key is active, create one with: roster keys create",
    );
    expect(await statuses(roster)).toMatchObject({ without: 401 });
  });

  test("is key required with ROSTER_AUTH=required", async () => {
    const bare = await start({ ROSTER_AUTH: "required" });
    expect(bare.access).toBe(
      "a key is required: ROSTER_AUTH=required; no key is active, create one with: roster keys create",
    );
    expect(await statuses(bare.roster)).toMatchObject({ without: 401 });
    const required = await start({ ROSTER_AUTH: "required", ROSTER_API_KEY: KEY });
    expect(required.access).toBe("a key is required: ROSTER_AUTH=required");
    expect(await statuses(required.roster)).toEqual({ without: 401, withKey: 200 });
  });

  test("is open with ROSTER_AUTH=off, whatever keys exist", async () => {
    const database = join(temporaryFolder(), "roster.db");
    const first = await start({}, database);
    await createKey(first.roster);
    first.roster.kill("SIGKILL");
    await first.roster.exited;
    for (const env of [{ ROSTER_AUTH: "off" }, { ROSTER_AUTH: "off", HOST: "0.0.0.0" }]) {
      const { roster, access } = await start(env, database);
      expect(access).toBe("open to anyone who can reach the port: ROSTER_AUTH=off");
      expect(await statuses(roster)).toMatchObject({ without: 200 });
      const url = `http://127.0.0.1:${roster.port}/api/keys`;
      expect((await fetch(url)).status).toBe(403);
    }
  });
});

describe("an unsafe start", () => {
  /** Expects one line that says what to do, and exit code 2. */
  async function problem(env: Record<string, string>): Promise<string> {
    const ran = await runRoster(["serve", "--port=0"], { env, cwd: temporaryFolder() });
    expect(ran).toMatchObject({ code: 2, signal: null, stdout: "" });
    expect(ran.stderr).toMatch(/^roster: [^\n]+\n$/);
    return ran.stderr;
  }

  test("fails when ROSTER_AUTH=off makes ROSTER_API_KEY useless", async () => {
    const output = await problem({ ROSTER_AUTH: "off", ROSTER_API_KEY: KEY });
    expect(output).toContain("ROSTER_AUTH=off");
    expect(output).toContain("ROSTER_API_KEY");
    expect(output).not.toContain(KEY.slice(7));
  });

  test("fails with an invalid ROSTER_API_KEY, whose value is not shown", async () => {
    const last = KEY.endsWith("0") ? "1" : "0";
    const values = [
      "hunter2hunter2",
      KEY.slice(0, -1),
      `${KEY.slice(0, -1)}${last}`,
      `${KEY} `,
      `${KEY}\n`,
      `Bearer ${KEY}`,
    ];
    const output = await Promise.all(values.map((value) => problem({ ROSTER_API_KEY: value })));
    for (const line of output) {
      expect(line).toStartWith("roster: ROSTER_API_KEY is invalid. Use ");
      expect(line).not.toContain("hunter2");
      expect(line).not.toContain(KEY.slice(7, 20));
    }
  });
});

describe("a foreign host name that points to this machine", () => {
  const evil = { host: "evil.example" };

  test("is rejected on every path while the service is open, and nothing changes", async () => {
    const { roster } = await start({});
    for (const path of [
      "/api/users",
      "/api/users/1",
      "/api/keys",
      "/api/session",
      "/docs",
      "/healthz",
      "/metrics",
    ]) {
      const response = await roster.call(path, { headers: evil });
      expect([path, response.status]).toEqual([path, 421]);
      expect(await response.json()).toMatchObject({ type: "/problems/wrong-host" });
    }
    const created = await roster.call("/api/keys", {
      method: "POST",
      json: { name: "evil", scopes: ["keys:manage"] },
      headers: evil,
    });
    expect(created.status).toBe(421);
    expect(await (await roster.call("/api/keys")).json()).toEqual([]);
  });

  test("is rejected in any notation", async () => {
    const { roster } = await start({});
    for (const host of [
      "evil.example:80",
      "localhost.evil.example",
      "127.0.0.1.evil.example",
      "127.0.0.1@evil.example",
      "evil.example#localhost",
      "0.0.0.0",
      "127.1",
      "2130706433",
      "[::]",
    ]) {
      const { status } = await roster.call("/api/users", { headers: { host } });
      expect({ host, rejected: [400, 421].includes(status) }).toEqual({ host, rejected: true });
    }
    for (const host of ["localhost", "127.0.0.1:1", "[::1]", "LOCALHOST:3000"]) {
      expect([host, (await roster.call("/api/users", { headers: { host } })).status]).toEqual([host, 200]);
    }
  });

  test("is rejected with ROSTER_AUTH=off, and makes no difference when a key is required", async () => {
    const keyed = await start({ ROSTER_API_KEY: KEY });
    const headers = { ...evil, ...bearer(KEY) };
    expect((await keyed.roster.call("/api/users", { headers })).status).toBe(200);
    expect((await keyed.roster.call("/api/users", { headers: evil })).status).toBe(401);
    const off = await start({ ROSTER_AUTH: "off" });
    expect((await off.roster.call("/api/users", { headers: evil })).status).toBe(421);
    const allowed = await start({ ROSTER_AUTH: "off", ROSTER_HOSTS: evil.host });
    expect((await allowed.roster.call("/api/users", { headers: evil })).status).toBe(200);
  });
});
