import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { startPostgres } from "../support/postgres/server.ts";
import { type Roster, runRoster, startRoster, stopAll } from "../support/process/roster.ts";
import { promote, type StandbyPair, startPair, urlOf } from "./support/standby-pair.ts";

setDefaultTimeout(120_000);

let cleanups: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  cleanups = [];
});
afterEach(async () => {
  await stopAll();
  for (const clean of cleanups) await clean();
}, 120_000);

async function pairOfServers(): Promise<StandbyPair> {
  const pair = await startPair();
  cleanups.push(() => pair.destroy());
  return pair;
}

async function expectReadOnly(response: Response): Promise<void> {
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({
    type: "/problems/unavailable",
    detail: "The database server is read-only, like a standby. Try again shortly.",
  });
}

const create = (roster: Roster, name: string) =>
  roster.call("/api/users", { method: "POST", json: { name } });

test("a node on a standby is not ready, and says why in its responses, its metrics, its log and the doctor", async () => {
  const { primary, standby } = await pairOfServers();
  const first = await startRoster(primary.url());
  expect((await create(first, "Ada")).status).toBe(201);
  const url = `${standby.url()}?target_session_attrs=any`;
  const roster = await startRoster(url, { flags: ["--migrate=off"], ready: false });
  expect((await roster.call("/api/users/1")).status).toBe(200);
  await expectReadOnly(await roster.call("/readyz"));
  await expectReadOnly(await create(roster, "Grace"));
  expect(await (await roster.call("/metrics")).text()).toContain("\nroster_database_up 0\n");
  const lost = await roster.until(() => roster.stdout.find((line) => line.includes("database lost")));
  expect(JSON.parse(lost).cause).toContain("The database server is read-only");
  const doctor = await runRoster(["doctor"], { env: { DATABASE_URL: url } });
  expect(doctor.stdout).toContain("is read-only");
});

test("a node leaves a server that has become read-only, and reads what others write to the new primary", async () => {
  const { primary, standby } = await pairOfServers();
  const roster = await startRoster(urlOf(primary, standby));
  expect((await create(roster, "Before")).status).toBe(201);
  const old = new SQL(primary.url(), { max: 1 });
  cleanups.unshift(() => old.close());
  await promote(standby);
  await old.unsafe("ALTER SYSTEM SET default_transaction_read_only = on");
  await old.unsafe("SELECT pg_reload_conf()");
  const other = await startRoster(urlOf(standby));
  expect((await create(other, "After")).status).toBe(201);
  // The node sends no write that would tell it, at least for a minute: it asks by itself.
  const names = await roster.until(async () => {
    const response = await roster.call("/api/users");
    const users: { name: string }[] = response.status === 200 ? await response.json() : [];
    return users.length > 1 && users.map(({ name }) => name);
  });
  expect(names).toEqual(["Before", "After"]);
  expect((await roster.call("/readyz")).status).toBe(200);
}, 45_000);

test("a node does not read from a server that restarts as a standby", async () => {
  const server = await startPostgres();
  cleanups.push(() => server.destroy());
  const roster = await startRoster(urlOf(server));
  expect((await create(roster, "Ada")).status).toBe(201);
  expect((await roster.call("/api/users/1")).status).toBe(200);
  await server.stop();
  writeFileSync(join(server.folder, "standby.signal"), "");
  await server.start();
  for (const path of ["/api/users/1", "/api/users?q=ada", "/api/events", "/readyz"])
    await expectReadOnly(await roster.call(path));
});
