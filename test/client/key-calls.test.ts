import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  ApiError,
  type Client,
  type CreatedKey,
  type Key,
  NetworkError,
  RequestError,
  type Retry,
  TimeoutError,
} from "../../src/client/index.ts";
import { until } from "../support/until.ts";
import { restoreClock, skipDelays, stopClock } from "./support/clock.ts";
import {
  type CannedResponse,
  failure,
  failureOf,
  json,
  problem,
  quietClient,
  type Step,
  startServer,
  stopServers,
} from "./support/servers.ts";

let delays: readonly number[];
beforeEach(() => {
  delays = skipDelays();
});
afterEach(restoreClock);
afterEach(stopServers);

type Keys = Client["keys"];

const retryNow = { "retry-after": "0" };
const ci: Key = {
  id: 7,
  name: "ci",
  prefix: "roster_q7Xw2",
  scopes: ["users:read"],
  createdAt: "2026-11-15T09:30:00.000Z",
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
  rateLimit: { requests: 10, seconds: 60 },
  quota: 100_000,
  usage: { month: "2026-11", requests: 17 },
};
const newKey: CreatedKey = { ...ci, key: "roster_q7Xw2LmZ0aVt9KcR4sYbE1uHdJ8nPf2MwQ00" };
const input = { name: "ci", scopes: ["users:read"] } as const;

describe("a call about keys", () => {
  test("sends its arguments to the path of keys", async () => {
    const { url, seen } = await startServer(json(ci), json(newKey, 201), json(newKey, 201), { status: 204 });
    const { keys } = quietClient(url, { apiKey: "roster_mine" });
    expect(await keys.get(7)).toEqual(ci);
    expect(await keys.create({ ...input, quota: null })).toEqual(newKey);
    expect(await keys.replace(7, { graceSeconds: 60, scopes: ["users:write"] })).toEqual(newKey);
    expect(await keys.revoke("7")).toBeUndefined();
    expect(seen.map(({ method, target, body }) => [method, target, body && JSON.parse(body)])).toEqual([
      ["GET", "/api/keys/7", ""],
      ["POST", "/api/keys", { ...input, quota: null }],
      ["POST", "/api/keys", { replaces: 7, graceSeconds: 60, scopes: ["users:write"] }],
      ["DELETE", "/api/keys/7", ""],
    ]);
    for (const { headers } of seen) {
      expect(headers.authorization).toBe("Bearer roster_mine");
      expect(headers["idempotency-key"]).toBeUndefined();
    }
  });

  test("replaces the key with this id, even if the changes name another", async () => {
    const { url, seen } = await startServer(json(newKey, 201));
    const changes = { graceSeconds: 0, replaces: 8 };
    await quietClient(url).keys.replace(7, changes);
    expect(JSON.parse(seen[0]?.body ?? "")).toEqual({ graceSeconds: 0, replaces: 7 });
  });

  test("encodes its id", async () => {
    const { url, seen } = await startServer(json(ci), { status: 204 });
    const { keys } = quietClient(url);
    await keys.get("../users/1");
    await keys.revoke("../users/1");
    expect(seen.map(({ target }) => target)).toEqual(Array(2).fill("/api/keys/..%2Fusers%2F1"));
    await failureOf(RangeError, keys.get(".."));
    await failureOf(RangeError, keys.revoke(""));
    expect(seen).toHaveLength(2);
  });

  test("throws an ApiError without the secret if the response is not a key", async () => {
    const wrong: [CannedResponse, (keys: Keys) => Promise<unknown>, string][] = [
      [json({ id: 7 }), (keys) => keys.get(7), "a key"],
      [json(ci, 201), (keys) => keys.create(input), "a key"],
      [json({ key: newKey.key }, 201), (keys) => keys.create(input), "a key"],
      [json([newKey], 201), (keys) => keys.replace(7, { graceSeconds: 0 }), "a key"],
      [json(ci), (keys) => keys.list().page(), "a list of keys"],
      [json([ci, { id: 8 }]), (keys) => keys.list().all(), "a list of keys"],
      [json({ ok: true }), (keys) => keys.revoke(7), "empty"],
    ];
    for (const [response, act, what] of wrong) {
      const { url } = await startServer(response);
      const error = await failureOf(ApiError, act(quietClient(url).keys));
      expect(error.message).toEndWith(`the response is not ${what}. Is this a Roster service?`);
      expect(Bun.inspect(error)).not.toContain(newKey.key);
    }
  });

  test("calls onError once per error", async () => {
    const { url } = await startServer(problem("key-not-found"));
    const reported: unknown[] = [];
    const { keys } = quietClient(url, { onError: (error) => reported.push(error) });
    const thrown = [
      await failure(keys.get(7)),
      await failure(keys.create(input)),
      await failure(keys.replace(7, { graceSeconds: 0 })),
      await failure(keys.revoke(7)),
      await failure(keys.list().page()),
      await failure(keys.list().all()),
      await failure(keys.get("..")),
    ];
    expect(reported.map((error, at) => error === thrown[at])).toEqual(Array(7).fill(true));
  });

  test("ends on its signal and its timeout", async () => {
    const time = stopClock();
    const { url, seen } = await startServer("silence");
    const { keys } = quietClient(url);
    const signal = AbortSignal.abort("enough");
    const calls = [
      keys.get(7, { signal }),
      keys.create(input, { signal }),
      keys.replace(7, { graceSeconds: 0 }, { signal }),
      keys.revoke(7, { signal }),
      keys.list({ signal }).page(),
    ];
    expect(await Promise.all(calls.map(failure))).toEqual(Array(5).fill("enough"));
    const late = [keys.create(input, { timeout: 30 }), keys.list({ timeout: 30 }).all()];
    const errors = late.map((call) => failureOf(TimeoutError, call));
    await until(() => seen.length === 2);
    expect(time.timers()).toEqual([30, 30]);
    time.pass(30);
    for (const error of await Promise.all(errors)) expect(error.message).toEndWith("within 30 ms");
  });
});

