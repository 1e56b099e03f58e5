import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { listAllUsers } from "../support/consistency/list-checks.ts";
import { type Roster, startRoster, stopAll, temporaryFolder } from "../support/process/roster.ts";
import { takeWriteLock } from "../support/process/write-lock.ts";
import { readGauge } from "./support/stopping.ts";

setDefaultTimeout(120_000);
afterEach(stopAll);

/** Long enough for a write on a busy machine. */
const WAIT_MS = 4000;

async function expectUnavailable(request: Promise<Response>): Promise<void> {
  const response = await request;
  expect(response.status).toBe(503);
  expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await response.json()).toMatchObject({ type: "/problems/unavailable", status: 503 });
}

const create = (roster: Roster, name: string, headers?: Record<string, string>) =>
  roster.call("/api/users", { method: "POST", json: { name }, headers });

test("while another program holds the write lock, writes get 503 and reads work; afterwards everything works", async () => {
  const database = join(temporaryFolder(), "roster.db");
  const roster = await startRoster(database, { flags: [`--database-wait=${WAIT_MS}`] });
  expect((await create(roster, "Before")).status).toBe(201);

  const other = takeWriteLock(database);
  const writes = [
    create(roster, "During"),
    create(roster, "During, once", { "idempotency-key": "during" }),
    roster.call("/api/users/1", { method: "PATCH", json: { name: "Changed" } }),
    roster.call("/api/users/1", { method: "DELETE" }),
  ].map(expectUnavailable);
  for (const path of [
    "/api/users/1",
    "/api/users",
    "/api/users?q=before",
    "/api/users?count=true",
    "/readyz",
  ]) {
    expect((await roster.call(path)).status).toBe(200);
  }
  await Promise.all(writes);
  await expectUnavailable(create(roster, "Still during"));
  other.run("ROLLBACK");
  other.close();

  const again = await create(roster, "During, once", { "idempotency-key": "during" });
  expect(again.status).toBe(201);
  expect((await create(roster, "After")).status).toBe(201);
  const { users } = await listAllUsers(roster);
  expect(users.map(({ name }) => name)).toEqual(["Before", "During, once", "After"]);
});

test("a lock that is released in time only delays a write", async () => {
  const database = join(temporaryFolder(), "roster.db");
  const roster = await startRoster(database, { flags: ["--database-wait=60000"] });
  const other = takeWriteLock(database);
  const pending = create(roster, "Patient");
  await roster.until(async () => (await readGauge(roster, "roster_write_queue_depth")) === 1);
  other.run("COMMIT");
  other.close();
  expect((await pending).status).toBe(201);
});

test("writes beyond the queue limit are rejected before the queued ones are done", async () => {
  const database = join(temporaryFolder(), "roster.db");
  const flags = ["--database-wait=60000", "--write-queue=5", "--commit-batch=1"];
  const roster = await startRoster(database, { flags });
  const other = takeWriteLock(database);
  const writes: Promise<Response>[] = [];
  let rejected = 0;
  await roster.until(() => {
    const write = create(roster, "Fills the queue");
    writes.push(write);
    void write.then(({ status }) => {
      if (status === 503) rejected++;
    });
    return rejected >= 20;
  });
  await expectUnavailable(create(roster, "One too many"));
  const metrics = await (await roster.call("/metrics")).text();
  // One write is being committed, and five wait.
  expect(metrics).toContain("\nroster_write_queue_depth 6\n");
  expect(Number(/^roster_http_requests_in_flight (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThanOrEqual(7);
  other.run("ROLLBACK");
  other.close();
  const statuses = (await Promise.all(writes)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 201).length).toBeGreaterThanOrEqual(5);
});
