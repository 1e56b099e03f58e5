import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { SQL } from "bun";
import { listAllUsers } from "../support/consistency/list-checks.ts";
import { type Postgres, startPostgres } from "../support/postgres/server.ts";
import { type Roster, startRoster, stopAll } from "../support/process/roster.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(120_000);

let server: Postgres;
let sql: SQL;
/** Writes to a table of its own, to find out whether commits wait for a standby. */
let probe: SQL;

beforeAll(async () => {
  server = await startPostgres();
  sql = new SQL(server.url(), { max: 1 });
  probe = new SQL(server.url(), { max: 1 });
  await probe`CREATE TABLE public.probe (id integer)`;
}, 120_000);
afterEach(async () => {
  await stopAll();
  await waitForStandby("");
});
afterAll(async () => {
  await sql.close();
  await probe.close();
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
  else await until(doesCommitWait);
}

/** Commits a row, and ends the commit if it waits for a standby. */
async function doesCommitWait(): Promise<boolean> {
  let isCommitted = false;
  const committing = probe`INSERT INTO public.probe VALUES (1)`.then(() => {
    isCommitted = true;
  });
  const isWaiting = await until(async () => {
    const waiting = await sql.unsafe(WAITING);
    return waiting.length > 0 ? "yes" : isCommitted && "no";
  });
  for (const { pid } of await sql.unsafe(WAITING)) await sql`SELECT pg_cancel_backend(${pid})`;
  await committing;
  return isWaiting === "yes";
}

/** Cuts all connections with a commit that waits for a standby, until the response arrives. */
async function cutCommits(pending: Promise<Response>): Promise<void> {
  let hasResponse = false;
  const responded = pending.finally(() => {
    hasResponse = true;
  });
  await until(async () => {
    await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;
    return hasResponse;
  });
  await responded;
}

/** Whether the caller does not know if its write was made. On a busy machine, there may be no time to send the COMMIT. */
async function isUncertain(response: Response): Promise<boolean> {
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
  return (await response.text()).includes("may or may not have been committed");
}

const cases = [
  ["its connection is cut", 60_000],
  ["it takes too long", 500],
] as const;

test.each(cases)("a commit that succeeded although %s is not repeated", async (how, waitMs) => {
  const start = (ms: number) => startRoster(server.url(), { flags: [`--database-wait=${ms}`] });
  const create = (node: Roster, name: string, key: string) =>
    node.call("/api/users", { method: "POST", json: { name, how }, headers: { "idempotency-key": key } });
  const patient = await start(60_000);
  const before: { id: number } = await (await create(patient, "Before", `before ${how}`)).json();
  const path = `/api/users/${before.id}`;

  // Not active: a node that leases a webhook would lock it.
  const webhook = { url: "https://receiver.example/", types: ["user.*"], description: how, active: false };
  const removed: { id: number } = await (
    await patient.call("/api/webhooks", { method: "POST", json: webhook })
  ).json();

  const roster = await start(waitMs);
  const writes = [
    () => roster.call("/api/users", { method: "POST", json: { name: "Plain", how } }),
    () => create(roster, "Keyed", how),
    () => roster.call(path, { method: "PATCH", json: { changed: true } }),
    () =>
      roster.call("/api/webhooks", { method: "POST", json: { ...webhook, description: `Created, ${how}` } }),
    () => roster.call(`/api/webhooks/${removed.id}`, { method: "DELETE" }),
  ];
  for (const write of writes) {
    // A node that publishes an event while there is no standby lets webhooks wait.
    await patient.call("/api/events?limit=1");
    await waitForStandby("nobody");
    await until(async () => {
      const pending = write();
      if (how === "its connection is cut") await cutCommits(pending);
      return await isUncertain(await pending);
    });
    // Cancelled, it would be visible, although a standby that is promoted does not have it.
    if (how === "it takes too long") expect(await sql.unsafe(WAITING)).not.toEqual([]);
    await waitForStandby("");
  }

  const again = await roster.until(async () => {
    const response = await create(roster, "Keyed", how);
    return response.status === 503 ? undefined : response;
  });
  expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([201, "true"]);
  const { users } = await listAllUsers(patient, `how=${encodeURIComponent(how)}`);
  expect(users.map(({ name, version }) => [name, version])).toEqual([
    ["Before", 2],
    ["Plain", 1],
    ["Keyed", 1],
  ]);
  const listed: { description: string }[] = await (await patient.call("/api/webhooks?limit=100")).json();
  const described = listed.map(({ description }) => description).filter((text) => text.includes(how));
  expect(described).toEqual([`Created, ${how}`]);
});

test("an event that waits for a standby is shown to nobody, also after the node has given up and stopped", async () => {
  const roster = await startRoster(server.url(), { flags: ["--database-wait=500"] });
  await roster.call("/api/users", { method: "POST", json: { name: "Waiting" } });
  const countEvents = async () => Number((await sql`SELECT count(*) FROM roster.events`.values())[0]?.[0]);
  await roster.call("/api/events");
  const before = await countEvents();
  await waitForStandby("nobody");
  await sql.begin(async (transaction) => {
    await transaction`SET LOCAL synchronous_commit = local`;
    await transaction`INSERT INTO roster.new_events (subject_type, subject_id, action, version, changes, record)
                      SELECT subject_type, subject_id, action, version, changes, record FROM roster.events LIMIT 1`;
  });
  // The first attempt to publish waits for the standby. Later ones wait for the first.
  for (let attempt = 0; attempt < 3; attempt++) expect((await roster.call("/api/events")).status).toBe(503);
  expect([await countEvents(), (await sql.unsafe(WAITING)).length > 0]).toEqual([before, true]);
  await stopAll();
  expect([await countEvents(), (await sql.unsafe(WAITING)).length > 0]).toEqual([before, true]);
  await waitForStandby("");
  expect(await countEvents()).toBe(before + 1);
});
