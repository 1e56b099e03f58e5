import { afterEach, describe, expect, spyOn, test } from "bun:test";
import { ApiError, NetworkError, RequestError, type Retry, requestJson } from "../../src/client/index.ts";
import type { ProblemType } from "../../src/contract/problems.ts";
import { STRICT_TIMES, timeLimit } from "../support/time-limit.ts";
import {
  ada,
  type CannedResponse,
  failureOf,
  json,
  problem,
  quietClient,
  type Step,
  startServer,
  stopServers,
  unusedUrl,
} from "./support/servers.ts";

afterEach(stopServers);

type Users = ReturnType<typeof quietClient>["users"];

const retryNow = { "retry-after": "0" };
const failures: Record<string, Step> = {
  "a lost connection": "drop",
  "429": { status: 429, headers: retryNow, body: "slow down" },
  "503": problem("unavailable", retryNow),
};
const changes: Record<string, [CannedResponse, (users: Users) => Promise<unknown>]> = {
  get: [json(ada), (users) => users.get(7)],
  list: [json([ada]), (users) => users.list().page()],
  create: [json(ada, 201), (users) => users.create({ name: "Ada" })],
  replace: [json(ada), (users) => users.replace(7, { name: "Ada" })],
  "update, a merge patch,": [json(ada), (users) => users.update(7, { name: "Ada" })],
  delete: [{ status: 204 }, (users) => users.delete(7)],
  'replace if it exists ("*")': [json(ada), (users) => users.replace(7, { name: "Ada" }, { ifMatch: "*" })],
};

describe("idempotent calls are retried", () => {
  for (const [name, [response, act]] of Object.entries(changes)) {
    for (const [what, failure] of Object.entries(failures)) {
      test(`${name} after ${what}`, async () => {
        const { url, seen } = await startServer(failure, response);
        await act(quietClient(url).users);
        expect(seen).toHaveLength(2);
        const [first, second] = seen.map(({ at, ...request }) => request);
        expect(second).toEqual(first);
      });
    }
  }

  test("a create sends a random idempotency key, the same with each try", async () => {
    const { url, seen } = await startServer("drop", problem("unavailable", retryNow), json(ada, 201));
    const { users } = quietClient(url);
    await users.create({ name: "Ada" });
    await users.create({ name: "Ada" });
    const keys = seen.map(({ headers }) => headers["idempotency-key"]);
    expect(keys[0]).toMatch(/^\d+(-\d+){3}$/);
    expect(keys.slice(0, 3)).toEqual([keys[0], keys[0], keys[0]]);
    expect(keys[3]).not.toBe(keys[0]);
  });

  test("a create sends the idempotency key of its options", async () => {
    const { url, seen } = await startServer("drop", json(ada, 201));
    await quietClient(url).users.create({ name: "Ada" }, { idempotencyKey: "mine" });
    expect(seen.map(({ headers }) => headers["idempotency-key"])).toEqual(["mine", "mine"]);
  });

  test("a create waits for its first try if that is still running", async () => {
    const { url, seen } = await startServer("drop", problem("idempotency-in-flight"), json(ada, 201));
    expect(await quietClient(url).users.create({ name: "Ada" })).toEqual(ada);
    expect(seen).toHaveLength(3);
  });

  test("a delete succeeds if a retry does not find the user", async () => {
    const { url, seen } = await startServer("drop", problem("user-not-found"));
    expect(await quietClient(url).users.delete(7)).toBeUndefined();
    expect(seen).toHaveLength(2);
  });

  test("only the client repeats a delete, not the platform, even on a reused connection", async () => {
    const { url, seen } = await startServer(json(ada), "drop", problem("user-not-found"));
    const retries: Retry[] = [];
    const { users } = quietClient(url, { onRetry: (retry) => retries.push(retry) });
    await users.get(7);
    await users.delete(7);
    expect(retries).toHaveLength(1);
    expect(seen.map(({ method }) => method)).toEqual(["GET", "DELETE", "DELETE"]);
  });

  test("a delete throws if the first try does not find the user", async () => {
    const { url } = await startServer(problem("user-not-found"));
    expect((await failureOf(ApiError, quietClient(url).users.delete(7))).type).toBe("user-not-found");
  });
});

describe("a change of one version", () => {
  const conditional: Record<string, [CannedResponse, (users: Users) => Promise<unknown>]> = {
    "replace with ifMatch": [json(ada), (users) => users.replace(7, { name: "Ada" }, { ifMatch: 3 })],
    "update with ifUnchanged": [json(ada), (users) => users.update(7, { name: "Ada" }, { ifUnchanged: ada })],
    "delete with ifUnchanged": [{ status: 204 }, (users) => users.delete(7, { ifUnchanged: ada })],
  };
  for (const [name, [response, act]] of Object.entries(conditional)) {
    test(`is retried after 429 only: ${name}`, async () => {
      const { url, seen } = await startServer(
        { status: 429, headers: retryNow },
        response,
        "drop",
        problem("unavailable", retryNow),
        response,
      );
      const { users } = quietClient(url);
      await act(users);
      expect(seen).toHaveLength(2);
      await failureOf(NetworkError, act(users));
      expect(seen).toHaveLength(3);
      expect((await failureOf(ApiError, act(users))).status).toBe(503);
      expect(seen).toHaveLength(4);
      expect(seen.map(({ headers }) => headers["if-match"])).toEqual(Array(4).fill('"3"'));
    });
  }
});

