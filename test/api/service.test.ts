import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../src/config/config.ts";
import { version } from "../../src/config/version.ts";
import { problems } from "../../src/contract/problems.ts";
import { systemClock } from "../../src/domain/clock.ts";
import { EventFeed } from "../../src/domain/events/event-feed.ts";
import { KeyRing } from "../../src/domain/keys/key-ring.ts";
import { defaultRecordRules } from "../../src/domain/users/record-rules.ts";
import { createApp } from "../../src/http/app.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { createLog } from "../../src/telemetry/log.ts";
import { Metrics } from "../../src/telemetry/metrics.ts";
import { OutageLog } from "../../src/telemetry/outage-log.ts";
import { conforming } from "../support/conformance.ts";
import { onEachEngine } from "../support/engines.ts";
import { sendRaw } from "../support/raw-http.ts";
import { outcome, startService, type TestService } from "../support/service.ts";

onEachEngine((engine) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({ logLevel: "debug" }, engine);
  });
  afterAll(() => service.stop());

  describe("service endpoints", () => {
    test("/healthz and /readyz return 200 while the service is healthy", async () => {
      for (const path of ["/healthz", "/readyz"]) {
        const response = await service.call(path);
        expect([response.status, await response.json()]).toEqual([200, { status: "ok" }]);
      }
    });

    test("/metrics reports requests by route, method and status, commits, users and the process", async () => {
      await service.roster.users.create({ name: "Counted" });
      await service.roster.users.get(1);
      expect(await outcome(service.roster.users.get(777))).toBe("404 user-not-found");
      await service.call("/nowhere/at/all");
      const response = await service.call("/metrics");
      expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
      const text = await response.text();
      const count = (labels: string) =>
        Number(
          text
            .split("\n")
            .find((line) => line.startsWith(`roster_http_request_duration_seconds_count{${labels}}`))
            ?.split(" ")[1] ?? 0,
        );
      expect(count('route="/api/users",method="POST",status="201"')).toBe(1);
      expect(count('route="/api/users/{id}",method="GET",status="200"')).toBe(1);
      expect(count('route="/api/users/{id}",method="GET",status="404"')).toBe(1);
      expect(count('route="",method="GET",status="404"')).toBe(1);
      for (const name of [
        "roster_users 1",
        "roster_groups 0",
        "roster_commit_writes_count 1",
        "roster_commit_duration_seconds_sum ",
        "roster_store_bytes ",
        "roster_events_bytes ",
        "roster_events_limit_bytes 10737418240",
        "process_cpu_seconds_total ",
        "process_resident_memory_bytes ",
        "roster_database_up 1",
        "roster_write_queue_depth 0",
        "roster_http_requests_in_flight 1",
        `roster_build_info{version="${version}",engine="${engine}",bun="${Bun.version}"} 1`,
        ...(engine === "sqlite"
          ? ["roster_disk_free_bytes ", "roster_wal_bytes "]
          : ["roster_database_pool_in_use "]),
      ]) {
        expect(text).toContain(`\n${name}`);
      }
      const otherEngine = engine === "sqlite" ? /pool_in_use/ : /disk_free|wal_bytes/;
      expect(text).not.toMatch(otherEngine);
      for (const line of text.trim().split("\n"))
        expect(line).toMatch(/^(# (HELP|TYPE) |[a-z_]+(\{[^}]*\}|\{[^}]*\{id\}[^}]*\})? [0-9.e+-]+$)/);
    });

    test("/metrics has a bounded number of lines for any methods and paths", async () => {
      const before = (await (await service.call("/metrics")).text()).split("\n").length;
      for (let i = 0; i < 40; i++)
        await fetch(`${service.url}/api/users/x${i}/y${i}`, { method: i % 2 ? "PROPFIND" : `M${i}` }).catch(
          () => undefined,
        );
      const after = (await (await service.call("/metrics")).text()).split("\n").length;
      expect(after - before).toBeLessThan(60);
    });

    test("/openapi.json is the OpenAPI description, and / the console", async () => {
      expect((await (await service.call("/openapi.json")).json()).openapi).toBe("3.1.1");
      const root = await service.call("/");
      expect([root.status, root.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    });

    test("every problem type has a page; an unknown type is 404", async () => {
      for (const type of Object.keys(problems))
        expect((await service.call(`/problems/${type}`)).status).toBe(200);
      for (const type of ["nothing", "constructor", "__proto__"])
        expect((await service.call(`/problems/${type}`)).status).toBe(404);
    });
  });

  describe("the log", () => {
    test("has every request at level debug, with its id, without query or body", async () => {
      await service.call("/api/users?email=private@example.com", {
        headers: { "x-request-id": "look-here" },
      });
      await service.roster.users.create({ name: "Very Private Person", email: "secret@example.com" });
      const line = service.log.find((entry) => entry.includes("look-here")) ?? "";
      expect(JSON.parse(line)).toMatchObject({
        level: "debug",
        method: "GET",
        path: "/api/users",
        status: 200,
      });
      expect(service.log.join("")).not.toMatch(/private@example|Very Private|secret@example/);
    });

    test("has nothing that a caller puts into a path except ids", async () => {
      const paths = {
        "/api/users/7": "/api/users/7",
        "/api/users/7/events": "/api/users/7/events",
        "/api/users/Ada-Lovelace": "/api/users/{id}",
        "/api/users/7-Ada-Lovelace": "/api/users/{id}",
        "/api/users/Ada%20Lovelace/events": "/api/users/{id}/events",
        "/api/deleted-users/ada.lovelace@example.com": "/api/deleted-users/{id}",
        "/api/fields/Lovelace/values": "/api/fields/{name}/values",
        "/api/webhooks/7/deliveries/adalovelace/resend": "/api/webhooks/7/deliveries/{eventId}/resend",
        "/problems/lovelace": "/problems/{type}",
        "/api/users/7/lovelace": "/api/users/…",
        "/api/Lovelace/users": "/api/…",
        "/ada%2Flovelace": "/…",
        "/users/Lovelace": "/users/{id}",
        "/docs/": "/docs",
      };
      for (const [index, path] of Object.keys(paths).entries()) {
        for (const method of ["GET", "DELETE", "OPTIONS"]) {
          const headers = { "x-request-id": `path-${index}-${method}`, accept: "text/html, */*" };
          await (await fetch(service.url + path, { method, headers })).text();
        }
      }
      const logged = Object.keys(paths).map((_, index) =>
        ["GET", "DELETE", "OPTIONS"].map((method) => {
          const line = service.log.find((entry) => entry.includes(`"path-${index}-${method}"`)) ?? "{}";
          return JSON.parse(line).path;
        }),
      );
      expect(logged).toEqual(Object.values(paths).map((path) => [path, path, path]));
      expect(service.log.join("")).not.toMatch(/lovelace/i);
    });

    test("reports slow requests", async () => {
      const slow = await startService({ slowMs: 1 }, engine);
      await Promise.all(Array.from({ length: 50 }, (_, i) => slow.roster.users.create({ name: `S${i}` })));
      expect(slow.log.some((line) => JSON.parse(line).message === "slow request")).toBe(true);
      await slow.stop();
      expect(slow.log.map((line) => JSON.parse(line).message)).toContain("stopped");
    });
  });

  describe("Host", () => {
    test("must name this machine, otherwise 421 wrong-host", async () => {
      const statusWithHost = async (host: string) =>
        (await service.call("/api/users", { headers: { host } })).status;
      for (const host of [
        "localhost",
        "localhost:3000",
        "127.0.0.1:1",
        "127.1.2.3",
        "[::1]:80",
        "roster.localhost",
      ]) {
        expect(await statusWithHost(host)).toBe(200);
      }
      for (const host of [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "10.0.0.1",
        "0.0.0.0",
      ]) {
        expect(await statusWithHost(host)).toBe(421);
      }
    });

    test("must name this machine with ROSTER_AUTH=off on loopback, or be in ROSTER_HOSTS", async () => {
      const open = await startService({ auth: "off", hosts: "Users.example, roster.test" }, engine);
      const statusWithHost = async (host: string) =>
        (await open.call("/api/users", { headers: { host } })).status;
      for (const host of ["localhost:3000", "127.0.0.1", "users.example:80", "ROSTER.test"])
        expect([host, await statusWithHost(host)]).toEqual([host, 200]);
      for (const host of ["evil.example", "roster.test.evil.example", "a.roster.test"])
        expect([host, await statusWithHost(host)]).toEqual([host, 421]);
      await open.stop();
    });

    test("that is not valid is 400 in every mode, and appears neither in the response nor in the log", async () => {
      const secured = await startService({ auth: "required", logLevel: "debug" }, engine);
      for (const host of [
        "evil.com/x?marker",
        "marker#a",
        "[marker",
        "a@marker",
        "marker:http",
        "m\u00e4rker",
      ]) {
        for (const path of ["/api/users/1", "/api/keys", "/nowhere"]) {
          const request = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
          const { responses } = await sendRaw(secured.url, [request]);
          expect([host, path, responses[0]?.status]).toEqual([host, path, 400]);
          expect(responses[0]?.body).not.toContain("rker");
        }
      }
      expect(secured.log.join("")).not.toContain("rker");
      await secured.stop();
    });

    test("may be absent in HTTP/1.0", async () => {
      const open = await startService({ auth: "off", host: "0.0.0.0" }, engine);
      for (const [path, status] of [
        ["/healthz", 200],
        ["/api/users", 200],
        ["/api/keys?limit=1", 403],
      ] as const) {
        const { responses } = await sendRaw(open.url, [`GET ${path} HTTP/1.0\r\n\r\n`], { until: "close" });
        expect([path, responses[0]?.status]).toEqual([path, status]);
      }
      await open.stop();
    });
  });

  describe("overload", () => {
    test("is 503 with Retry-After when too many writes wait, and every admitted write succeeds", async () => {
      const small = await startService({ writeQueue: 5, commitBatch: 1 }, engine);
      const responses = await Promise.all(
        Array.from({ length: 100 }, (_, i) =>
          small.call("/api/users", { method: "POST", json: { name: `O${i}` } }),
        ),
      );
      const created = responses.filter(({ status }) => status === 201).length;
      const rejected = responses.filter(({ status }) => status === 503);
      expect(created).toBeGreaterThan(0);
      expect(rejected.length).toBe(100 - created);
      expect(rejected.length).toBeGreaterThan(0);
      for (const { headers } of rejected) expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
      const { total } = await small.roster.users.list().page({ count: true });
      expect(total).toEqual({ count: created, capped: false });
      await small.stop();
    });
  });
});

describe("the log", () => {
  test("is text on a terminal, with control characters escaped", () => {
    const lines: string[] = [];
    const log = createLog({ level: "info", json: false, out: (line) => lines.push(line) });
    log.write("debug", "unseen");
    log.write("warn", "slow request", { path: "/a\nb\u001b[31m", ms: 12 });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d warn {2}slow request path="\/a\\nb\\u001b\[31m" ms=12\n$/);
  });
});

describe("an unexpected error", () => {
  const readWithError = async (error: unknown) => {
    const folder = mkdtempSync(join(tmpdir(), "roster-failing-"));
    const config = readConfig([], {});
    const store = openSqliteStore(
      { path: join(folder, "roster.db"), batch: 1, queue: 1, waitMs: 1000, recordRules: defaultRecordRules },
      new Metrics(),
    );
    store.users.read = () => {
      throw error;
    };
    const lines: string[] = [];
    const log = createLog({ level: "info", json: true, out: (line) => lines.push(line) });
    const { fetch: app } = createApp({
      recordRules: defaultRecordRules,
      config,
      clock: systemClock,
      store,
      ring: new KeyRing(store.keys, systemClock),
      feed: new EventFeed(store.events, systemClock),
      sendSample: () => Promise.reject(error),
      rebuildRequest: () => Promise.reject(error),
      metrics: new Metrics(),
      log,
      version: "0",
      outages: new OutageLog(log, 1000, () => systemClock.monotonic()),
      stopPhase: () => "running",
      pendingRequests: () => 0,
      peerAddress: () => undefined,
      setIdleTimeout: () => undefined,
      closeConnection: () => undefined,
    });
    const get = (path: string) =>
      app(new Request(`http://localhost${path}`, { headers: { host: "localhost" } }));
    const response = await conforming("GET", "/api/users/1", await get("/api/users/1"));
    const ready = await conforming("GET", "/readyz", await get("/readyz"));
    await store.close();
    rmSync(folder, { recursive: true });
    return { response, ready, lines };
  };

  test("is 500 internal without details, and the log has the cause with the same request id", async () => {
    const { response, lines } = await readWithError(new Error("secret detail at /var/lib"));
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(text).not.toContain("secret detail");
    const { type, requestId } = JSON.parse(text);
    expect(type).toBe("/problems/internal");
    const entry = lines.map((line) => JSON.parse(line)).find((line) => line.requestId === requestId);
    expect(entry).toMatchObject({ level: "error", status: 500 });
    expect(entry.cause).toContain("secret detail");
  });
});
