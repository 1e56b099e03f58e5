import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { ApiError, type Client, createClient, NetworkError } from "../../../src/client/index.ts";
import { bulkLimits } from "../../../src/contract/bulk/bulk.ts";
import { CSV, exportText, importBody, NDJSON, toNdjson } from "../../support/bulk-requests.ts";
import type { Call } from "../../support/call.ts";
import { bearer, createFirstKey } from "../../support/credentials.ts";
import { onEachEngine } from "../../support/engines.ts";
import { startService, type TestService } from "../../support/service.ts";

setDefaultTimeout(60_000);

const records = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `User ${index}` }));
const body = (count: number) => toNdjson(records(count));

async function failure(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error("The call did not fail.");
}

onEachEngine((engine) => {
  let service: TestService;
  let manager: string;
  beforeAll(async () => {
    service = await startService({}, engine);
    manager = await createFirstKey(service);
    await importBody(service, NDJSON, body(2500), bearer(manager));
  });
  afterAll(() => service.stop());

  async function createKey(
    limits: object,
  ): Promise<{ key: string; remaining: () => Promise<string>; client: Client }> {
    const fields = { name: "limited", scopes: ["users:read", "users:write"], ...limits };
    const { key } = await (
      await service.call("/api/keys", { method: "POST", json: fields, headers: bearer(manager) })
    ).json();
    return {
      key,
      client: createClient({ baseUrl: service.url, apiKey: key, retries: 0, timeout: 7000 }),
      async remaining() {
        const response = await service.call("/api/users/1", { headers: bearer(key) });
        return response.headers.get("ratelimit") ?? "";
      },
    };
  }

  describe("Bulk requests count towards the limits of the key", () => {
    test("each 500 lines of an import count as one request", async () => {
      const { key, remaining } = await createKey({
        rateLimit: { requests: 100, seconds: 86_400 },
        quota: 1000,
      });
      const invalid = "{}\n".repeat(501);
      expect((await importBody(service, NDJSON, body(1000), bearer(key))).lines).toHaveLength(1000);
      expect((await importBody(service, NDJSON, invalid, bearer(key))).lines).toHaveLength(501);
      // Two for each import, and one to read the header.
      expect(await remaining()).toMatch(/^"default";r=95;.*"quota";r=995;/);
    });

    describe("by the bytes that they write, if that is more", () => {
      const LARGE = 40;
      const text = (letter: string) => letter.repeat(15_000);
      const large = (letter: string, more: object = {}) =>
        Array.from({ length: LARGE }, (_, i) => ({
          ...{ name: "Large", email: `large${i}@example.org` },
          ...{ text: text(letter), ...more },
        }));
      let client: Client;
      let spent: (work: () => Promise<unknown>) => Promise<number>;
      let ids: number[];
      let userBytes: number;
      let eventBytes: () => Promise<number>;
      beforeAll(async () => {
        // Unlike a rate limit, a quota does not refill.
        const limited = await createKey({ quota: 100_000 });
        client = limited.client;
        const left = async () => Number(/"quota";r=(\d+)/.exec(await limited.remaining())?.[1]);
        spent = async (work) => {
          const before = await left();
          await work();
          // One to read the header.
          return before - (await left()) - 1;
        };
        eventBytes = async () => {
          // A list of events makes all of them part of the feed.
          await service.call("/api/events?limit=1", { headers: bearer(manager) });
          const metrics = await service.call("/metrics", { headers: bearer(manager) });
          return Number(/^roster_events_bytes (\d+)$/m.exec(await metrics.text())?.[1]);
        };
        const lines = toNdjson(large("a"));
        const requests = Math.ceil((lines.length - LARGE) / bulkLimits.bytesPerRequest);
        expect(await spent(() => client.users.import(lines).summary())).toBe(requests);
        const users = await client.users.list({ where: { name: "Large" }, limit: LARGE }).all();
        ids = users.map(({ id }) => id);
        userBytes = users.reduce((sum, user) => sum + JSON.stringify(user).length, 0);
      });

      test("a bulk change, by ids and by filter, counts the users and what the change can add", async () => {
        for (const letter of ["b", "c"]) {
          const patch = { text: text(letter) };
          const added = ids.length * JSON.stringify({ merge: patch }).length;
          const requests = Math.ceil((userBytes + added) / bulkLimits.bytesPerRequest);
          expect(requests).toBeGreaterThan(8);
          expect(await spent(() => client.users.bulk({ ids, patch }).summary())).toBe(requests);
          const filter = 'name eq "Large"';
          expect(await spent(() => client.users.bulk({ filter, patch }).summary())).toBe(requests);
        }
      });

      test("an import counts the users that its lines update, at the latest at its end", async () => {
        const lines = toNdjson(large("x").map(({ name, email }) => ({ name, email, level: 1 })));
        const requests = await spent(() => client.users.import(lines, { onConflict: "update" }).summary());
        const updated = await client.users.list({ where: { level: 1 }, limit: LARGE }).all();
        const bytes = updated.reduce((sum, user) => sum + JSON.stringify(user).length, lines.length - LARGE);
        expect([updated.length, requests]).toEqual([LARGE, Math.ceil(bytes / bulkLimits.bytesPerRequest)]);
        const skipped = () => client.users.import(lines, { onConflict: "skip" }).summary();
        expect(await spent(skipped)).toBe(1);
      });

      test("one request writes at most 256 KiB of events, however large the users are", async () => {
        const changes: (() => Promise<unknown>)[] = [
          () => client.users.bulk({ ids, patch: { text: text("d") } }).summary(),
          () => client.users.bulk({ ids, patch: { level: 2 } }).summary(),
          () => client.users.bulk({ ids, patch: { text: null } }).summary(),
          () => client.users.bulk({ ids, patch: { text: text("e") } }).summary(),
          () => client.users.import(toNdjson(large("f")), { onConflict: "update" }).summary(),
          () => client.users.bulk({ filter: 'name sw "User"', patch: { level: 3 } }).summary(),
          () => client.users.import(records(1000)).summary(),
          () => client.users.bulk({ ids, delete: true }).summary(),
        ];
        for (const [index, change] of changes.entries()) {
          const before = await eventBytes();
          const requests = await spent(change);
          const written = (await eventBytes()) - before;
          expect(written).toBeGreaterThan(40 * 80);
          expect([index, written <= requests * 262_144]).toEqual([index, true]);
        }
      });
    });

    test.each([NDJSON, CSV])("each 1,000 users of an export as %s count as one request", async (type) => {
      const { key, remaining } = await createKey({
        rateLimit: { requests: 100, seconds: 86_400 },
        quota: 1000,
      });
      const call: Call = (path, request = {}) =>
        service.call(path, { ...request, headers: { ...request.headers, ...bearer(key) } });
      await exportText({ call }, type, "?id=1&id=2");
      const text = await exportText({ call }, type);
      const users = text.trimEnd().split("\n").length - (type === CSV ? 1 : 0);
      const spent = 1 + Math.ceil(users / 1000) + 1;
      expect(await remaining()).toMatch(
        new RegExp(`^"default";r=${100 - spent};.*"quota";r=${1000 - spent};`),
      );
    });

    test("an import without tokens waits for the rate limit", async () => {
      const { key } = await createKey({ rateLimit: { requests: 2, seconds: 2 } });
      using _ = service.clock.stop();
      const begin = service.clock.monotonic();
      const importing = importBody(service, NDJSON, body(2000), bearer(key));
      const { lines } = await service.clock.skipTo(importing, 60_000);
      expect(lines.filter(({ status }) => status === 201)).toHaveLength(2000);
      expect(service.clock.monotonic() - begin).toBeGreaterThanOrEqual(2000);
    });

    test("an import reports the end of the quota as its last line, and the client throws it", async () => {
      const { key } = await createKey({ quota: 2 });
      const { lines } = await importBody(service, NDJSON, body(1600), bearer(key));
      expect(lines).toHaveLength(1001);
      expect(lines.slice(0, 1000).every(({ status }) => status === 201)).toBe(true);
      const last = lines.at(-1);
      expect([last?.line, last?.status, last?.problem?.type]).toEqual([
        1001,
        429,
        "/problems/quota-exceeded",
      ]);
      expect(last?.problem?.detail).toEndWith("No row from line 1001 on was imported.");
      for (const source of [body(1600), records(1600)]) {
        const { client } = await createKey({ quota: 2 });
        const error = await failure(client.users.import(source).summary());
        if (!(error instanceof ApiError)) throw error;
        expect([error.type, error.lastLine]).toEqual(["quota-exceeded", 1001]);
      }
    });

    test("an export breaks off at the end of the quota, and the client throws", async () => {
      const { key, client } = await createKey({ quota: 2 });
      let count = 0;
      const error = await failure(
        (async () => {
          for await (const _ of client.users.export()) count++;
        })(),
      );
      expect(error).toBeInstanceOf(NetworkError);
      // The client may notice the end of the connection before it has read everything.
      expect(count).toBeLessThanOrEqual(2000);
      const next = await service.call("/api/users/1", { headers: bearer(key) });
      expect([next.status, next.headers.get("ratelimit")]).toEqual([
        429,
        expect.stringContaining('"quota";r=0;'),
      ]);
      expect(service.log.filter((line) => JSON.parse(line).level === "error")).toEqual([]);
    });
  });
});

