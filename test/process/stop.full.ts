import { Database } from "bun:sqlite";
import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, statSync } from "node:fs";
import { listAllUsers } from "../support/consistency/list-checks.ts";
import { RawConnection } from "../support/process/connection.ts";
import { type Roster, startRoster, stopAll } from "../support/process/roster.ts";
import {
  openIdleConnections,
  slowCreates,
  startToStop,
  stopWhileLocked,
  stopWithQueuedWrites,
} from "./support/stopping.ts";

setDefaultTimeout(120_000);
afterEach(stopAll);

const ended = { code: 0, signal: null };

async function namesIn(database: string): Promise<string[]> {
  const { users } = await listAllUsers(await startRoster(database));
  return users.map(({ name }) => name);
}

async function isConnectionRefused({ port }: Roster): Promise<boolean> {
  try {
    (await RawConnection.open(port)).close();
    return false;
  } catch (error) {
    expect(`${error}`).toContain("ECONNREFUSED");
    return true;
  }
}

describe.each(["SIGTERM", "SIGINT"] as const)("%s", (signal) => {
  test("exits with code 0 and keeps all data", async () => {
    const { roster, database } = await startToStop();
    const creates = Array.from({ length: 50 }, (_, i) =>
      roster.call("/api/users", { method: "POST", json: { name: `User ${i}` } }),
    );
    expect((await Promise.all(creates)).every(({ status }) => status === 201)).toBe(true);
    await roster.call("/api/users?q=user");
    roster.kill(signal);
    expect(await roster.exited).toEqual(ended);
    expect(roster.stderr).toEqual([]);
    expect(roster.stdout.map((line) => JSON.parse(line).message).slice(1)).toEqual(["stopping", "stopped"]);
    expect((await namesIn(database)).length).toBe(50);
  });

  test("finishes running requests and accepts no new connections", async () => {
    const { roster, database } = await startToStop();
    const [slow] = await slowCreates(roster, 1);
    roster.kill(signal);
    await roster.until(() => isConnectionRefused(roster));
    expect(slow?.connection.received).toBe("");
    await slow?.finish();
    expect(await roster.exited).toEqual(ended);
    expect(await namesIn(database)).toEqual(["Slow and steady"]);
  });
});

describe("stopping", () => {
  test("leaves no write-ahead log: the file alone is the database", async () => {
    for (let i = 0; i < 5; i++) {
      const { roster, database } = await startToStop();
      expect((await roster.call("/api/users", { method: "POST", json: { name: "Ada" } })).status).toBe(201);
      await roster.call("/api/users?q=ada");
      roster.kill("SIGTERM");
      expect(await roster.exited).toEqual(ended);
      const log = `${database}-wal`;
      expect(existsSync(log) ? statSync(log).size : 0).toBe(0);
    }
  });

  test("does not wait for idle keep-alive connections", async () => {
    const { roster } = await startToStop();
    const [silent, ...idle] = await openIdleConnections(roster);
    roster.kill("SIGTERM");
    expect(await roster.exited).toEqual(ended);
    await Promise.all(idle.map(({ closed }) => closed));
    silent?.close();
  });

  test("aborts a request that never ends after the grace period", async () => {
    const { roster } = await startToStop(["--shutdown-grace=1"]);
    const [slow] = await slowCreates(roster, 1);
    roster.kill("SIGTERM");
    expect(await roster.exited).toEqual(ended);
    await slow?.connection.closed;
    expect(slow?.connection.received).toBe("");
  });

  test("ignores further signals while requests are running", async () => {
    const { roster, database } = await startToStop();
    const creates = await slowCreates(roster, 3);
    for (const signal of ["SIGTERM", "SIGTERM", "SIGINT"] as const) {
      roster.kill(signal);
      await roster.until(() => roster.stdout.some((line) => line.includes("stopping")));
      // A response shows that the service still runs after the signal.
      await creates.pop()?.finish();
    }
    expect(await roster.exited).toEqual(ended);
    expect(roster.stderr).toEqual([]);
    expect(roster.stdout.filter((line) => line.includes("stopping"))).toHaveLength(1);
    expect(await namesIn(database)).toEqual(Array.from({ length: 3 }, () => "Slow and steady"));
  });

  test("commits queued writes and responds to them", async () => {
    const { roster, database } = await startToStop([
      "--commit-batch=10",
      "--database-wait=60000",
      "--shutdown-grace=60",
    ]);
    await stopWithQueuedWrites(roster, database);
    expect(await roster.exited).toEqual(ended);
    expect((await namesIn(database)).length).toBe(100);
  });

  test("exits even if another program locks the database", async () => {
    const { roster, database } = await startToStop(["--database-wait=500", "--shutdown-grace=10"]);
    const { release } = await stopWhileLocked(roster, database);
    expect(await roster.exited).toEqual(ended);
    expect(roster.stderr).toEqual([]);
    release();
    expect(await namesIn(database)).toEqual([]);
  });

  test("does not wait for a program that reads the log all the time", async () => {
    const { roster, database } = await startToStop(["--database-wait=600000", "--shutdown-grace=60"]);
    await roster.call("/api/users", { method: "POST", json: { name: "Ada" } });
    const reader = new Database(database);
    reader.run("BEGIN");
    expect(reader.query("SELECT count(*) FROM users").values()).toEqual([[1]]);
    roster.kill("SIGTERM");
    expect(await roster.exited).toEqual(ended);
    reader.close();
    expect(await namesIn(database)).toEqual(["Ada"]);
  });

  test("responds to every completed write: a write without a response was not done", async () => {
    const { roster, database } = await startToStop();
    const acknowledged: string[] = [];
    const caller = async (name: string) => {
      for (let i = 0; ; i++) {
        const response = await roster
          .call("/api/users", { method: "POST", json: { name: `${name} ${i}` } })
          .catch(() => undefined);
        if (response?.status !== 201) return;
        acknowledged.push(`${name} ${i}`);
      }
    };
    const callers = Array.from({ length: 16 }, (_, i) => caller(`Caller ${i}`));
    await roster.until(() => acknowledged.length > 50);
    roster.kill("SIGTERM");
    expect(await roster.exited).toEqual(ended);
    await Promise.all(callers);
    expect((await namesIn(database)).sort()).toEqual(acknowledged.sort());
  });
});
