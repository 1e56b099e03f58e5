import { afterAll, afterEach, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { SQL } from "bun";
import { listAllUsers } from "../support/consistency/list-checks.ts";
import { type Postgres, startPostgres } from "../support/postgres/server.ts";
import { type Roster, startRoster, stopAll } from "../support/process/roster.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(120_000);

const WAIT_MS = 1000;
let server: Postgres;
let sql: SQL;
let roster: Roster;

beforeAll(async () => {
  server = await startPostgres();
  sql = new SQL(server.url(), { max: 1 });
}, 120_000);
beforeEach(async () => {
  roster = await startRoster(server.url(), { flags: [`--database-wait=${WAIT_MS}`] });
});
afterEach(stopAll);
afterAll(async () => {
  await sql.close();
  await server.destroy();
}, 120_000);

const WAITING = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'";

/** Naming a missing standby makes commits durable but unacknowledged. An empty name releases them. */
async function waitForStandby(name: string): Promise<void> {
  await sql.unsafe(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
  await sql`SELECT pg_reload_conf()`;
  const shown = async () => (await sql.unsafe("SHOW synchronous_standby_names").values())[0]?.[0];
  await until(async () => (await shown()) === name);
  // The checkpointer of the server applies the setting a little later.
  if (name === "") await until(async () => (await sql.unsafe(WAITING)).length === 0);
  else await Bun.sleep(500);
}

async function cutCommit(): Promise<void> {
  const cut = () => sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;
  await until(async () => (await cut()).length > 0);
}

async function expectUncertain(pending: Promise<Response>): Promise<void> {
  const response = await pending;
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(await response.text()).toMatch(/may or may not have been committed|did not respond in time/);
}

const cases = ["its connection is cut", "it takes too long"] as const;

test.each(cases)("a commit that succeeded although %s is not repeated", async (how) => {
  const create = (name: string, key: string) =>
    roster.send("POST", "/api/users", { name, how }, { "idempotency-key": key });
  const before: { id: number } = await (await create("Before", `before ${how}`)).json();
  const path = `/api/users/${before.id}`;

  const webhook = { url: "https://receiver.example/", types: ["user.*"], description: how };
  const removed: { id: number } = await (await roster.send("POST", "/api/webhooks", webhook)).json();

  const writes = [
    () => roster.send("POST", "/api/users", { name: "Plain", how }),
    () => create("Keyed", how),
    () => roster.send("PATCH", path, { changed: true }),
    () => roster.send("POST", "/api/webhooks", { ...webhook, description: `Created, ${how}` }),
    () => roster.send("DELETE", `/api/webhooks/${removed.id}`, undefined),
  ];
  for (const write of writes) {
    await waitForStandby("nobody");
    const uncertain = expectUncertain(write());
    if (how === "its connection is cut") await cutCommit();
    await uncertain;
    await waitForStandby("");
  }

  const again = await create("Keyed", how);
  expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([201, "true"]);
  const { users } = await listAllUsers(roster, `how=${encodeURIComponent(how)}`);
  expect(users.map(({ name, version }) => [name, version])).toEqual([
    ["Before", 2],
    ["Plain", 1],
    ["Keyed", 1],
  ]);
  const listed: { description: string }[] = await (
    await roster.send("GET", "/api/webhooks?limit=100", undefined)
  ).json();
  const described = listed.map(({ description }) => description).filter((text) => text.includes(how));
  expect(described).toEqual([`Created, ${how}`]);
});
