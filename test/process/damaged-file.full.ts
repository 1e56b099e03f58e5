import { Database } from "bun:sqlite";
import { afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkInSlices } from "../../src/store/sqlite/health/check-slices.ts";
import { type Roster, startRoster, stopAll, temporaryFolder } from "../support/process/roster.ts";

setDefaultTimeout(120_000);
afterEach(stopAll);

const USERS = 400;

let undamaged: Buffer;
beforeAll(async () => {
  const database = join(temporaryFolder(), "roster.db");
  const roster = await startRoster(database);
  await Promise.all(
    Array.from({ length: USERS }, (_, i) =>
      roster.call("/api/users", {
        method: "POST",
        json: {
          name: `User ${i}`,
          email: `u${i}@example.com`,
          note: "x".repeat(500),
        },
      }),
    ),
  );
  roster.kill("SIGTERM");
  await roster.exited;
  undamaged = readFileSync(database);
});

/** A copy of a file with users. */
function createDatabase(): string {
  const database = join(temporaryFolder(), "roster.db");
  writeFileSync(database, undamaged);
  return database;
}

/** Overwrites one leaf page of a table or an index, in the middle. */
function damage(database: string, name: string): void {
  const db = new Database(database);
  const pages = db
    .query<{ pageno: number }, [string]>("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf'")
    .all(name);
  db.close();
  const page = pages[Math.floor(pages.length / 2)]?.pageno;
  if (page === undefined) throw new Error(`${name} has no leaf page.`);
  const bytes = readFileSync(database);
  bytes.fill(0xee, (page - 1) * 4096, page * 4096);
  writeFileSync(database, bytes);
}

const errorLines = (roster: Roster) =>
  roster.stdout.filter((line) => JSON.parse(line).message.includes("restore a backup"));

async function expectNotReady(roster: Roster): Promise<void> {
  const response = await roster.call("/readyz");
  expect(response.status).toBe(503);
  const problem = await response.json();
  expect(problem.type).toBe("/problems/unavailable");
  expect(problem.detail).toBe("The database is damaged. Its operator must restore a backup.");
  expect(await (await roster.call("/metrics")).text()).toContain("\nroster_database_up 0\n");
}

test.each(["users", "users_by_update", "user_values", "user_search_data"])(
  "a check after the start finds a damaged page of %s, although no request needs it",
  async (name) => {
    const database = createDatabase();
    damage(database, name);
    const roster = await startRoster(database);
    await roster.until(
      () => errorLines(roster).length > 0,
      () => `a log line about ${name}`,
    );
    await expectNotReady(roster);
    expect(JSON.parse(errorLines(roster)[0] ?? "")).toMatchObject({ level: "error", database });
    expect((await roster.call("/api/users/1")).status).toBe(200);
    expect((await roster.call("/healthz")).status).toBe(200);
    expect(errorLines(roster)).toHaveLength(1);
    roster.kill("SIGTERM");
    expect(await roster.exited).toEqual({ code: 0, signal: null });
  },
);

test("requests that need a damaged page get 503, other requests work, and the log says once what to do", async () => {
  const database = createDatabase();
  damage(database, "users");
  const roster = await startRoster(database, { ready: false });
  const statuses = new Map<number, number>();
  const count = async (request: Promise<Response>) => {
    const { status } = await request;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  };
  for (let id = 1; id <= USERS; id++) await count(roster.call(`/api/users/${id}`));
  expect(statuses.get(200)).toBeGreaterThan(USERS / 2);
  expect(statuses.get(503)).toBeGreaterThan(0);
  await Promise.all(
    Array.from({ length: USERS }, (_, i) =>
      count(roster.call(`/api/users/${i + 1}`, { method: "PATCH", json: { note: "changed" } })),
    ),
  );
  for (const query of ["sort=name", "q=user", "note=changed&count=true", "limit=100&sort=-updatedAt"]) {
    await count(roster.call(`/api/users?${query}`));
  }
  expect([...statuses.keys()].sort()).toEqual([200, 503]);
  await expectNotReady(roster);
  expect(errorLines(roster)).toHaveLength(1);
});

test("a check of an undamaged file reports nothing, while callers write", async () => {
  const database = createDatabase();
  const roster = await startRoster(database);
  const reader = new Database(database);
  let id = 0;
  for (const _ of checkInSlices(reader)) {
    id = (id % USERS) + 1;
    const changed = await roster.call(`/api/users/${id}`, {
      method: "PATCH",
      json: { note: `${id}`.repeat(id) },
    });
    expect(changed.status).toBe(200);
  }
  reader.close();
  expect(id).toBeGreaterThan(10);
  expect((await roster.call("/readyz")).status).toBe(200);
  expect(roster.stdout).toHaveLength(1);
});