describe("permanent errors are not retried", () => {
  const types: ProblemType[] = ["email-taken", "version-mismatch", "invalid-user", "internal"];
  const permanentErrors: CannedResponse[] = [
    ...types.map((type) => problem(type, retryNow)),
    { status: 502 },
    { status: 504 },
  ];
  for (const response of permanentErrors) {
    test(`after ${response.status}`, async () => {
      const { url, seen } = await startServer(response);
      const error = await failureOf(ApiError, quietClient(url).users.create({ name: "Ada" }));
      expect(error).toMatchObject({ status: response.status, tries: 1 });
      expect(seen).toHaveLength(1);
    });
  }
});

describe("the delay", () => {
  test("follows Retry-After in seconds", async () => {
    const { url, seen } = await startServer(problem("unavailable", { "retry-after": "1" }), json(ada));
    await quietClient(url).users.get(7);
    expect((seen[1]?.at ?? 0) - (seen[0]?.at ?? 0)).toBeWithin(990, timeLimit(2500));
  });

  test("follows Retry-After as a date", async () => {
    const date = new Date(Date.now() + 1600).toUTCString();
    const { url } = await startServer(problem("unavailable", { "retry-after": date }), json(ada));
    const differences: number[] = [];
    await quietClient(url, {
      onRetry: ({ delay }) => differences.push(delay - Math.max(0, Date.parse(date) - Date.now())),
    }).users.get(7);
    expect(differences).toHaveLength(1);
    expect(differences[0]).toBeWithin(0, 1000);
  });

  test("is zero after a past date, and the default if Retry-After is invalid", async () => {
    const past = new Date(Date.now() - 60_000).toUTCString();
    const { url } = await startServer(
      problem("unavailable", { "retry-after": past }),
      problem("unavailable", { "retry-after": "whenever" }),
      problem("unavailable", { "retry-after": "0.02" }),
      json(ada),
    );
    const delays: number[] = [];
    await quietClient(url, { onRetry: ({ delay }) => delays.push(delay) }).users.get(7);
    expect(delays).toEqual([0, expect.any(Number), 20]);
    expect(delays[1]).toBeWithin(200, 401);
  });

  test("is not started if Retry-After exceeds the remaining time", async () => {
    const { url, seen } = await startServer(problem("unavailable", { "retry-after": "3600" }));
    const start = performance.now();
    const error = await failureOf(ApiError, quietClient(url, { timeout: 30_000 }).users.get(7));
    expect(error).toMatchObject({ status: 503, type: "unavailable", tries: 1 });
    expect(performance.now() - start).toBeLessThan(timeLimit(1000));
    expect(seen).toHaveLength(1);
  });

  test("grows with each try, with random jitter", async () => {
    const url = await unusedUrl();
    const first: number[] = [];
    const pauses = async () => {
      const delays: number[] = [];
      await failureOf(
        NetworkError,
        quietClient(url, { retries: 3, onRetry: ({ delay }) => delays.push(delay) }).users.get(7),
      );
      expect(delays).toHaveLength(3);
      for (const [at, delay] of delays.entries()) expect(delay).toBeWithin(100 * 2 ** at, 200 * 2 ** at + 1);
      first.push(...delays);
    };
    await Promise.all([pauses(), pauses(), pauses(), pauses()]);
    expect(new Set(first).size).toBeGreaterThan(6);
  });
});

describe("tries", () => {
  test("are limited by `retries`, and counted in the error", async () => {
    const { url, seen } = await startServer(problem("unavailable", retryNow));
    const error = await failureOf(ApiError, quietClient(url, { retries: 2 }).users.get(7));
    expect(seen).toHaveLength(3);
    expect(error.tries).toBe(3);
    expect(error.message).toEndWith("(tried 3 times)");
    await failureOf(ApiError, quietClient(url, { retries: 0 }).users.get(7));
    expect(seen).toHaveLength(4);
  });

  test("end at the timeout", async () => {
    const url = await unusedUrl();
    const start = performance.now();
    // A NetworkError, or a TimeoutError if the last try had hardly any time.
    const error = await failureOf(
      RequestError,
      quietClient(url, { retries: 99, timeout: 2000 }).users.get(7),
    );
    expect(performance.now() - start).toBeLessThan(timeLimit(2500));
    // The delays before the first three retries are at most 1.4 s together.
    expect(error.tries).toBeWithin(STRICT_TIMES ? 4 : 2, 9);
  });

  test("that fail are reported to onRetry", async () => {
    const { url } = await startServer("drop", problem("unavailable", retryNow), json(ada));
    const retries: Retry[] = [];
    await quietClient(url, { onRetry: (retry) => retries.push(retry) }).users.get(7);
    expect(retries).toMatchObject([{ tries: 1 }, { tries: 2, delay: 0 }]);
    expect(retries[0]?.error).toBeInstanceOf(NetworkError);
    expect(retries[1]?.error).toMatchObject({ status: 503, type: "unavailable" });
  });

  test("that fail are logged to the console by default", async () => {
    const { url } = await startServer(problem("unavailable", retryNow), json({ fine: true }));
    const warn = spyOn(console, "warn").mockImplementation(() => undefined);
    try {
      await requestJson(`${url}/status`);
      expect(warn.mock.calls).toEqual([
        [expect.stringMatching(/^GET \/status: 503 unavailable: .*; retrying in 0 ms$/)],
      ]);
    } finally {
      warn.mockRestore();
    }
  });
});
