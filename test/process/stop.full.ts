import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { listAllUsers } from "../support/consistency/list-checks.ts";
import { RawConnection, requestText } from "../support/process/connection.ts";
import {
  type Roster,
  type RosterOptions,
  startRoster,
  stopAll,
  temporaryFolder,
} from "../support/process/roster.ts";
import { takeWriteLock } from "../support/process/write-lock.ts";
import { timeLimit } from "../support/time-limit.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(120_000);
afterEach(stopAll);

const ended = { code: 0, signal: null };
const post = requestText("POST", "/api/users", JSON.stringify({ name: "Slow and steady" }));

/** With a grace period that no test waits for, unless `flags` sets another. */
async function start(
  flags: RosterOptions["flags"] = ["--shutdown-grace=60"],
): Promise<{ roster: Roster; database: string }> {
  const database = join(temporaryFolder(), "roster.db");
  return { roster: await startRoster(database, { flags }), database };
}

async function namesIn(database: string): Promise<string[]> {
  const { users } = await listAllUsers(await startRoster(database));
  return users.map(({ name }) => name);
}

async function timeToExit(roster: Roster): Promise<number> {
  const begin = performance.now();
  expect(await roster.exited).toEqual(ended);
  return performance.now() - begin;
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

/** Waits until the service has read everything that was sent before. */
async function hasRead(roster: Roster): Promise<void> {
  for (let i = 0; i < 3; i++) await roster.call("/healthz");
}

/** Waits until the service has this many requests besides the one for its metrics. */
async function untilRunning(roster: Roster, count: number): Promise<void> {
  await until(async () => {
    const metrics = await (await roster.call("/metrics")).text();
    return Number(/^roster_http_requests_in_flight (\d+)$/m.exec(metrics)?.[1]) > count;
  });
}

/** Starts a create and holds back the last bytes of its body. */
async function slowCreate(roster: Roster): Promise<RawConnection> {
  const connection = await RawConnection.open(roster.port);
  await connection.writeAll(post.slice(0, -5));
  await hasRead(roster);
  return connection;
}

describe.each(["SIGTERM", "SIGINT"] as const)("%s", (signal) => {
  test("exits with code 0 and keeps all data", async () => {
    const { roster, database } = await start();
    const creates = Array.from({ length: 50 }, (_, i) =>
      roster.send("POST", "/api/users", { name: `User ${i}` }),
    );
    expect((await Promise.all(creates)).every(({ status }) => status === 201)).toBe(true);
    await roster.call("/api/users?q=user");
    roster.kill(signal);
    expect(await timeToExit(roster)).toBeLessThan(timeLimit(3000));
    expect(roster.stderr).toEqual([]);
    expect(roster.stdout.map((line) => JSON.parse(line).message).slice(1)).toEqual(["stopping", "stopped"]);
    expect((await namesIn(database)).length).toBe(50);
  });

  test("finishes running requests and accepts no new connections", async () => {
    const { roster, database } = await start();
    const slow = await slowCreate(roster);
    roster.kill(signal);
    await until(() => isConnectionRefused(roster));
    expect(slow.received).toBe("");
    slow.write(post.slice(-5));
    await slow.closed;
    expect(slow.received).toStartWith("HTTP/1.1 201");
    expect(await timeToExit(roster)).toBeLessThan(timeLimit(3000));
    expect(await namesIn(database)).toEqual(["Slow and steady"]);
  });
});

describe("stopping", () => {
  test("leaves no write-ahead log: the file alone is the database", async () => {
    for (let i = 0; i < 5; i++) {
      const { roster, database } = await start();
      expect((await roster.send("POST", "/api/users", { name: "Ada" })).status).toBe(201);
      await roster.call("/api/users?q=ada");
      roster.kill("SIGTERM");
      expect(await roster.exited).toEqual(ended);
      const log = `${database}-wal`;
      expect(existsSync(log) ? statSync(log).size : 0).toBe(0);
    }
  });

  test("does not wait for idle keep-alive connections", async () => {
    const { roster } = await start();
    const silent = await RawConnection.open(roster.port);
    const idle = await Promise.all(Array.from({ length: 5 }, () => RawConnection.open(roster.port)));
    for (const connection of idle) {
      connection.write(requestText("GET", "/api/users"));
      await connection.until("[]");
    }
    roster.kill("SIGTERM");
    expect(await timeToExit(roster)).toBeLessThan(timeLimit(3000));
    await Promise.all(idle.map(({ closed }) => closed));
    silent.close();
  });

  test("aborts a request that never ends after the grace period", async () => {
    const { roster } = await start(["--shutdown-grace=1"]);
    const slow = await slowCreate(roster);
    roster.kill("SIGTERM");
    const ms = await timeToExit(roster);
    expect(ms).toBeGreaterThan(800);
    expect(ms).toBeLessThan(timeLimit(4000));
    await slow.closed;
    expect(slow.received).toBe("");
  });

  test("ignores further signals while requests are running", async () => {
    const { roster, database } = await start();
    const slow = await slowCreate(roster);
    for (const signal of ["SIGTERM", "SIGTERM", "SIGINT"] as const) {
      roster.kill(signal);
      await Bun.sleep(100);
    }
    slow.write(post.slice(-5));
    await slow.closed;
    expect(slow.received).toStartWith("HTTP/1.1 201");
    expect(await timeToExit(roster)).toBeLessThan(timeLimit(3000));
    expect(roster.stderr).toEqual([]);
    expect(await namesIn(database)).toEqual(["Slow and steady"]);
  });

  test("commits queued writes and responds to them", async () => {
    const { roster, database } = await start([
      "--commit-batch=10",
      "--database-wait=60000",
      "--shutdown-grace=60",
    ]);
    const other = takeWriteLock(database);
    const creates = Array.from({ length: 100 }, (_, i) =>
      roster.send("POST", "/api/users", { name: `Queued ${i}` }),
    );
    await untilRunning(roster, 100);
    roster.kill("SIGTERM");
    await until(() => roster.stdout.some((line) => line.includes("stopping")));
    other.run("ROLLBACK");
    other.close();
    const statuses = (await Promise.all(creates)).map(({ status }) => status);
    expect(statuses).toEqual(Array.from({ length: 100 }, () => 201));
    expect(await timeToExit(roster)).toBeLessThan(timeLimit(3000));
    expect((await namesIn(database)).length).toBe(100);
  });

  test("exits in time even if another program locks the database", async () => {
    const { roster, database } = await start(["--database-wait=500", "--shutdown-grace=10"]);
    const other = takeWriteLock(database);
    const create = roster.send("POST", "/api/users", { name: "Late" });
    await Bun.sleep(200);
    await hasRead(roster);
    roster.kill("SIGTERM");
    expect((await create).status).toBe(503);
    expect(await timeToExit(roster)).toBeLessThan(timeLimit(4000));
    expect(roster.stderr).toEqual([]);
    other.run("ROLLBACK");
    other.close();
    expect(await namesIn(database)).toEqual([]);
  });

  test("responds to every completed write: a write without a response was not done", async () => {
    const { roster, database } = await start();
    const acknowledged: string[] = [];
    const caller = async (name: string) => {
      for (let i = 0; ; i++) {
        const response = await roster
          .send("POST", "/api/users", { name: `${name} ${i}` })
          .catch(() => undefined);
        if (response?.status !== 201) return;
        acknowledged.push(`${name} ${i}`);
      }
    };
    const callers = Array.from({ length: 16 }, (_, i) => caller(`Caller ${i}`));
    await until(() => acknowledged.length > 50);
    roster.kill("SIGTERM");
    expect(await roster.exited).toEqual(ended);
    await Promise.all(callers);
    expect((await namesIn(database)).sort()).toEqual(acknowledged.sort());
  });
});