describe("A waiting stream", () => {
  test("sends a few bytes from time to time, so that the client does not time out", async () => {
    const service = await startService();
    const manager = await createFirstKey(service);
    const seed = records(2100).map((record) => ({ ...record, seed: true }));
    await importBody(service, NDJSON, toNdjson(seed), bearer(manager));
    const fields = {
      name: "limited",
      scopes: ["users:read", "users:write"],
      rateLimit: { requests: 2, seconds: 18 },
    };
    const connect = async () => {
      const { key } = await (
        await service.call("/api/keys", { method: "POST", json: fields, headers: bearer(manager) })
      ).json();
      return createClient({ baseUrl: service.url, apiKey: key, retries: 0, timeout: 7000 });
    };
    const [importing, exporting, csv] = [await connect(), await connect(), await connect()];
    const countUsers = async () => {
      let count = 0;
      for await (const { name } of exporting.users.export({ where: { seed: true } }))
        if (name.startsWith("User ")) count++;
      return count;
    };
    const exportCsv = async () => {
      const stream = await csv.users.export({ where: { seed: true } }).stream("csv");
      const rows = (await new Response(stream).text()).trimEnd().split("\r\n");
      return rows.filter((row) => /^\d+,User \d+,,true,1,[^,]+,[^,]+$/.test(row)).length;
    };
    const results = await Promise.all([
      countUsers(),
      exportCsv(),
      importing.users.import(body(1100)).summary(),
    ]);
    expect(results).toEqual([2100, 2100, { created: 1100, existing: 0, failed: 0, failures: [] }]);
    await service.stop();
  });
});
