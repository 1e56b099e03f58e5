import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { bulkLimits } from "../../src/contract/bulk/bulk.ts";
import { CSV, NDJSON, parseLines, SlowImport, toNdjson } from "../support/bulk-requests.ts";
import type { TestRequest } from "../support/call.ts";
import { importLines, importWithRetries } from "../support/process/bulk-import.ts";
import { RawConnection } from "../support/process/connection.ts";
import { type Roster, startRoster, stopAll, temporaryFolder } from "../support/process/roster.ts";

setDefaultTimeout(120_000);
afterAll(stopAll);

const MIB = 1_048_576;
/** 50 MB: far more than socket buffers hold. */
const USERS = 12_000;
const NOTE = "x".repeat(4000);

let roster: Roster;
beforeAll(async () => {
  roster = await startRoster(join(temporaryFolder(), "roster.db"));
  await importWithRetries(
    roster,
    toNdjson(importLines("large", USERS).map((line) => ({ ...line, note: NOTE }))),
    "large",
  );
}, 120_000);
beforeEach(waitUntilIdle);

const get = (accept: string, path = "/api/users/export") =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: ${accept}\r\n\r\n`;

/** Starts an export and reads nothing from it. */
async function startUnreadExport(accept = NDJSON): Promise<RawConnection> {
  const connection = await RawConnection.open(roster.port);
  connection.stopReading();
  connection.write(get(accept));
  return connection;
}

/** CPU time so far, in milliseconds. */
function cpuMs(): number {
  const stat = readFileSync(`/proc/${roster.pid}/stat`, "utf8");
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13)
    .map(Number);
  return (user + system) * 10;
}

function memory(): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${roster.pid}/status`, "utf8"))?.[1]) * 1024;
}

/** Waits until the service is idle. */
async function waitUntilIdle(): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const before = cpuMs();
    await Bun.sleep(200);
    if (cpuMs() - before <= 20) return;
  }
  throw new Error("The service is still busy.");
}

const status = async (request: TestRequest = {}, path = "/api/users") => {
  const response = await roster.call(path, request);
  await response.body?.cancel();
  return response.status;
};

describe("a caller that disconnects", () => {
  test.each([NDJSON, CSV])("during an export as %s stops the work", async (accept) => {
    const connections = await Promise.all(
      Array.from({ length: bulkLimits.streamsPerCaller }, () => startUnreadExport(accept)),
    );
    await Bun.sleep(50);
    for (const connection of connections) connection.close();
    const begin = cpuMs();
    await waitUntilIdle();
    // Completing all exports would take more than ten seconds.
    expect(cpuMs() - begin).toBeLessThan(1200);
  });

  test("while the columns of a CSV export are collected stops the work too", async () => {
    const exports = Array.from({ length: bulkLimits.streamsPerCaller }, async () => {
      const connection = await RawConnection.open(roster.port);
      connection.write(get(CSV));
      connection.close();
    });
    await Promise.all(exports);
    const begin = cpuMs();
    await waitUntilIdle();
    expect(cpuMs() - begin).toBeLessThan(1200);
  });

  test("during an import stops it after the rows that were read, and leaves nothing behind", async () => {
    const body = toNdjson(importLines("left", 2000));
    const imports = Array.from({ length: bulkLimits.streamsPerCaller }, async (_, index) => {
      const slow = await SlowImport.open(roster.url, NDJSON);
      slow.send(body.replaceAll("left", `left${index}`));
      if (index % 2 === 0) await slow.waitUntil(() => slow.lines.length > 0);
      slow.disconnect();
    });
    await Promise.all(imports);
    await waitUntilIdle();
    expect(await status({}, "/api/users/export?file=left1")).toBe(200);
    expect(roster.stderr).toEqual([]);
    expect(roster.stdout.filter((line) => line.includes('"error"'))).toEqual([]);
  });

  test("repeatedly does not use up streams: the full number still runs, and not one more", async () => {
    for (let round = 0; round < 3; round++) {
      const some = Array.from({ length: bulkLimits.streamsPerCaller }, async (_, index) => {
        const connection = await startUnreadExport(index % 2 === 0 ? NDJSON : CSV);
        await Bun.sleep(Math.random() * 60);
        connection.close();
      });
      await Promise.all(some);
    }
    await waitUntilIdle();
    await expectStreamLimit(bulkLimits.streamsPerCaller);
  });
});

/** Expects that this many exports run at once and that one more is rejected. */
async function expectStreamLimit(limit: number): Promise<void> {
  const connections = await Promise.all(Array.from({ length: limit }, () => startUnreadExport()));
  for (let tries = 0; (await status({}, "/api/users/export")) !== 503; tries++) {
    if (tries > 20) throw new Error(`More than ${limit} exports run.`);
    await Bun.sleep(100);
  }
  const rejected = await roster.call("/api/users/export", { headers: { accept: CSV } });
  expect([rejected.status, rejected.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(await rejected.json()).toMatchObject({ type: "/problems/unavailable" });
  const imports = { method: "POST", body: "{}", headers: { "content-type": NDJSON } };
  expect(await status(imports, "/api/users/import")).toBe(503);
  // Other requests still work.
  expect(await status({}, "/api/users/1")).toBe(200);
  expect(await status({}, "/api/users?limit=1000")).toBe(200);
  connections.pop()?.close();
  for (let tries = 0; (await status(imports, "/api/users/import")) !== 200; tries++) {
    if (tries > 50) throw new Error("A closed export still counts.");
    await Bun.sleep(100);
  }
  for (const connection of connections) connection.close();
  await waitUntilIdle();
}

test("an unread export uses a few megabytes of memory at most", async () => {
  const before = memory();
  const connections = await Promise.all(
    Array.from({ length: bulkLimits.streamsPerCaller }, () => startUnreadExport()),
  );
  await waitUntilIdle();
  // Complete exports would take over a gigabyte.
  expect(memory() - before).toBeLessThan(20 * 12 * MIB);
  for (const connection of connections) connection.close();
});

test("a caller that sends 100,000 lines before reading gets its response, and other requests are served", async () => {
  const lines = 100_000;
  const body = toNdjson(Array.from({ length: lines }, (_, index) => ({ name: `Sent ${index}` })));
  const connection = await RawConnection.open(roster.port);
  connection.stopReading();
  const head = `POST /api/users/import HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${NDJSON}\r\nContent-Length: ${body.length}\r\n\r\n`;
  const times: number[] = [];
  let sent = false;
  const otherRequests = (async () => {
    while (!sent) {
      const begin = performance.now();
      expect(await status({}, "/api/users/1")).toBe(200);
      times.push(performance.now() - begin);
      await Bun.sleep(10);
    }
  })();
  await connection.writeAll(head + body);
  sent = true;
  await otherRequests;
  connection.resumeReading();
  await connection.until(`{"line":${lines},`);
  const reported = parseLines((connection.received.match(/^\{"line":.*\n/gm) ?? []).join(""));
  expect(reported).toHaveLength(lines);
  expect(reported.every((line, index) => line.line === index + 1 && line.status === 201)).toBe(true);
  times.sort((a, b) => a - b);
  expect(times[times.length >> 1]).toBeLessThan(100);
  expect(times.at(-1)).toBeLessThan(2000);
  connection.close();
});