describe("a list of keys", () => {
  const pages = ["a", "b"].map((after) =>
    json([ci], 200, { link: `</api/keys?limit=1&after=${after}>; rel="next"` }),
  );

  test("fetches pages as it is read", async () => {
    const { url, seen } = await startServer(...pages, json([{ ...ci, id: 9 }]));
    const ids: number[] = [];
    for await (const key of quietClient(url).keys.list({ limit: 1 })) ids.push(key.id);
    expect(ids).toEqual([7, 7, 9]);
    expect(seen.map(({ target }) => target)).toEqual([
      "/api/keys?limit=1",
      "/api/keys?limit=1&after=a",
      "/api/keys?limit=1&after=b",
    ]);
  });

  test("returns a page, or all keys up to a maximum", async () => {
    const { url, seen } = await startServer(...pages);
    const { keys } = quietClient(url);
    expect(await keys.list({ limit: 1, after: "z" }).page()).toEqual({ keys: [ci], next: "a" });
    expect(seen[0]?.target).toBe("/api/keys?limit=1&after=z");
    const error = await failureOf(RangeError, keys.list().all({ max: 1 }));
    expect(error.message).toBe("There are more than 1 keys: iterate, or set { max }.");
  });
});

describe("creating a key", () => {
  const creations: Record<string, (keys: Keys) => Promise<unknown>> = {
    create: (keys) => keys.create(input),
    replace: (keys) => keys.replace(7, { graceSeconds: 3600 }),
  };
  /** Failures after which it is unknown whether the key was created. */
  const uncertainFailures: Record<string, Step> = {
    "a lost connection": "drop",
    "a response that is cut off": {
      status: 201,
      headers: { "content-length": "999", connection: "close" },
      body: "{",
    },
    silence: "silence",
    "503": problem("unavailable", retryNow),
  };

  for (const [name, act] of Object.entries(creations)) {
    for (const [what, step] of Object.entries(uncertainFailures)) {
      test(`is tried once, because the secret could be lost: ${name} after ${what}`, async () => {
        const time = stopClock();
        const { url, seen } = await startServer(step, json(newKey, 201));
        const { keys } = quietClient(url, { tryTimeout: 200 });
        const error = failureOf(RequestError, act(keys));
        await until(() => seen.length === 1);
        if (step === "silence") time.pass(200);
        expect((await error).tries).toBe(1);
        expect(seen).toHaveLength(1);
        expect(delays).toEqual([]);
      });
    }

    test(`is retried if it was not processed: ${name} after 429`, async () => {
      const { url, seen } = await startServer(problem("rate-limited", retryNow), json(newKey, 201));
      expect(await act(quietClient(url).keys)).toEqual(newKey);
      expect(seen).toHaveLength(2);
      expect(seen[1]).toEqual(seen[0]);
    });

    test(`is not repeated by the platform, even on a reused connection: ${name}`, async () => {
      const { url, seen } = await startServer(json(ci), "drop", json(newKey, 201));
      const { keys } = quietClient(url);
      await keys.get(7);
      await failureOf(NetworkError, act(keys));
      expect(seen.map(({ method }) => method)).toEqual(["GET", "POST"]);
    });
  }
});

