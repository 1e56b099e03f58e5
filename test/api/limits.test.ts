import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { CreatedKey } from "../../src/client/index.ts";
import { createSecret } from "../../src/contract/keys/key-secret.ts";
import { untilNextMonth } from "../../src/domain/keys/key-ring.ts";
import { bearer, createFirstKey, startSession, unknownKey } from "../support/credentials.ts";
import { onEachEngine } from "../support/engines.ts";
import { describeResponse } from "../support/responses.ts";
import { startService, type TestService } from "../support/service.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(120_000);

const POLICY = "ratelimit-policy";
const rateLimitHeaders = ({ headers }: Response) => [headers.get(POLICY), headers.get("ratelimit")];
/** The remaining requests, from the RateLimit header. */
const remainingOf = ({ headers }: Response) =>
  Number(/^"default";r=(\d+);t=\d+/.exec(headers.get("ratelimit") ?? "")?.[1]);

/** A service that requires keys, with a key that manages keys. */
class KeyedService {
  private constructor(
    readonly service: TestService,
    readonly manager: string,
  ) {}

  static async start(...options: Parameters<typeof startService>): Promise<KeyedService> {
    const service = await startService(...options);
    return new KeyedService(service, await createFirstKey(service));
  }

  /** Creates a key that can read and write users. */
  async key(fields: object = {}): Promise<CreatedKey> {
    const body = { name: "limited", scopes: ["users:read", "users:write"], ...fields };
    return await (
      await this.service.call("/api/keys", { method: "POST", json: body, headers: bearer(this.manager) })
    ).json();
  }

  get(path: string, key: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.service.call(path, { headers: { ...bearer(key), ...headers } });
  }

  /** Waits until the key's usage is exactly this number. Usage is saved once a second. */
  async waitForUsage(id: number, requests: number): Promise<void> {
    let counted = -1;
    await until(
      async () => {
        const key: CreatedKey = await (await this.get(`/api/keys/${id}`, this.manager)).json();
        counted = key.usage.requests;
        return counted === requests;
      },
      () => `${requests} requests, but ${counted} are counted`,
    );
  }
}

