import { afterEach, beforeEach, describe, expect, setSystemTime, spyOn, test } from "bun:test";
import { ApiError, NetworkError, type Retry, requestJson, TimeoutError } from "../../src/client/index.ts";
import type { ProblemType } from "../../src/contract/problems.ts";
import { until } from "../support/until.ts";
import { restoreClock, skipDelays, stopClock } from "./support/clock.ts";
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

let delays: readonly number[];
beforeEach(() => {
  delays = skipDelays();
});
afterEach(restoreClock);
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
        expect(seen[1]).toEqual(seen[0]);
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
  /** The delays that `onRetry` reports before a call succeeds or fails. */
  const reportedDelays = async (url: string, options = {}) => {
    const reported: number[] = [];
    const { users } = quietClient(url, { ...options, onRetry: ({ delay }) => reported.push(delay) });
    const outcome = await users.get(7).catch((error: unknown) => error);
    return { reported, outcome };
  };

  test("is reported, and waited for", async () => {
    restoreClock();
    const time = stopClock();
    const retried = Promise.withResolvers<Retry>();
    const { url, seen } = await startServer(problem("unavailable", { "retry-after": "1" }), json(ada));
    const user = quietClient(url, { onRetry: retried.resolve }).users.get(7);
    expect(await retried.promise).toMatchObject({ tries: 1, delay: 1000 });
    expect(time.timers()).toEqual([1000]);
    time.pass(999);
    expect(time.timers()).toEqual([1]);
    expect(seen).toHaveLength(1);
    time.pass(1);
    expect(await user).toEqual(ada);
    expect(seen).toHaveLength(2);
    expect(time.timers()).toEqual([]);
  });

  test("follows Retry-After in seconds", async () => {
    const { url } = await startServer(
      problem("unavailable", { "retry-after": "1" }),
      problem("unavailable", { "retry-after": "0.02" }),
      problem("unavailable", { "retry-after": "0" }),
      json(ada),
    );
    expect(await reportedDelays(url)).toEqual({ reported: [1000, 20, 0], outcome: ada });
    expect(delays).toEqual([1000, 20, 0]);
  });

  test("follows Retry-After as a date", async () => {
    const now = Date.parse("2026-11-16T08:00:00.400Z");
    setSystemTime(now);
    try {
      const future = new Date(now + 1600).toUTCString();
      const past = new Date(now - 60_000).toUTCString();
      const { url } = await startServer(
        problem("unavailable", { "retry-after": future }),
        problem("unavailable", { "retry-after": past }),
        json(ada),
      );
      expect(await reportedDelays(url)).toEqual({ reported: [1600, 0], outcome: ada });
      expect(delays).toEqual([1600, 0]);
    } finally {
      setSystemTime();
    }
  });

  test("is the default if Retry-After is invalid", async () => {
    const { url } = await startServer(
      problem("unavailable", retryNow),
      problem("unavailable", { "retry-after": "whenever" }),
      json(ada),
    );
    await reportedDelays(url);
    expect(delays).toEqual([0, expect.any(Number)]);
    expect(delays[1]).toBeWithin(200, 401);
  });

  test("is not started if Retry-After exceeds the remaining time", async () => {
    const { url, seen } = await startServer(problem("unavailable", { "retry-after": "3600" }));
    const error = await failureOf(ApiError, quietClient(url, { timeout: 30_000 }).users.get(7));
    expect(error).toMatchObject({ status: 503, type: "unavailable", tries: 1 });
    expect(delays).toEqual([]);
    expect(seen).toHaveLength(1);
  });

  test("grows with each try, with random jitter", async () => {
    const url = await unusedUrl();
    for (let call = 0; call < 4; call++) {
      const { reported, outcome } = await reportedDelays(url, { retries: 3 });
      expect(outcome).toBeInstanceOf(NetworkError);
      expect(reported).toHaveLength(3);
      for (const [at, delay] of reported.entries())
        expect(delay).toBeWithin(100 * 2 ** at, 200 * 2 ** at + 1);
      expect(delays.slice(-3)).toEqual(reported);
    }
    expect(new Set(delays).size).toBeGreaterThan(6);
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
    restoreClock();
    const time = stopClock();
    // The delays are 200, 400 and 800 ms. The next one would take 1600 ms.
    const random = spyOn(Math, "random").mockReturnValue(1);
    try {
      const url = await unusedUrl();
      const waited: number[] = [];
      const onRetry = ({ delay }: Retry) => {
        waited.push(delay);
        setImmediate(() => time.pass(delay));
      };
      const users = quietClient(url, { retries: 99, timeout: 3000, onRetry }).users;
      const error = await failureOf(NetworkError, users.get(7));
      expect(waited).toEqual([200, 400, 800]);
      expect(error.tries).toBe(4);
      expect(time.timers()).toEqual([]);
    } finally {
      random.mockRestore();
    }
  });

  test("do not begin with too little time: they would report a timeout, and hide the reason", async () => {
    const random = spyOn(Math, "random").mockReturnValue(1);
    try {
      const users = quietClient(await unusedUrl(), { timeout: 399 }).users;
      // The delay would be 200 ms.
      expect((await failureOf(NetworkError, users.get(7))).tries).toBe(1);
    } finally {
      random.mockRestore();
    }
  });

  test("have only the time that is left", async () => {
    restoreClock();
    const time = stopClock();
    const { url, seen } = await startServer(problem("unavailable", { "retry-after": "2" }), "silence");
    const onRetry = ({ delay }: Retry) => void setImmediate(() => time.pass(delay));
    const users = quietClient(url, { timeout: 3000, onRetry }).users;
    const error = failureOf(TimeoutError, users.get(7));
    await until(() => seen.length === 2);
    expect(time.timers()).toEqual([1000]);
    time.pass(1000);
    expect((await error).message).toBe("GET /api/users/7: no response within 1000 ms (tried 2 times)");
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
