import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { bulkLimits } from "../../../src/contract/bulk/bulk.ts";
import { importBody, NDJSON, SlowImport, toNdjson } from "../../support/bulk-requests.ts";
import { bearer, createFirstKey } from "../../support/credentials.ts";
import { type Engine, onAnyEngine } from "../../support/engines.ts";
import { RawConnection } from "../../support/process/connection.ts";
import { type Settings, startService, type TestService } from "../../support/service.ts";
import { until } from "../../support/until.ts";

setDefaultTimeout(60_000);

const { streams, streamsPerCaller, idleSeconds } = bulkLimits;
const line = `{"name":"Ada"}\n`;
let service: TestService;
let manager: string;
const opened: { disconnect(): void }[] = [];

afterEach(async () => {
  for (const connection of opened.splice(0)) connection.disconnect();
  await service.stop();
});

async function start(engine: Engine, overrides: Settings = {}): Promise<void> {
  service = await startService(overrides, engine);
  manager = await createFirstKey(service);
}

async function createKey(): Promise<string> {
  const body = { name: "bulk", scopes: ["users:read", "users:write"] };
  const { key } = await (
    await service.call("/api/keys", { method: "POST", json: body, headers: bearer(manager) })
  ).json();
  return key;
}

async function metric(name: string): Promise<number> {
  const text = await (await service.call("/metrics", { headers: bearer(manager) })).text();
  const row = text.split("\n").find((metricLine) => metricLine.startsWith(`${name} `));
  return Number(row?.split(" ")[1]);
}

/** Opens imports that send nothing, and waits until they run. */
async function openIdle(count: number, headers: Record<string, string>): Promise<SlowImport[]> {
  const before = await metric("roster_bulk_streams");
  const imports: SlowImport[] = [];
  for (let i = 0; i < count; i++) imports.push(await SlowImport.open(service.url, NDJSON, headers));
  opened.push(...imports);
  await until(async () => (await metric("roster_bulk_streams")) === before + count);
  return imports;
}

