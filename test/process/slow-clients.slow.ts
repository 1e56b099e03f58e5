import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { RawConnection, requestText } from "../support/process/connection.ts";
import { type Roster, startRoster, stopAll, temporaryFolder } from "../support/process/roster.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(120_000);
afterAll(stopAll);

const IDLE_MS = 2000;
/** Bun checks for idle connections every four seconds, and a busy machine takes longer. */
const CLOSED_WITHIN = 25_000;
const MIB = 1_048_576;

async function start(): Promise<Roster> {
  const flags = [`--idle-timeout=${IDLE_MS / 1000}`];
  return startRoster(join(temporaryFolder(), "roster.db"), { flags });
}

/** Sends a byte from time to time until the service closes the connection. Returns the time this took. */
async function drip(connection: RawConnection, piece: string): Promise<number> {
  const begin = performance.now();
  const timer = setInterval(() => connection.write(piece), 200);
  const closed = await Promise.race([
    connection.closed.then(() => true),
    Bun.sleep(CLOSED_WITHIN).then(() => false),
  ]);
  clearInterval(timer);
  if (!closed) throw new Error("The service holds a connection that sends next to nothing.");
  return performance.now() - begin;
}

/** Reads and creates users beside the slow clients. No request may fail or take long. */
async function whileOthersGoOn(roster: Roster, slow: () => Promise<void>): Promise<void> {
  const times: number[] = [];
  const statuses = new Set<number>();
  let done = false;
  const otherRequests = (async () => {
    const created = await roster.call("/api/users", {
      method: "POST",
      json: { name: "Read by another caller" },
    });
    const path = created.headers.get("location") ?? "";
    while (!done) {
      const begin = performance.now();
      const read = await roster.call(path);
      const created = await roster.call("/api/users", {
        method: "POST",
        json: { name: "Created by another caller" },
      });
      await Promise.all([read.text(), created.text()]);
      times.push(performance.now() - begin);
      statuses.add(read.status).add(created.status);
      await Bun.sleep(20);
    }
  })();
  try {
    await slow();
  } finally {
    done = true;
    await otherRequests;
  }
  times.sort((a, b) => a - b);
  expect([...statuses]).toEqual([200, 201]);
  expect(times[times.length >> 1]).toBeLessThan(500);
  expect(times.at(-1)).toBeLessThan(5000);
}

function memoryOf({ pid }: Roster): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;
}

function openFilesOf({ pid }: Roster): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** The headers of a request and the first bytes of its body. */
function beginning(method: string, path: string, ...headers: string[]): string {
  const head = [`${method} ${path} HTTP/1.1`, "Host: localhost", "Content-Type: application/json"];
  return [...head, ...headers, "", ""].join("\r\n");
}

