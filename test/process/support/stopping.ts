import { expect } from "bun:test";
import { join } from "node:path";
import { RawConnection, requestText } from "../../support/process/connection.ts";
import {
  type Roster,
  type RosterOptions,
  startRoster,
  temporaryFolder,
} from "../../support/process/roster.ts";
import { takeWriteLock } from "../../support/process/write-lock.ts";

const ended = { code: 0, signal: null };
const post = requestText("POST", "/api/users", JSON.stringify({ name: "Slow and steady" }));

/** Starts a service, with a grace period that no test waits for, unless `flags` sets another. */
export async function startToStop(
  flags: RosterOptions["flags"] = ["--shutdown-grace=60"],
): Promise<{ roster: Roster; database: string }> {
  const database = join(temporaryFolder(), "roster.db");
  return { roster: await startRoster(database, { flags }), database };
}

/** Expects that the process exits with code 0. Returns the milliseconds that it took. */
export async function timeToExit(roster: Roster): Promise<number> {
  const begin = performance.now();
  expect(await roster.exited).toEqual(ended);
  return performance.now() - begin;
}

/** Waits until the service has this many requests besides the one for its metrics. */
async function untilRunning(roster: Roster, count: number): Promise<void> {
  await roster.until(async () => (await readGauge(roster, "roster_http_requests_in_flight")) > count);
}

/** A value of /metrics without labels. */
export async function readGauge(roster: Roster, name: string): Promise<number> {
  const metrics = await (await roster.call("/metrics")).text();
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(metrics)?.[1]);
}

/** A create whose last bytes are held back until `finish`. */
export interface SlowCreate {
  readonly connection: RawConnection;
  finish(): Promise<void>;
}

/** Starts creates that run until they are finished. */
export async function slowCreates(roster: Roster, count: number): Promise<SlowCreate[]> {
  const creates = Array.from({ length: count }, async () => {
    const connection = await RawConnection.open(roster.port);
    await connection.writeAll(post.slice(0, -5));
    const finish = async () => {
      connection.write(post.slice(-5));
      await connection.until("HTTP/1.1 201");
    };
    return { connection, finish };
  });
  const started = await Promise.all(creates);
  await untilRunning(roster, count);
  return started;
}

/** Opens connections that have sent a request, and one that has sent nothing. */
export async function openIdleConnections(roster: Roster): Promise<RawConnection[]> {
  const connections = await Promise.all(Array.from({ length: 6 }, () => RawConnection.open(roster.port)));
  for (const connection of connections.slice(1)) {
    connection.write(requestText("GET", "/api/users"));
    await connection.until("[]");
  }
  return connections;
}

/** Stops the service while another program's lock delays a hundred creates, and then releases the lock. */
export async function stopWithQueuedWrites(roster: Roster, database: string): Promise<void> {
  const other = takeWriteLock(database);
  const creates = Array.from({ length: 100 }, (_, i) =>
    roster.call("/api/users", { method: "POST", json: { name: `Queued ${i}` } }),
  );
  await untilRunning(roster, 100);
  roster.kill("SIGTERM");
  await roster.until(() => roster.stdout.some((line) => line.includes("stopping")));
  other.run("ROLLBACK");
  other.close();
  const statuses = (await Promise.all(creates)).map(({ status }) => status);
  expect(statuses).toEqual(Array.from({ length: 100 }, () => 201));
}

/** Stops the service while a create waits for another program's lock, which stays until `release`. */
export async function stopWhileLocked(roster: Roster, database: string): Promise<{ release(): void }> {
  const other = takeWriteLock(database);
  const create = roster.call("/api/users", { method: "POST", json: { name: "Late" } });
  await roster.until(async () => (await readGauge(roster, "roster_write_queue_depth")) === 1);
  roster.kill("SIGTERM");
  expect((await create).status).toBe(503);
  return {
    release() {
      other.run("ROLLBACK");
      other.close();
    },
  };
}
