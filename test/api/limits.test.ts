import { afterAll, beforeAll, describe, expect, setDefaultTimeout, spyOn, test } from "bun:test";
import type { NewKey } from "../../src/client/index.ts";
import { createSecret } from "../../src/contract/key-secret.ts";
import { untilNextMonth } from "../../src/domain/key-ring.ts";
import { onEachEngine } from "../support/engines.ts";
import { startService, type TestService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { createFirstKey, describeResponse, sameOrigin, signIn, unknownKey } from "./sign-in.ts";

setDefaultTimeout(120_000);

const POLICY = "ratelimit-policy";
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const fields = ({ headers }: Response) => [headers.get(POLICY), headers.get("ratelimit")];
/** How many requests the answer says are left. */
const leftOf = ({ headers }: Response) =>
  Number(/^"default";r=(\d+);t=\d+/.exec(headers.get("ratelimit") ?? "")?.[1]);

/** A service that asks for keys, and whoever manages them. */
class Limited {
  private constructor(
    readonly service: TestService,
    readonly manager: string,
  ) {}

  static async start(...given: Parameters<typeof startService>): Promise<Limited> {
    const service = await startService(...given);
    return new Limited(service, await createFirstKey(service));
  }

  /** A key that may read and write users. */
  async key(more: object = {}): Promise<NewKey> {
    const body = { name: "limited", scopes: ["users:read", "users:write"], ...more };
    return await (await this.service.send("POST", "/api/keys", body, bearer(this.manager))).json();
  }

  get(path: string, key: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.service.call(path, { headers: { ...bearer(key), ...headers } });
  }

  /** Waits until exactly so many calls are counted, as they are once a second. */
  async becomeUsed(id: number, calls: number): Promise<void> {
    let counted = -1;
    await until(
      async () => {
        const key: NewKey = await (await this.get(`/api/keys/${id}`, this.manager)).json();
        counted = key.usage.requests;
        return counted === calls;
      },
      () => `${calls} calls, but ${counted} are counted`,
    );
  }
}

onEachEngine((engine) => {
  describe("a limited caller", () => {
    let limited: Limited;
    beforeAll(async () => {
      limited = await Limited.start({}, engine);
    });
    afterAll(() => limited.service.stop());

    test("is told its limit and what is left, as the contract writes it", async () => {
      const { key } = await limited.key();
      const first = await limited.get("/api/users", key);
      expect(fields(first)).toEqual(['"default";q=6000;w=60', '"default";r=5999;t=60']);
    });

    test("is told so by every answer, whatever it is, and each call takes one", async () => {
      const rateLimit = { requests: 100, seconds: 86_400 };
      const { key } = await limited.key({ rateLimit });
      const send = (method: string, path: string, body: unknown, more = {}) =>
        limited.service.send(method, path, body, { ...bearer(key), ...more });
      const made = await send("POST", "/api/users", { name: "Ada", email: `${createSecret()}@example.com` });
      const ada: { id: number; email: string } = await made.clone().json();
      const path = `/api/users/${ada.id}`;
      const own = { headers: bearer(key) };
      const answers = [
        made,
        await limited.get(path, key),
        await limited.get(path, key, { "if-none-match": '"1"' }),
        await limited.get("/api/users?q=ada&count=true", key),
        await limited.service.call(path, { ...own, method: "HEAD" }),
        await send("PATCH", path, { team: "red" }),
        await limited.get("/api/users?limit=0", key),
        await limited.get("/api/users/999999", key),
        await limited.get("/api/users/x", key),
        await send("POST", "/api/users", { name: "" }),
        await send("POST", "/api/users", { name: "Ada", email: ada.email }),
        await send("PUT", path, { name: "Ada" }, { "if-match": '"99"' }),
        await send("POST", "/api/users", { name: "Ada" }, { "content-type": "text/plain" }),
        await limited.get(path, key, { accept: "image/png" }),
        await limited.get("/api/keys", key),
        await limited.get("/api/session", key),
        await limited.service.call(path, { ...own, method: "DELETE" }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([
        ...[201, 200, 304, 200, 200, 200, 400, 404, 404, 422, 409, 412, 415, 406, 403, 200, 204],
      ]);
      answers.forEach((answer, index) => {
        expect(fields(answer)).toEqual(['"default";q=100;w=86400', `"default";r=${99 - index};t=86400`]);
      });
    });

    test("is refused with 429 when nothing is left, and admitted after Retry-After", async () => {
      const { key } = await limited.key({ rateLimit: { requests: 3, seconds: 3 } });
      const { key: other } = await limited.key({ rateLimit: { requests: 3, seconds: 3 } });
      for (const left of [2, 1, 0]) expect(leftOf(await limited.get("/api/users", key))).toBe(left);
      const refused = await limited.get("/api/users", key);
      expect(fields(refused)).toEqual(['"default";q=3;w=3', '"default";r=0;t=3']);
      expect(refused.headers.get("retry-after")).toBe("1");
      expect(await describeResponse(refused)).toBe("429 rate-limited");
      // Writes and sessions of the key are the same caller's; another key is not.
      expect(
        await describeResponse(await limited.service.send("POST", "/api/users", {}, bearer(key))),
      ).toStartWith("429");
      expect(await describeResponse(await limited.service.send("POST", "/api/session", { key }))).toStartWith(
        "429",
      );
      expect(leftOf(await limited.get("/api/users", other))).toBe(2);
      await Bun.sleep(1000);
      expect(await describeResponse(await limited.get("/api/users", key))).toBe("200");
    });

    test("is the same by its key and by its session", async () => {
      const { key } = await limited.key({ rateLimit: { requests: 4, seconds: 86_400 } });
      const cookie = await signIn(limited.service, key);
      const headers = { cookie, ...sameOrigin };
      expect(leftOf(await limited.service.call("/api/users", { headers }))).toBe(2);
      expect(leftOf(await limited.get("/api/users", key))).toBe(1);
      expect(leftOf(await limited.service.call("/api/users", { headers }))).toBe(0);
      expect(await describeResponse(await limited.service.call("/api/users", { headers }))).toBe(
        "429 rate-limited",
      );
      expect(await describeResponse(await limited.get("/api/users", key))).toBe("429 rate-limited");
    });

    test("is nobody who shows no key or a wrong one, and what is for anybody has no limit", async () => {
      const { key } = await limited.key();
      for (const answer of [
        await limited.service.call("/api/users"),
        await limited.get("/api/users", unknownKey),
        await limited.get("/healthz", key),
        await limited.get("/problems/rate-limited", key),
      ]) {
        expect(fields(answer)).toEqual([null, null]);
      }
    });
  });

  describe("a monthly quota", () => {
    let limited: Limited;
    beforeAll(async () => {
      limited = await Limited.start({}, engine);
    });
    afterAll(() => limited.service.stop());

    test("is told beside the rate, and when it is used up every call is 429 until the next month", async () => {
      const { key, id } = await limited.key({ quota: 3, scopes: ["users:read"] });
      for (const left of [2, 1, 0]) {
        const answer = await limited.get("/api/users/999999", key);
        expect(answer.status).toBe(404);
        expect(answer.headers.get(POLICY)).toBe('"default";q=6000;w=60, "quota";q=3');
        const [, calls, seconds] =
          /, "quota";r=(\d+);t=(\d+)$/.exec(answer.headers.get("ratelimit") ?? "") ?? [];
        expect(Number(calls)).toBe(left);
        expectNextMonth(Number(seconds));
      }
      for (let call = 0; call < 5; call++) {
        const refused = await limited.get("/api/users", key);
        expect(refused.headers.get("ratelimit")).toContain(', "quota";r=0;t=');
        expectNextMonth(Number(refused.headers.get("retry-after")));
        expect(await describeResponse(refused)).toBe("429 quota-exceeded");
      }
      // What a key may not do is 403 and no call of its quota.
      expect(await describeResponse(await limited.get("/api/keys", key))).toBe("403 insufficient-scope");
      await limited.becomeUsed(id, 3);
    });

    test("does not count what was refused, and counts each call of a key and of its sessions once", async () => {
      const { key, id } = await limited.key({ quota: 50, rateLimit: { requests: 10, seconds: 86_400 } });
      const cookie = await signIn(limited.service, key);
      for (let call = 0; call < 5; call++) {
        await limited.get("/api/users", key);
        await limited.service.call("/api/users", { headers: { cookie, ...sameOrigin } });
      }
      expect(await describeResponse(await limited.get("/api/users", key))).toBe("429 rate-limited");
      // Of the ten that the rate allows, one was the sign-in, which is no call; the last of the session's was refused.
      await limited.becomeUsed(id, 9);
    });

    test("lets through exactly what it says of calls that come all at once", async () => {
      const { key } = await limited.key({ quota: 40 });
      const calls = Array.from({ length: 100 }, () => limited.get("/api/users?limit=1", key));
      const endings = await Promise.all((await Promise.all(calls)).map(describeResponse));
      expect(endings.filter((each) => each === "200").length).toBe(40);
      expect(new Set(endings)).toEqual(new Set(["200", "429 quota-exceeded"]));
    });
  });

  describe("without a rate", () => {
    test("callers are told nothing and never refused, but a key's own rate and quota hold", async () => {
      const limited = await Limited.start({ rateLimit: "0" }, engine);
      const { key } = await limited.key();
      for (let call = 0; call < 50; call++) {
        expect(fields(await limited.get("/api/users/1", key))).toEqual([null, null]);
      }
      const { key: slow } = await limited.key({ rateLimit: { requests: 1, seconds: 60 } });
      expect(fields(await limited.get("/api/users", slow))).toEqual([
        '"default";q=1;w=60',
        '"default";r=0;t=60',
      ]);
      expect(await describeResponse(await limited.get("/api/users", slow))).toBe("429 rate-limited");
      const { key: few } = await limited.key({ quota: 1 });
      const answer = await limited.get("/api/users", few);
      expect(answer.headers.get(POLICY)).toBe('"quota";q=1');
      expect(answer.headers.get("ratelimit")).toMatch(/^"quota";r=0;t=\d+$/);
      expect(await describeResponse(await limited.get("/api/users", few))).toBe("429 quota-exceeded");
      await limited.service.stop();
    });

    test("nobody of an open service is told of any limit", async () => {
      const service = await startService({}, engine);
      const made = await service.send("POST", "/api/users", { name: "Ada" });
      const answers = [made, await service.call("/api/users"), await service.call("/api/users/999")];
      answers.push(await service.call("/api/users/1", { headers: { "if-none-match": '"1"' } }));
      answers.push(await service.send("POST", "/api/users", {}), await service.call("/api/session"));
      answers.push(await service.call("/api/users/1", { method: "DELETE" }));
      expect(answers.map(({ status }) => status)).toEqual([201, 200, 404, 304, 422, 200, 204]);
      for (const answer of answers) expect(fields(answer)).toEqual([null, null]);
      await service.stop();
    });
  });
});

/** Whoever comes back after so many seconds finds that the month has begun, and has not waited for long. */
function expectNextMonth(seconds: number): void {
  expect(seconds - untilNextMonth(Date.now()) / 1000).toBeWithin(0, 2);
}

test("whoever waits for the next month as long as Retry-After says is admitted then", async () => {
  const limited = await Limited.start();
  const { key } = await limited.key({ quota: 1 });
  const now = Date.now;
  const shift = untilNextMonth(now()) - 1000;
  const clock = spyOn(Date, "now").mockImplementation(() => now() + shift);
  try {
    expect(await describeResponse(await limited.get("/api/users", key))).toBe("200");
    const refused = await limited.get("/api/users", key);
    expect(refused.status).toBe(429);
    await Bun.sleep(Number(refused.headers.get("retry-after")) * 1000);
    expect(await describeResponse(await limited.get("/api/users", key))).toBe("200");
    // Within a second or so the new month's calls are counted, and held against the same quota.
    await Bun.sleep(1500);
    expect(await describeResponse(await limited.get("/api/users", key))).toBe("200");
    expect(await describeResponse(await limited.get("/api/users", key))).toBe("429 quota-exceeded");
  } finally {
    clock.mockRestore();
    await limited.service.stop();
  }
});
