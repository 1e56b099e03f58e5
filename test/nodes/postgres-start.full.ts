import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { BreakableProxy, fatalError } from "../support/postgres/breakable-proxy.ts";
import { type Postgres, startPostgres } from "../support/postgres/server.ts";
import { type RosterOptions, runRoster, startRoster, stopAll } from "../support/process/roster.ts";

setDefaultTimeout(120_000);

const PASSWORD = "s3cret-Of-Nobody";
let server: Postgres;

/** Starts a server that requires a password from the role `locked` only. */
beforeAll(async () => {
  server = await startPostgres();
  const rules = join(server.folder, "pg_hba.conf");
  writeFileSync(rules, `host all locked 127.0.0.1/32 scram-sha-256\n${readFileSync(rules, "utf8")}`);
  const sql = new SQL(server.url(), { max: 1 });
  await sql.unsafe(`
    CREATE ROLE locked LOGIN PASSWORD '${PASSWORD}';
    CREATE ROLE guest LOGIN;
    GRANT CREATE ON DATABASE postgres TO locked;
    SELECT pg_reload_conf();
  `);
  await sql.close();
}, 120_000);
afterEach(stopAll);
afterAll(() => server.destroy(), 30_000);

const at = (userAndPassword: string, database = "postgres", port = server.port) =>
  `postgres://${userAndPassword}@127.0.0.1:${port}/${database}`;

/** Expects one line that says what to do, this exit code, no other output, and no password. */
async function expectError(code: number, url: string, ...says: string[]): Promise<void> {
  // PostgreSQL cancels statements a quarter of a second before this time is over.
  const wait = says.includes("is not reachable") ? "--database-wait=300" : "--database-wait=3000";
  const starts: [string[], RosterOptions][] = [
    [[wait, `--database=${url}`], {}],
    [[wait], { env: { DATABASE_URL: url } }],
  ];
  const runs = starts.map(([args, options]) => runRoster(["serve", "--port=0", ...args], options));
  for (const ran of await Promise.all(runs)) {
    expect(ran).toMatchObject({ code, signal: null, stdout: "" });
    expect(ran.stderr).toMatch(/^roster: [^\n]+\n$/);
    expect(ran.stderr).not.toMatch(/\bat .*:\d+\)|Error:/);
    expect(ran.stderr).not.toMatch(/s3cret|nobody/i);
    for (const text of says) expect(ran.stderr).toContain(text);
  }
}

describe("a start fails with one line that says what to do", () => {
  test("when no server listens", async () => {
    const closed = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
    const url = at(`locked:${PASSWORD}`, "postgres", closed.port);
    closed.stop(true);
    await expectError(1, url, "is not reachable", "start it, or change DATABASE_URL");
  });

  test("when the server does not respond", async () => {
    const mute = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
    await expectError(1, at(`locked:${PASSWORD}`, "postgres", mute.port), "is not reachable");
    mute.stop(true);
  });

  test("when the password is wrong or missing", async () => {
    await expectError(1, at("locked:not-the-s3cret"), "rejected the user", "password", "DATABASE_URL");
    await expectError(1, at("locked"), "rejected the user", "password", "DATABASE_URL");
  });

  test("when the role does not exist", async () => {
    await expectError(1, at(`stranger:${PASSWORD}`), "rejected the user", "DATABASE_URL");
  });

  test("when the database does not exist", async () => {
    await expectError(1, at(`locked:${PASSWORD}`, "absent"), "does not exist", "/absent", "create it");
  });

  test("when the role may not create tables", async () => {
    await expectError(1, at("guest"), "may not create tables", "GRANT CREATE ON DATABASE");
  });

  test("when the URL is invalid, with exit code 2", async () => {
    const host = `locked:${PASSWORD}@127.0.0.1`;
    for (const bad of [
      `postgres://${host}:99999/postgres`,
      `postgres://${host}/postgres?sslmode=maybe`,
      `postgres://${host}/postgres?user=locked&password=${PASSWORD}`,
      `postgres://locked:s3cret/${PASSWORD}@127.0.0.1/postgres`,
      `postgres://locked:s3cret@${PASSWORD}@127.0.0.1/postgres`,
      `postgres://${host} /postgres`,
      `postgresql:${host}`,
      `postgres:/${host}/postgres`,
    ])
      await expectError(2, bad, "is invalid");
  });
});

test("the right password works and never appears in the log", async () => {
  const roster = await startRoster(at(`locked:${PASSWORD}`));
  expect((await roster.call("/api/users", { method: "POST", json: { name: "Known" } })).status).toBe(201);
  roster.kill("SIGTERM");
  expect(await roster.exited).toEqual({ code: 0, signal: null });
  expect([...roster.stdout, ...roster.stderr].join("\n")).not.toContain(PASSWORD);
});

test("a start fails with one line that says what to do when another session locks the tables", async () => {
  const roster = await startRoster(at(`locked:${PASSWORD}`));
  roster.kill("SIGTERM");
  await roster.exited;
  const sql = new SQL(server.url(), { max: 1 });
  await sql.begin(async (session) => {
    await session.unsafe("LOCK TABLE roster.about");
    await expectError(1, at(`locked:${PASSWORD}`), "cancelled a statement", "ROSTER_DATABASE_WAIT");
  });
  await sql.close();
});

test("a node that starts before its database waits for it", async () => {
  await server.stop();
  const starting = startRoster(at(`locked:${PASSWORD}`), { flags: ["--database-wait=60000"] });
  const tried = Promise.withResolvers<void>();
  const socket = { data() {}, open: () => tried.resolve() };
  const placeholder = Bun.listen({ hostname: "127.0.0.1", port: server.port, socket });
  await Promise.race([tried.promise, starting]);
  placeholder.stop(true);
  await server.start();
  expect((await (await starting).call("/readyz")).status).toBe(200);
});

test.each(["57P01", "57P03"])(
  "a node that starts while its database restarts (%s) waits for it",
  async (code) => {
    const proxy = await BreakableProxy.start(at(`locked:${PASSWORD}`));
    let connections = 0;
    // The first connection finds the server. The next ones, of the migrations, meet a server that stops or starts.
    proxy.answer = (client, forward) => {
      if (++connections === 1 || connections > 3) forward();
      else client.once("data", () => client.end(fatalError(code)));
    };
    const roster = await startRoster(proxy.url, { flags: ["--database-wait=60000"] });
    expect(connections).toBeGreaterThan(3);
    expect((await roster.call("/api/users")).status).toBe(200);
    roster.kill("SIGTERM");
    await roster.exited;
    proxy.stop();
  },
);