onAnyEngine((engine) => {
  test("a key gets 503 over its share, while other keys import", async () => {
    await start(engine);
    const [greedy, other] = [await createKey(), await createKey()];
    const idle = await openIdle(streamsPerCaller, bearer(greedy));
    const rejected = await importBody(service, NDJSON, line, bearer(greedy));
    expect([rejected.status, rejected.type]).toEqual([503, "unavailable"]);
    expect(rejected.detail).toContain(`This caller runs ${streamsPerCaller} imports and exports already`);
    expect(await metric('roster_bulk_refused_total{reason="share"}')).toBe(1);
    const accept = { accept: NDJSON };
    expect(
      (await service.call("/api/users/export", { headers: { ...bearer(greedy), ...accept } })).status,
    ).toBe(503);
    expect((await importBody(service, NDJSON, line, bearer(other))).lines).toHaveLength(1);
    // The share is free again after an import ends.
    idle[0]?.disconnect();
    await until(async () => (await metric("roster_bulk_streams")) === streamsPerCaller - 1);
    expect((await importBody(service, NDJSON, line, bearer(greedy))).status).toBe(200);
  });

  test("without keys, each address has a share", async () => {
    service = await startService({ auth: "off", trustedProxies: "127.0.0.1" }, engine);
    manager = "";
    const from = (address: string) => ({ "x-forwarded-for": address });
    await openIdle(streamsPerCaller, from("192.0.2.1"));
    expect((await importBody(service, NDJSON, line, from("192.0.2.1"))).status).toBe(503);
    expect((await importBody(service, NDJSON, line, from("192.0.2.2"))).status).toBe(200);
  });

  test("when all places are taken, the longest idle import gives its place to another caller, and reports why", async () => {
    await start(engine);
    const idle: SlowImport[] = [];
    for (let i = 0; i < streams / streamsPerCaller; i++) {
      idle.push(...(await openIdle(streamsPerCaller, bearer(await createKey()))));
    }
    const other = bearer(await createKey());
    using _ = service.clock.stop();
    // Places that were idle for less than that stay taken.
    const rejected = await importBody(service, NDJSON, line, other);
    expect([rejected.status, rejected.detail]).toEqual([
      503,
      expect.stringMatching(/^Too many imports and exports are running\./),
    ]);
    await service.clock.advance(idleSeconds * 1000);
    expect((await importBody(service, NDJSON, line, other)).status).toBe(200);
    await until(() => idle.some(({ status }) => status !== 0));
    expect(idle.filter(({ status }) => status !== 0).map(({ status }) => status)).toEqual([503]);
    expect(idle[0]?.status).toBe(503);
    expect(await metric('roster_bulk_closed_total{reason="idle"}')).toBe(1);
    expect(service.log.filter((entry) => JSON.parse(entry).message === "response aborted")).toEqual([]);
  });

  test("an import below the minimum speed gets 408, or reports it after its last result", async () => {
    await start(engine);
    const key = bearer(await createKey());
    const [silent, started] = await openIdle(2, key);
    if (!silent || !started) throw new Error("no imports");
    started.send(toNdjson(Array.from({ length: 1001 }, (_, index) => ({ name: `User ${index}` }))));
    await started.waitUntil(() => started.lines.length >= 500);
    // A byte from time to time is not enough.
    await until(async () => {
      silent.send(" ");
      started.send(" ");
      await service.clock.advance(1000);
      return silent.status === 408 && started.lines.at(-1)?.status === 408;
    });
    const last = started.lines.at(-1);
    expect(last?.problem?.type).toBe("/problems/request-timeout");
    expect(last?.problem?.detail).toContain(`No row from line ${last?.line} on was imported.`);
    expect(await metric('roster_bulk_closed_total{reason="slow"}')).toBe(2);
    await until(async () => (await metric("roster_bulk_streams")) === 0);
  });

  test("a slow import above the minimum speed completes", async () => {
    await start(engine, { idleTimeout: 30 });
    const [slow] = await openIdle(1, bearer(await createKey()));
    if (!slow) throw new Error("There is no import.");
    using _ = service.clock.stop();
    // The results of a chunk come when the service has read the next one.
    slow.send(line.repeat(501));
    for (let chunk = 1; chunk <= 3; chunk++) {
      slow.send(line.repeat(500));
      await slow.waitUntil(() => slow.lines.length === 500 * chunk);
      await service.clock.advance(29_000);
    }
    slow.end();
    await slow.waitUntil(() => slow.lines.length === 2001);
    expect(slow.lines.every(({ status }) => status === 201)).toBe(true);
  });

  test("an export that is not read loses its place to a caller that needs one", async () => {
    await start(engine);
    const note = "x".repeat(15_000);
    const records = Array.from({ length: 600 }, (_, index) => ({ name: `User ${index}`, note }));
    await importBody(service, NDJSON, toNdjson(records), bearer(manager));
    const [greedy, second, third, fourth] = await Promise.all([
      createKey(),
      createKey(),
      createKey(),
      createKey(),
    ]);
    const port = Number(new URL(service.url).port);
    for (let i = 0; i < streamsPerCaller; i++) {
      const connection = await RawConnection.open(port);
      connection.stopReading();
      connection.write(
        `GET /api/users/export HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: ${NDJSON}\r\nAuthorization: Bearer ${greedy}\r\n\r\n`,
      );
      opened.push({ disconnect: () => connection.close() });
    }
    await until(async () => (await metric("roster_bulk_streams")) === streamsPerCaller);
    for (const key of [second, third, fourth]) await openIdle(streamsPerCaller, bearer(key));
    const other = bearer(await createKey());
    await service.clock.advance(idleSeconds * 1000);
    for (let i = 0; i < 3; i++) {
      await until(async () => (await importBody(service, NDJSON, line, other)).status === 200);
      await openIdle(1, other);
    }
    expect(await metric('roster_bulk_closed_total{reason="idle"}')).toBeGreaterThanOrEqual(3);
    expect(await metric("roster_bulk_streams")).toBeLessThanOrEqual(streams);
  });
});
