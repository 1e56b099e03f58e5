import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { ApiError, type Client, createClient, NetworkError } from "../../../src/client/index.ts";
import { CSV, exportText, importBody, NDJSON, toNdjson } from "../../support/bulk-requests.ts";
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
    const { key } = await (await service.send("POST", "/api/keys", fields, bearer(manager))).json();
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

    test.each([NDJSON, CSV])("each 1,000 users of an export as %s count as one request", async (type) => {
      const { key, remaining } = await createKey({
        rateLimit: { requests: 100, seconds: 86_400 },
        quota: 1000,
      });
      const call = (path: string, init: RequestInit = {}) =>
        service.call(path, {
          ...init,
          headers: { ...Object.fromEntries(new Headers(init.headers)), ...bearer(key) },
        });
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
      const { key } = await (await service.send("POST", "/api/keys", fields, bearer(manager))).json();
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
