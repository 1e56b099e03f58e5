import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { databaseOn, onEachEngine } from "../support/engines.ts";
import { type FreshDatabase, pooler } from "../support/postgres/fresh-database.ts";
import { type Roster, startRoster, stopAll } from "../support/process/roster.ts";
import {
  create,
  expectAdmitted,
  FLOOD_CALLERS,
  fillUntilRejected,
  flood,
  holdWrites,
  rejectCreates,
  rejectEveryKind,
  statusOf,
} from "./support/overload.ts";

setDefaultTimeout(120_000);

/** The meaning of "at once". Waiting for the database would take longer. */
const AT_ONCE_MS = 1000;
const MOST = 8;
const FLOOD_MS = 3000;
const FLOOD_SLACK_MS = 1500;
const FLOOD_WAIT_MS = 3000;
const LOCK_WAIT_MS = 2000;

async function elapsedMs(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

onEachEngine((engine) => {
  const databases: FreshDatabase[] = [];
  afterEach(async () => {
    await stopAll();
    for (const database of databases.splice(0)) await database.drop();
  });

  async function start(...flags: string[]): Promise<{ roster: Roster; url: string }> {
    const database = await databaseOn(engine);
    databases.push(database);
    const all = [`--database-pooler=${pooler}`, "--database-wait=60000", ...flags];
    return { roster: await startRoster(database.url, { flags: all }), url: database.url };
  }

  test("with more concurrent requests than allowed, the rest get 503 at once", async () => {
    const { roster, url } = await start(`--concurrency=${MOST}`);
    const release = await holdWrites(engine, url);
    const writes = await fillUntilRejected(roster, MOST);
    expect(await rejectEveryKind(roster)).toBeLessThan(AT_ONCE_MS);
    await release();
    await expectAdmitted(MOST, writes);
  });

  test("with more writes than the queue holds, the rest get 503 at once", async () => {
    const { roster, url } = await start("--write-queue=5", "--commit-batch=1");
    const release = await holdWrites(engine, url);
    const writes = await fillUntilRejected(roster, 6);
    expect(await rejectCreates(roster)).toBeLessThan(AT_ONCE_MS);
    await release();
    await expectAdmitted(6, writes);
  });

  test("under a flood of creates and searches, every response comes in time, and most creates succeed", async () => {
    const { roster } = await start(`--database-wait=${FLOOD_WAIT_MS}`);
    const end = performance.now() + FLOOD_MS;
    const measured = await flood(roster, () => performance.now() > end);
    if (process.env.LIMITS_FIGURES) console.log({ engine, ...measured });
    expect(measured.slowestMs).toBeLessThan(FLOOD_WAIT_MS + FLOOD_SLACK_MS);
    expect(measured.slowestHealthMs).toBeLessThan(FLOOD_SLACK_MS);
    expect(measured.acknowledged).toBeGreaterThan(FLOOD_CALLERS);
  });

  test("while another program holds the write lock, writes get 503 soon after --database-wait, and reads do not wait", async () => {
    const { roster, url } = await start(`--database-wait=${LOCK_WAIT_MS}`);
    expect(await statusOf(create(roster, "Before"))).toBe(201);
    const release = await holdWrites(engine, url);
    const writes = elapsedMs(async () => {
      const requests = [
        create(roster, "During"),
        roster.call("/api/users/1", { method: "PATCH", json: { name: "Changed" } }),
        roster.call("/api/users/1", { method: "DELETE" }),
      ];
      expect(await Promise.all(requests.map(statusOf))).toEqual([503, 503, 503]);
    });
    for (const path of [
      "/api/users/1",
      "/api/users",
      "/api/users?q=before",
      "/api/users?count=true",
      "/readyz",
    ])
      expect(await elapsedMs(async () => expect(await statusOf(roster.call(path))).toBe(200))).toBeLessThan(
        1000,
      );
    expect(await writes).toBeLessThan(LOCK_WAIT_MS + 1200);
    await release();
  });
});
