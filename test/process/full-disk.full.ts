import { afterEach, describe, expect, setDefaultTimeout } from "bun:test";
import { join } from "node:path";
import { DiskFaults, requireDiskFaults } from "../support/disk-faults/disk-faults.ts";
import { type Roster, startRoster, stopAll, temporaryFolder } from "../support/process/roster.ts";

setDefaultTimeout(120_000);
afterEach(stopAll);

async function start(): Promise<{ database: string; faults: DiskFaults; roster: Roster }> {
  const folder = temporaryFolder();
  const database = join(folder, "roster.db");
  const faults = new DiskFaults(folder, database);
  const roster = await startRoster(database, { env: faults.env });
  expect((await create(roster)).status).toBe(201);
  return { database, faults, roster };
}

const create = (roster: Roster) => roster.call("/api/users", { method: "POST", json: { name: "Ada" } });

async function detail(response: Response): Promise<string> {
  expect(response.status).toBe(503);
  const problem = await response.json();
  expect(problem.type).toBe("/problems/unavailable");
  return problem.detail;
}

const reports = (roster: Roster, text: string) =>
  roster.stdout.map((line) => JSON.parse(line)).filter(({ message }) => message.includes(text));

const readMetric = async (roster: Roster, name: string) => {
  const text = await (await roster.call("/metrics")).text();
  return Number(new RegExp(`^${name} (.*)$`, "m").exec(text)?.[1]);
};

describe("a full disk", () => {
  requireDiskFaults.test(
    "makes writes 503 and the service not ready, is logged once, and the service recovers without a write",
    async () => {
      const { database, faults, roster } = await start();
      faults.begin("a full disk", 100);
      for (let i = 0; i < 5; i++) {
        expect(await detail(await create(roster))).toContain("The disk of the database is full.");
      }
      expect(await detail(await roster.call("/readyz"))).toBe(
        "Writes fail: the disk of the database is full. Reads work.",
      );
      // The service tries to write, and finds that the disk is still full.
      const { failed } = faults;
      await roster.until(() => faults.failed > failed);
      expect((await roster.call("/readyz")).status).toBe(503);
      expect((await roster.call("/api/users/1")).status).toBe(200);
      expect((await roster.call("/api/users?q=ada")).status).toBe(200);
      expect(await readMetric(roster, "roster_database_up")).toBe(0);
      const [line, ...more] = reports(roster, "its disk is full");
      expect(line).toMatchObject({ level: "error", database });
      expect(line.cause).toContain("SQLITE_FULL");
      expect(more).toEqual([]);

      faults.end();
      await roster.until(async () => (await roster.call("/readyz")).status === 200);
      expect(reports(roster, "work again")).toHaveLength(1);
      expect((await create(roster)).status).toBe(201);
      expect(await readMetric(roster, "roster_database_up")).toBe(1);
      expect(reports(roster, "its disk is full")).toHaveLength(1);
      faults.close();
    },
  );
});

describe("a failed fsync", () => {
  requireDiskFaults.test("makes a write 503 that may or may not have been committed", async () => {
    const { faults, roster } = await start();
    faults.begin("failed flushes", 100);
    for (const request of [
      create(roster),
      roster.call("/api/users/1", { method: "PATCH", json: { name: "Grace" } }),
      roster.call("/api/keys", { method: "POST", json: { name: "key", scopes: ["users:read"] } }),
    ]) {
      expect(await detail(await request)).toContain("The write may or may not have been committed.");
    }
    expect(await detail(await roster.call("/readyz"))).toContain("Writes fail");
    faults.end();
    await roster.until(async () => (await roster.call("/readyz")).status === 200);
    expect((await create(roster)).status).toBe(201);
    expect(reports(roster, "check its disk")).toHaveLength(1);
    expect(reports(roster, "work again")).toHaveLength(1);
    faults.close();
  });
});