describe("a slow client holds no more than its connection", () => {
  test.concurrent("a body that arrives byte by byte gets 408 after the idle timeout, and the connection is closed", async () => {
    const roster = await start();
    const { headers } = await roster.call("/api/users", { method: "POST", json: { name: "Ada" } });
    const path = new URL(headers.get("location") ?? "").pathname;
    const sized = "Content-Length: 60000";
    const chunked = "Transfer-Encoding: chunked";
    const bodies: [head: string, piece: string][] = [
      [beginning("POST", "/api/users", sized), " "],
      [beginning("POST", "/api/users", chunked), "1\r\n \r\n"],
      [beginning("PUT", path, sized), " "],
      [beginning("PATCH", path, chunked), "1\r\n \r\n"],
      [beginning("POST", "/api/users", chunked), ""],
    ];
    await whileOthersGoOn(roster, async () => {
      const responses = bodies.map(async ([head, piece]) => {
        const connection = await RawConnection.open(roster.port);
        connection.write(head);
        const ms = await drip(connection, piece);
        expect(ms).toBeGreaterThan(IDLE_MS - 100);
        expect(connection.received).toStartWith("HTTP/1.1 408");
        expect(connection.received).toMatch(/\r\nConnection: close\r\n/i);
        const body = connection.received.slice(connection.received.indexOf("\r\n\r\n"));
        expect(JSON.parse(body)).toMatchObject({ type: "/problems/request-timeout", status: 408 });
      });
      await Promise.all(responses);
    });
    expect(await (await roster.call(path)).json()).toMatchObject({ name: "Ada", version: 1 });
    expect(roster.stderr).toEqual([]);
  });

  test.concurrent("a create that timed out does not use up its Idempotency-Key", async () => {
    const roster = await start();
    const create = () =>
      roster.call("/api/users", {
        method: "POST",
        json: { name: "Once" },
        headers: { "idempotency-key": "slow" },
      });
    const slow = await RawConnection.open(roster.port);
    slow.write(beginning("POST", "/api/users", "Idempotency-Key: slow", "Content-Length: 60000"));
    const timedOut = drip(slow, " ");
    await Bun.sleep(300);
    expect((await create()).status).toBe(409);
    await timedOut;
    expect(slow.received).toStartWith("HTTP/1.1 408");
    const created = await create();
    expect([created.status, created.headers.get("idempotency-replayed")]).toEqual([201, null]);
    expect((await create()).headers.get("idempotency-replayed")).toBe("true");
  });

  test.concurrent("any number of connections that send nothing, or headers byte by byte, are closed", async () => {
    const roster = await start();
    const before = memoryOf(roster);
    await whileOthersGoOn(roster, async () => {
      const used = await RawConnection.open(roster.port);
      used.write(requestText("GET", "/healthz"));
      await used.until("ok");
      const fresh = await RawConnection.open(roster.port);
      fresh.write("GET /api/users HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
      used.write("GET /api/users HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
      const heads = [drip(fresh, "x"), drip(used, "x")];
      const silent: RawConnection[] = [];
      while (silent.length < 2000) {
        silent.push(
          ...(await Promise.all(Array.from({ length: 100 }, () => RawConnection.open(roster.port)))),
        );
      }
      await until(
        () => openFilesOf(roster) > 2000,
        () => "The service does not take all connections.",
      );
      expect(memoryOf(roster) - before).toBeLessThan(100 * MIB);
      await Promise.all([...heads, ...silent.map((connection) => drip(connection, ""))]);
      expect(fresh.received).toBe("");
      expect(used.received.match(/HTTP\/1\.1/g)).toHaveLength(1);
    });
    await until(
      () => openFilesOf(roster) < 500,
      () => "The service holds connections that are closed.",
    );
    expect(roster.stderr).toEqual([]);
  });

  test.concurrent("an unread list holds at most one page in memory, and not for long", async () => {
    const roster = await start();
    const files = openFilesOf(roster);
    const note = "x".repeat(15_000);
    for (let i = 0; i < 600; i += 50) {
      const creates = Array.from({ length: 50 }, () =>
        roster.call("/api/users", { method: "POST", json: { name: "Large", note } }),
      );
      await Promise.all(creates);
    }
    await (await roster.call("/api/users?limit=1000")).text();
    const memory = memoryOf(roster);
    await whileOthersGoOn(roster, async () => {
      for (let i = 0; i < 80; i++) {
        const connection = await RawConnection.open(roster.port);
        connection.stopReading();
        connection.write(requestText("GET", "/api/users?limit=1000"));
      }
      await Bun.sleep(1500);
      expect(openFilesOf(roster) - files).toBeGreaterThanOrEqual(80);
      // Complete lists would take 700 MiB.
      expect(memoryOf(roster) - memory).toBeLessThan(200 * MIB);
      await until(
        () => openFilesOf(roster) - files < 40,
        () => "The service waits for those who do not read.",
      );
    });
    await until(
      () => memoryOf(roster) - memory < 100 * MIB,
      () => "The memory of the responses is not released.",
    );
    expect(roster.stderr).toEqual([]);
  });
});