onEachEngine((engine) => {
  describe("a keyed caller", () => {
    let keyed: KeyedService;
    beforeAll(async () => {
      keyed = await KeyedService.start({}, engine);
    });
    afterAll(() => keyed.service.stop());

    test("gets its limit and the remaining requests in headers", async () => {
      const { key } = await keyed.key();
      const first = await keyed.get("/api/users", key);
      expect(rateLimitHeaders(first)).toEqual(['"default";q=6000;w=60', '"default";r=5999;t=60']);
    });

    test("gets the headers in every response, and each request counts", async () => {
      const rateLimit = { requests: 100, seconds: 86_400 };
      const { key } = await keyed.key({ rateLimit });
      const send = (method: string, path: string, body: unknown, more = {}) =>
        keyed.service.call(path, { method, json: body, headers: { ...bearer(key), ...more } });
      const created = await send("POST", "/api/users", {
        name: "Ada",
        email: `${createSecret()}@example.com`,
      });
      const ada: { id: number; email: string } = await created.clone().json();
      const path = `/api/users/${ada.id}`;
      const withKey = { headers: bearer(key) };
      const responses = [
        created,
        await keyed.get(path, key),
        await keyed.get(path, key, { "if-none-match": '"1"' }),
        await keyed.get("/api/users?q=ada&count=true", key),
        await keyed.service.call(path, { ...withKey, method: "HEAD" }),
        await send("PATCH", path, { team: "red" }),
        await keyed.get("/api/users?limit=0", key),
        await keyed.get("/api/users/999999", key),
        await keyed.get("/api/users/x", key),
        await send("POST", "/api/users", { name: "" }),
        await send("POST", "/api/users", { name: "Ada", email: ada.email }),
        await send("PUT", path, { name: "Ada" }, { "if-match": '"99"' }),
        await send("POST", "/api/users", { name: "Ada" }, { "content-type": "text/plain" }),
        await keyed.get(path, key, { accept: "image/png" }),
        await keyed.get("/api/keys", key),
        await keyed.get("/api/session", key),
        await keyed.service.call(path, { ...withKey, method: "DELETE" }),
      ];
      expect(responses.map(({ status }) => status)).toEqual([
        ...[201, 200, 304, 200, 200, 200, 400, 404, 404, 422, 409, 412, 415, 406, 403, 200, 204],
      ]);
      responses.forEach((response, index) => {
        expect(rateLimitHeaders(response)).toEqual([
          '"default";q=100;w=86400',
          `"default";r=${99 - index};t=86400`,
        ]);
      });
    });

    test("gets 429 when no requests remain, and is admitted after Retry-After", async () => {
      const { clock } = keyed.service;
      using _ = clock.stop();
      const { key } = await keyed.key({ rateLimit: { requests: 3, seconds: 3 } });
      const { key: other } = await keyed.key({ rateLimit: { requests: 3, seconds: 3 } });
      for (const remaining of [2, 1, 0])
        expect(remainingOf(await keyed.get("/api/users", key))).toBe(remaining);
      const rejected = await keyed.get("/api/users", key);
      expect(rateLimitHeaders(rejected)).toEqual(['"default";q=3;w=3', '"default";r=0;t=3']);
      expect(rejected.headers.get("retry-after")).toBe("1");
      expect(await describeResponse(rejected)).toBe("429 rate-limited");
      // Writes and sessions of the key share its limit. Another key has its own.
      expect(
        await describeResponse(
          await keyed.service.call("/api/users", { method: "POST", json: {}, headers: bearer(key) }),
        ),
      ).toStartWith("429");
      expect(
        await describeResponse(await keyed.service.call("/api/session", { method: "POST", json: { key } })),
      ).toStartWith("429");
      expect(remainingOf(await keyed.get("/api/users", other))).toBe(2);
      clock.jump(1000);
      expect(await describeResponse(await keyed.get("/api/users", key))).toBe("200");
    });

    test("shares one limit between its key and its sessions", async () => {
      const { key } = await keyed.key({ rateLimit: { requests: 4, seconds: 86_400 } });
      const headers = await startSession(keyed.service, key);
      expect(remainingOf(await keyed.service.call("/api/users", { headers }))).toBe(2);
      expect(remainingOf(await keyed.get("/api/users", key))).toBe(1);
      expect(remainingOf(await keyed.service.call("/api/users", { headers }))).toBe(0);
      expect(await describeResponse(await keyed.service.call("/api/users", { headers }))).toBe(
        "429 rate-limited",
      );
      expect(await describeResponse(await keyed.get("/api/users", key))).toBe("429 rate-limited");
    });

    test("needs a valid key: other requests and public paths have no limit", async () => {
      const { key } = await keyed.key();
      for (const response of [
        await keyed.service.call("/api/users"),
        await keyed.get("/api/users", unknownKey),
        await keyed.get("/healthz", key),
        await keyed.get("/problems/rate-limited", key),
      ]) {
        expect(rateLimitHeaders(response)).toEqual([null, null]);
      }
    });
  });

  describe("a monthly quota", () => {
    let keyed: KeyedService;
    beforeAll(async () => {
      keyed = await KeyedService.start({}, engine);
    });
    afterAll(() => keyed.service.stop());

    test("is reported beside the rate limit, and 429 when it is used up, until the next month", async () => {
      const { key, id } = await keyed.key({ quota: 3, scopes: ["users:read"] });
      for (const remaining of [2, 1, 0]) {
        const response = await keyed.get("/api/users/999999", key);
        expect(response.status).toBe(404);
        expect(response.headers.get(POLICY)).toBe('"default";q=6000;w=60, "quota";q=3');
        const [, calls, seconds] =
          /, "quota";r=(\d+);t=(\d+)$/.exec(response.headers.get("ratelimit") ?? "") ?? [];
        expect(Number(calls)).toBe(remaining);
        expectNextMonth(keyed.service, Number(seconds));
      }
      for (let call = 0; call < 5; call++) {
        const rejected = await keyed.get("/api/users", key);
        expect(rejected.headers.get("ratelimit")).toContain(', "quota";r=0;t=');
        expectNextMonth(keyed.service, Number(rejected.headers.get("retry-after")));
        expect(await describeResponse(rejected)).toBe("429 quota-exceeded");
      }
      // A 403 does not count towards the quota.
      expect(await describeResponse(await keyed.get("/api/keys", key))).toBe("403 insufficient-scope");
      await keyed.waitForUsage(id, 3);
    });

    test("counts each admitted request of a key and of its sessions once", async () => {
      const { key, id } = await keyed.key({ quota: 50, rateLimit: { requests: 10, seconds: 86_400 } });
      const headers = await startSession(keyed.service, key);
      for (let call = 0; call < 5; call++) {
        await keyed.get("/api/users", key);
        await keyed.service.call("/api/users", { headers });
      }
      expect(await describeResponse(await keyed.get("/api/users", key))).toBe("429 rate-limited");
      // The rate limit admits ten: the sign-in, which does not count, and nine requests.
      await keyed.waitForUsage(id, 9);
    });

    test("admits exactly the quota of concurrent requests", async () => {
      const { key } = await keyed.key({ quota: 40 });
      const calls = Array.from({ length: 100 }, () => keyed.get("/api/users?limit=1", key));
      const results = await Promise.all((await Promise.all(calls)).map(describeResponse));
      expect(results.filter((each) => each === "200").length).toBe(40);
      expect(new Set(results)).toEqual(new Set(["200", "429 quota-exceeded"]));
    });
  });

  describe("without a rate limit", () => {
    test("there are no headers and no 429, except for a key with its own rate limit or quota", async () => {
      const keyed = await KeyedService.start({ rateLimit: "0" }, engine);
      const { key } = await keyed.key();
      for (let call = 0; call < 50; call++) {
        expect(rateLimitHeaders(await keyed.get("/api/users/1", key))).toEqual([null, null]);
      }
      const { key: slow } = await keyed.key({ rateLimit: { requests: 1, seconds: 60 } });
      expect(rateLimitHeaders(await keyed.get("/api/users", slow))).toEqual([
        '"default";q=1;w=60',
        '"default";r=0;t=60',
      ]);
      expect(await describeResponse(await keyed.get("/api/users", slow))).toBe("429 rate-limited");
      const { key: few } = await keyed.key({ quota: 1 });
      const response = await keyed.get("/api/users", few);
      expect(response.headers.get(POLICY)).toBe('"quota";q=1');
      expect(response.headers.get("ratelimit")).toMatch(/^"quota";r=0;t=\d+$/);
      expect(await describeResponse(await keyed.get("/api/users", few))).toBe("429 quota-exceeded");
      await keyed.service.stop();
    });

    test("an open service has no rate limit headers", async () => {
      const service = await startService({}, engine);
      const created = await service.call("/api/users", { method: "POST", json: { name: "Ada" } });
      const responses = [created, await service.call("/api/users"), await service.call("/api/users/999")];
      responses.push(await service.call("/api/users/1", { headers: { "if-none-match": '"1"' } }));
      responses.push(
        await service.call("/api/users", { method: "POST", json: {} }),
        await service.call("/api/session"),
      );
      responses.push(await service.call("/api/users/1", { method: "DELETE" }));
      expect(responses.map(({ status }) => status)).toEqual([201, 200, 404, 304, 422, 200, 204]);
      for (const response of responses) expect(rateLimitHeaders(response)).toEqual([null, null]);
      await service.stop();
    });
  });
});

/** Expects the seconds until the next month. A busy machine compares them late. */
function expectNextMonth({ clock }: TestService, seconds: number): void {
  expect(seconds - untilNextMonth(clock.now()) / 1000).toBeWithin(0, 60);
}

test("after Retry-After, a key with a used quota is admitted in the next month", async () => {
  const keyed = await KeyedService.start();
  const { key } = await keyed.key({ quota: 1 });
  const { clock } = keyed.service;
  using _ = clock.stop();
  clock.jump(untilNextMonth(clock.now()) - 3000);
  try {
    expect(await describeResponse(await keyed.get("/api/users", key))).toBe("200");
    const rejected = await keyed.get("/api/users", key);
    expect(rejected.status).toBe(429);
    clock.jump(Number(rejected.headers.get("retry-after")) * 1000);
    expect(await describeResponse(await keyed.get("/api/users", key))).toBe("200");
    // At the next count, a second later, the requests of the new month count towards its quota.
    await until(async () => {
      await clock.advance(1000);
      return (await describeResponse(await keyed.get("/api/users", key))) !== "200";
    });
    expect(await describeResponse(await keyed.get("/api/users", key))).toBe("429 quota-exceeded");
  } finally {
    await keyed.service.stop();
  }
});