describe("idempotent calls are retried", () => {
  const calls: Record<string, [CannedResponse, (keys: Keys) => Promise<unknown>]> = {
    get: [json(ci), (keys) => keys.get(7)],
    list: [json([ci]), (keys) => keys.list().page()],
    revoke: [{ status: 204 }, (keys) => keys.revoke(7)],
  };
  for (const [name, [response, act]] of Object.entries(calls)) {
    test(`${name}, after a lost connection, 429 and 503`, async () => {
      const { url, seen } = await startServer(
        "drop",
        problem("rate-limited", retryNow),
        problem("unavailable", retryNow),
        response,
      );
      await act(quietClient(url).keys);
      expect(seen).toHaveLength(4);
    });
  }

  test("but a revoke throws if the key does not exist, on any try: keys are not deleted", async () => {
    const { url } = await startServer("drop", problem("key-not-found"));
    const error = await failureOf(ApiError, quietClient(url).keys.revoke(7));
    expect(error).toMatchObject({ type: "key-not-found", tries: 2 });
  });
});

describe("an exceeded quota", () => {
  const days = { "retry-after": String(11 * 86_400) };

  test("throws an ApiError immediately", async () => {
    for (const options of [{}, { timeout: Number.POSITIVE_INFINITY }]) {
      const { url, seen } = await startServer(problem("quota-exceeded", days));
      const retries: Retry[] = [];
      const { users, keys } = quietClient(url, { ...options, onRetry: (retry) => retries.push(retry) });
      const calls = [users.get(7), users.create({ name: "Ada" }), keys.get(7), keys.create(input)];
      for (const error of await Promise.all(calls.map((call) => failureOf(ApiError, call)))) {
        expect(error).toMatchObject({ status: 429, type: "quota-exceeded", tries: 1 });
        expect(error.headers.get("retry-after")).toBe(days["retry-after"]);
      }
      expect(seen).toHaveLength(4);
      expect(retries).toEqual([]);
    }
  });

  test("is not retried, even at the end of the month", async () => {
    const { url, seen } = await startServer(problem("quota-exceeded", retryNow));
    await failureOf(ApiError, quietClient(url).users.get(7));
    expect(seen).toHaveLength(1);
  });
});

describe("the delay of a 429 response", () => {
  test("is not started if it exceeds the remaining time", async () => {
    const { url, seen } = await startServer(problem("rate-limited", { "retry-after": "31" }));
    const error = await failureOf(ApiError, quietClient(url).users.get(7));
    expect(error).toMatchObject({ status: 429, type: "rate-limited", tries: 1 });
    expect(delays).toEqual([]);
    expect(seen).toHaveLength(1);
  });

  test("is waited for if there is time", async () => {
    const { url, seen } = await startServer(problem("rate-limited", { "retry-after": "1" }), json(ci));
    expect(await quietClient(url).keys.get(7)).toEqual(ci);
    expect(delays).toEqual([1000]);
    expect(seen).toHaveLength(2);
  });
});
