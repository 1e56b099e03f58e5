import { describe, expect, setDefaultTimeout, test } from "bun:test";
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
const FOLLOWERS = 5;
const KEY_MS = 600_000;

/** A service, and callers that read nothing. */
class UnreadService implements AsyncDisposable {
  readonly service: TestService;
  readonly manager: string;
  readonly #opened: RawConnection[] = [];
  #isStopped = false;

  private constructor(service: TestService, manager: string) {
    this.service = service;
    this.manager = manager;
  }

  static async start(overrides: Settings = {}): Promise<UnreadService> {
    const service = await startService({ idleTimeout: IDLE_SECONDS, rateLimit: 0, ...overrides });
    return new UnreadService(service, await createFirstKey(service));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.service.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const connection of this.#opened) connection.close();
    if (!this.#isStopped) await this.stop();
  }

  async createKey(more = {}): Promise<{ id: number; key: string }> {
    const scopes = ["users:read", "users:write", "events:read", "schema:manage"];
    const body = { name: "reader", scopes, ...more };
    return (
      await this.service.call("/api/keys", { method: "POST", json: body, headers: bearer(this.manager) })
    ).json();
  }

  revokeKey(id: number): Promise<Response> {
    return this.service.call(`/api/keys/${id}`, { method: "DELETE", headers: bearer(this.manager) });
  }

  /** More than the operating system takes for a connection whose client does not read. */
  async importMuch(): Promise<void> {
    const users = Array.from({ length: 800 }, (_, i) => ({ name: `User ${i}`, note: "x".repeat(15_000) }));
    const { lines } = await importBody(this.service, NDJSON, toNdjson(users), bearer(this.manager));
    expect(lines).toHaveLength(800);
  }

  async connect(): Promise<RawConnection> {
    const connection = await RawConnection.open(Number(new URL(this.service.url).port));
    this.#opened.push(connection);
    return connection;
  }

  /** Sends a request, and reads nothing of the response. */
  async sendUnread(method: string, path: string, headers: Record<string, string>, body = "") {
    const connection = await this.connect();
    connection.stopReading();
    const length = body && { "content-length": String(Buffer.byteLength(body)) };
    connection.write(requestHead(method, path, { ...headers, ...length }) + body);
    return connection;
  }

  /** Followers of 12 MB of events. */
  async follow(key: string): Promise<void> {
    const headers = bearer(this.manager);
    const [event]: { id: string }[] = await (
      await this.service.call("/api/events?limit=1", { headers })
    ).json();
    const path = `/api/events?after=${event?.id}`;
    for (let i = 0; i < FOLLOWERS; i++)
      await this.sendUnread("GET", path, { accept: "text/event-stream", ...bearer(key) });
    // A follower that reads nothing has a batch of four events to read.
    await until(async () => {
      const metrics = await (await this.service.call("/metrics", { headers })).text();
      return Number(/^roster_followers_unread_bytes (\d+)/m.exec(metrics)?.[1]) > FOLLOWERS * 60_000;
    });
    await until(() => this.countConnections() === FOLLOWERS);
  }

  /**
   * Connections of the service that are not closed, other than those of this test's own requests. Linux may list a connection twice if
   * others are opened or closed in the meantime.
   */
  countConnections(): number {
    const { port } = new URL(this.service.url);
    const local = `0100007F:${Number(port).toString(16).toUpperCase().padStart(4, "0")}`;
    const own = new Set(this.#opened.map(({ localPort }) => localPort));
    const rows = readFileSync("/proc/net/tcp", "utf8").split("\n").slice(1);
    const ports = rows.flatMap((row) => {
      const [, from, to = "", state] = row.trim().split(/\s+/);
      return from === local && state === ESTABLISHED ? Number.parseInt(to.split(":")[1] ?? "", 16) : [];
    });
    return own.intersection(new Set(ports)).size;
  }

  untilClosed(): Promise<unknown> {
    return until(() => this.countConnections() === 0);
  }

  /** Lets time pass until the service has closed the connections. */
  untilClosedInTime(): Promise<unknown> {
    return until(async () => {
      await this.service.clock.advance(5000);
      return this.countConnections() === 0;
    });
  }
}

function requestHead(method: string, path: string, headers: Record<string, string>): string {
  const lines = Object.entries({ host: "localhost", ...headers }).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${path} HTTP/1.1`, ...lines, "", ""].join("\r\n");
}

// Bun takes seconds to close a connection: the tests wait at the same time.

describe("the connection of a follower that does not read is closed", () => {
  async function startFollowed(): Promise<UnreadService> {
    // A connection that stayed open would hold the stop of the service for an hour.
    const unread = await UnreadService.start({ idleTimeout: 20, shutdownGrace: 3600 });
    await unread.importMuch();
    return unread;
  }

  test.concurrent("when its time is over", async () => {
    await using unread = await startFollowed();
    await unread.follow((await unread.createKey()).key);
    await unread.untilClosedInTime();
  });

  test.concurrent("when its key is revoked", async () => {
    await using unread = await startFollowed();
    const { id, key } = await unread.createKey();
    await unread.follow(key);
    using _ = unread.service.clock.stop();
    await unread.revokeKey(id);
    await unread.service.clock.advance(1000);
    await unread.untilClosed();
  });

  test.concurrent("when its key expires", async () => {
    await using unread = await startFollowed();
    // Longer than the preparation takes on a busy machine.
    const expiresAt = new Date(unread.service.clock.now() + KEY_MS).toISOString();
    await unread.follow((await unread.createKey({ expiresAt })).key);
    unread.service.clock.jump(KEY_MS);
    await unread.untilClosed();
  });

  test.concurrent("when the service stops", async () => {
    await using unread = await startFollowed();
    await unread.follow((await unread.createKey()).key);
    await unread.stop();
  });
});

test.concurrent("the connection of a stream that ends after it was read has an idle timeout", async () => {
  await using unread = await UnreadService.start();
  const { id, key } = await unread.createKey();
  const connection = await unread.connect();
  connection.write(requestHead("GET", "/api/events", { accept: "text/event-stream", ...bearer(key) }));
  await connection.until("retry: 1000");
  await unread.revokeKey(id);
  await connection.until("\r\n0\r\n\r\n");
  await connection.closed;
});

describe("the connection of a caller that does not read its response is closed", () => {
  test.concurrent.each([
    ["an export", "/api/users/export"],
    ["NDJSON of events", "/api/events"],
  ])("%s", async (_, path) => {
    await using unread = await UnreadService.start({ idleTimeout: 20 });
    await unread.importMuch();
    const { key } = await unread.createKey();
    await unread.sendUnread("GET", path, { accept: NDJSON, ...bearer(key) });
    expect(unread.countConnections()).toBe(1);
    await unread.untilClosedInTime();
  });

  test.concurrent("results of an import", async () => {
    await using unread = await UnreadService.start();
    // Each line gets a problem that is longer than the line.
    const body = `{"name":7}\n`.repeat(60_000);
    const headers = { "content-type": NDJSON, ...bearer((await unread.createKey()).key) };
    await unread.sendUnread("POST", "/api/users/import", headers, body);
    expect(unread.countConnections()).toBe(1);
    await unread.untilClosed();
  });

  test.concurrent("a check of a schema", async () => {
    await using unread = await UnreadService.start();
    await unread.service.call("/api/users", {
      method: "POST",
      json: { name: "Ada" },
      headers: bearer(unread.manager),
    });
    const { key } = await unread.createKey();
    const headers = { accept: NDJSON, "content-type": "application/json", ...bearer(key) };
    const schema = JSON.stringify({ properties: { level: { type: "number" } } });
    const connection = await unread.sendUnread("PUT", "/api/schema?dryRun=true", headers, schema);
    await unread.untilClosed();
    connection.resumeReading();
    await connection.until("\r\n0\r\n\r\n");
    await connection.closed;
  });
});
