import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { stopAll } from "../support/process/roster.ts";
import {
  openIdleConnections,
  slowCreates,
  startToStop,
  stopWhileLocked,
  stopWithQueuedWrites,
  timeToExit,
} from "./support/stopping.ts";

setDefaultTimeout(120_000);
afterEach(stopAll);

describe("the service exits within three seconds", () => {
  test.each(["SIGTERM", "SIGINT"] as const)("of %s", async (signal) => {
    const { roster } = await startToStop();
    const creates = Array.from({ length: 50 }, (_, i) =>
      roster.call("/api/users", { method: "POST", json: { name: `User ${i}` } }),
    );
    await Promise.all(creates);
    await roster.call("/api/users?q=user");
    roster.kill(signal);
    expect(await timeToExit(roster)).toBeLessThan(3000);
  });

  test.each(["SIGTERM", "SIGINT"] as const)("of its last response after %s", async (signal) => {
    const { roster } = await startToStop();
    const [slow] = await slowCreates(roster, 1);
    roster.kill(signal);
    await roster.until(() => roster.stdout.some((line) => line.includes("stopping")));
    await slow?.finish();
    expect(await timeToExit(roster)).toBeLessThan(3000);
  });

  test("of its last response after several signals", async () => {
    const { roster } = await startToStop();
    const [slow] = await slowCreates(roster, 1);
    for (const signal of ["SIGTERM", "SIGTERM", "SIGINT"] as const) roster.kill(signal);
    await roster.until(() => roster.stdout.some((line) => line.includes("stopping")));
    await slow?.finish();
    expect(await timeToExit(roster)).toBeLessThan(3000);
  });

  test("with idle keep-alive connections", async () => {
    const { roster } = await startToStop();
    const idle = await openIdleConnections(roster);
    roster.kill("SIGTERM");
    expect(await timeToExit(roster)).toBeLessThan(3000);
    for (const connection of idle) connection.close();
  });

  test("of the last commit", async () => {
    const flags = ["--commit-batch=10", "--database-wait=60000", "--shutdown-grace=60"];
    const { roster, database } = await startToStop(flags);
    await stopWithQueuedWrites(roster, database);
    expect(await timeToExit(roster)).toBeLessThan(3000);
  });
});

test("the service exits within four seconds of the last response if another program locks the database", async () => {
  const { roster, database } = await startToStop(["--database-wait=500", "--shutdown-grace=10"]);
  const { release } = await stopWhileLocked(roster, database);
  expect(await timeToExit(roster)).toBeLessThan(4000);
  release();
});

test("a request that never ends is aborted after the grace period", async () => {
  const { roster } = await startToStop(["--shutdown-grace=1"]);
  await slowCreates(roster, 1);
  roster.kill("SIGTERM");
  const ms = await timeToExit(roster);
  expect(ms).toBeGreaterThan(800);
  expect(ms).toBeLessThan(4000);
});

test("the shutdown delay passes before the service exits", async () => {
  const { roster } = await startToStop(["--shutdown-delay=4"]);
  roster.kill("SIGTERM");
  expect(await timeToExit(roster)).toBeGreaterThan(3950);
});
