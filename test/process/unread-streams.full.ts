import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { importBody, NDJSON, toNdjson } from "../support/bulk-requests.ts";
import { bearer, createFirstKey } from "../support/credentials.ts";
import { RawConnection } from "../support/process/connection.ts";
import { type Settings, startService, type TestService } from "../support/service.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(120_000);

/** In /proc/net/tcp. */
const ESTABLISHED = "01";
/** Bun's own timeout is five seconds longer. */
const IDLE_SECONDS = 1;

let service: TestService;
let manager: string;
let isStopped = false;
const opened: RawConnection[] = [];

async function start(overrides: Settings = {}): Promise<void> {
  isStopped = false;
  service = await startService({ idleTimeout: IDLE_SECONDS, rateLimit: 0, ...overrides });
  manager = await createFirstKey(service);
}

afterEach(async () => {
  for (const connection of opened.splice(0)) connection.close();
  if (!isStopped) await service.stop();
});

async function createKey(): Promise<{ id: number; key: string }> {
  const body = { name: "reader", scopes: ["users:read", "users:write", "events:read", "schema:manage"] };
  return (await service.send("POST", "/api/keys", body, bearer(manager))).json();
}

/** More than the operating system takes for a connection whose client does not read. */
async function importMuch(): Promise<void> {
  const users = Array.from({ length: 800 }, (_, i) => ({ name: `User ${i}`, note: "x".repeat(15_000) }));
  expect((await importBody(service, NDJSON, toNdjson(users), bearer(manager))).lines).toHaveLength(800);
}

async function firstEventId(): Promise<string> {
  const [event]: { id: string }[] = await (
    await service.call("/api/events?limit=1", { headers: bearer(manager) })
  ).json();
  return event?.id ?? "";
}

function requestHead(method: string, path: string, headers: Record<string, string>): string {
  const lines = Object.entries({ host: "localhost", ...headers }).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${path} HTTP/1.1`, ...lines, "", ""].join("\r\n");
}

/** Sends a request, and reads nothing of the response. */
async function sendUnread(method: string, path: string, headers: Record<string, string>, body = "") {
  const connection = await RawConnection.open(Number(new URL(service.url).port));
  opened.push(connection);
  connection.stopReading();
  const length = body && { "content-length": String(Buffer.byteLength(body)) };
  connection.write(requestHead(method, path, { ...headers, ...length }) + body);
  return connection;
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`, { headers: bearer(manager) })).text();
  return Number(
    text
      .split("\n")
      .find((line) => line.startsWith(`${name} `))
      ?.split(" ")[1],
  );
}

/** Connections of the service that are not closed, other than those of this test's own requests. */
function countConnections(): number {
  const { port } = new URL(service.url);
  const local = `0100007F:${Number(port).toString(16).toUpperCase().padStart(4, "0")}`;
  const own = new Set(opened.map(({ localPort }) => localPort));
  const rows = readFileSync("/proc/net/tcp", "utf8").split("\n").slice(1);
  return rows.filter((row) => {
    const [, from, to = "", state] = row.trim().split(/\s+/);
    return from === local && state === ESTABLISHED && own.has(Number.parseInt(to.split(":")[1] ?? "", 16));
  }).length;
}

const untilClosed = () => until(() => countConnections() === 0);

describe("the connection of a follower that does not read is closed", () => {
  const count = 5;

  beforeEach(async () => {
    // A connection that stayed open would hold the stop of the service for an hour.
    await start({ idleTimeout: 20, shutdownGrace: 3600 });
    await importMuch();
  });

  async function follow(key: string): Promise<void> {
    const path = `/api/events?after=${await firstEventId()}`;
    for (let i = 0; i < count; i++)
      await sendUnread("GET", path, { accept: "text/event-stream", ...bearer(key) });
    // A follower that reads nothing has a batch of four events to read.
    await until(async () => (await metric("roster_followers_unread_bytes")) > count * 60_000);
    expect(countConnections()).toBe(count);
  }

  test("when its time is over", async () => {
    await follow((await createKey()).key);
    await until(async () => {
      await service.clock.advance(5000);
      return countConnections() === 0;
    });
  });

  test("when its key is revoked", async () => {
    const { id, key } = await createKey();
    await follow(key);
    using _ = service.clock.stop();
    await service.call(`/api/keys/${id}`, { method: "DELETE", headers: bearer(manager) });
    await service.clock.advance(1000);
    await untilClosed();
  });

  test("when its key expires", async () => {
    const expiresAt = new Date(service.clock.now() + 10_000).toISOString();
    const body = { name: "reader", scopes: ["events:read"], expiresAt };
    const { key } = await (await service.send("POST", "/api/keys", body, bearer(manager))).json();
    await follow(key);
    service.clock.jump(10_000);
    await untilClosed();
  });

  test("when the service stops", async () => {
    await follow((await createKey()).key);
    await service.stop();
    isStopped = true;
  });
});

test("the connection of a stream that ends after it was read has an idle timeout", async () => {
  await start();
  const { id, key } = await createKey();
  const connection = await RawConnection.open(Number(new URL(service.url).port));
  opened.push(connection);
  connection.write(requestHead("GET", "/api/events", { accept: "text/event-stream", ...bearer(key) }));
  await connection.until("retry: 1000");
  await service.call(`/api/keys/${id}`, { method: "DELETE", headers: bearer(manager) });
  await connection.until("\r\n0\r\n\r\n");
  await connection.closed;
});

describe("the connection of a caller that does not read its response is closed", () => {
  test.each([
    ["an export", "/api/users/export"],
    ["NDJSON of events", "/api/events"],
  ])("%s", async (_, path) => {
    await start({ idleTimeout: 20 });
    await importMuch();
    await sendUnread("GET", path, { accept: NDJSON, ...bearer((await createKey()).key) });
    expect(countConnections()).toBe(1);
    await until(async () => {
      await service.clock.advance(5000);
      return countConnections() === 0;
    });
  });

  test("results of an import", async () => {
    await start();
    // Each line gets a problem that is longer than the line.
    const body = `{"name":7}\n`.repeat(60_000);
    const headers = { "content-type": NDJSON, ...bearer((await createKey()).key) };
    await sendUnread("POST", "/api/users/import", headers, body);
    expect(countConnections()).toBe(1);
    await untilClosed();
  });

  test("a check of a schema", async () => {
    await start();
    await service.send("POST", "/api/users", { name: "Ada" }, bearer(manager));
    const headers = {
      accept: NDJSON,
      "content-type": "application/json",
      ...bearer((await createKey()).key),
    };
    const schema = JSON.stringify({ properties: { level: { type: "number" } } });
    const connection = await sendUnread("PUT", "/api/schema?dryRun=true", headers, schema);
    await untilClosed();
    connection.resumeReading();
    await connection.until("\r\n0\r\n\r\n");
    await connection.closed;
  });
});
