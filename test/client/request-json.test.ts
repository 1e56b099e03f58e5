import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { ApiError, NetworkError, requestJson, TimeoutError } from "../../src/client/index.ts";
import { restoreClock, skipDelays } from "./support/clock.ts";
import { failure, failureOf, json, problem, startServer, stopServers } from "./support/servers.ts";

beforeEach(() => void skipDelays());
afterEach(restoreClock);
afterEach(stopServers);

const onRetry = () => undefined;
const retryNow = { "retry-after": "0" };

describe("requestJson", () => {
  test("sends GET, and returns the JSON", async () => {
    const { url, seen } = await startServer(json({ fine: [1, null] }));
    expect(await requestJson(`${url}/status?deep=true`)).toEqual({ fine: [1, null] });
    expect(await requestJson(new URL(url))).toEqual({ fine: [1, null] });
    expect(seen).toMatchObject([{ method: "GET", target: "/status?deep=true" }, { target: "/" }]);
    expect(seen[0]?.headers.accept).toBe("application/json");
    expect(seen[0]?.headers["content-type"]).toBeUndefined();
  });

  test("sends a body as JSON with POST, or with the method of the options", async () => {
    const { url, seen } = await startServer({ status: 204 });
    expect(await requestJson(url, { body: { a: "é" } })).toBeUndefined();
    await requestJson(url, { body: null });
    await requestJson(url, { body: [1], method: "put" });
    await requestJson(url, { method: "delete" });
    expect(seen.map(({ method, body }) => [method, body])).toEqual([
      ["POST", '{"a":"é"}'],
      ["POST", "null"],
      ["PUT", "[1]"],
      ["DELETE", ""],
    ]);
    expect(seen[0]?.headers["content-type"]).toBe("application/json");
  });

  test("sends the headers of the options, which override its defaults", async () => {
    const { url, seen } = await startServer(json(1));
    const headers = {
      "Content-Type": "application/vnd.x+json",
      Accept: "application/vnd.y+json",
      "X-One": "1",
    };
    await requestJson(url, { body: {}, headers });
    await requestJson(url, { headers: [["X-Two", "2"]] });
    expect(seen[0]?.headers).toMatchObject({
      "content-type": "application/vnd.x+json",
      accept: "application/vnd.y+json",
      "x-one": "1",
    });
    expect(seen[1]?.headers["x-two"]).toBe("2");
  });

  test("throws the same errors as the client", async () => {
    const { url } = await startServer(
      problem("internal"),
      { status: 404, body: "nothing here" },
      "drop",
      "silence",
    );
    expect(await failureOf(ApiError, requestJson(url))).toMatchObject({ status: 500, type: "internal" });
    const plain = await failureOf(ApiError, requestJson(`${url}/x?key=private`));
    expect(plain.message).toBe('GET /x: 404: "nothing here"');
    await failureOf(NetworkError, requestJson(url, { body: {} }));
    await failureOf(TimeoutError, requestJson(url, { timeout: 20 }));
    expect(await failure(requestJson(url, { signal: AbortSignal.abort("enough") }))).toBe("enough");
  });

  test("shows the title of a problem without a detail", async () => {
    const { url } = await startServer(json({ type: "about:blank", title: "Not Found" }, 404));
    expect((await failureOf(ApiError, requestJson(url))).message).toBe("GET /: 404 about:blank: Not Found");
  });

  test("retries idempotent methods", async () => {
    for (const init of [{}, { method: "PUT", body: {} }, { method: "DELETE" }]) {
      const { url, seen } = await startServer("drop", problem("unavailable", retryNow), json(1));
      expect(await requestJson(url, { ...init, onRetry })).toBe(1);
      expect(seen).toHaveLength(3);
    }
  });

  test("retries a POST only with an Idempotency-Key, or on 429", async () => {
    const body = {};
    const lost = await startServer("drop", json(1));
    await failureOf(NetworkError, requestJson(lost.url, { body, onRetry }));
    const away = await startServer(problem("unavailable", retryNow), json(1));
    await failureOf(ApiError, requestJson(away.url, { body, onRetry }));
    expect([lost.seen.length, away.seen.length]).toEqual([1, 1]);
    const keyed = await startServer("drop", problem("unavailable", retryNow), json(1));
    expect(await requestJson(keyed.url, { body, headers: { "Idempotency-Key": "k" }, onRetry })).toBe(1);
    const busy = await startServer({ status: 429, headers: retryNow }, json(1));
    expect(await requestJson(busy.url, { body, onRetry })).toBe(1);
  });

  test("does not retry a request with If-Match", async () => {
    const { url, seen } = await startServer("drop", json(1));
    await failureOf(
      NetworkError,
      requestJson(url, { method: "PUT", body: {}, headers: { "If-Match": '"1"' } }),
    );
    expect(seen).toHaveLength(1);
  });

  test("accepts the client's options for one call", async () => {
    const { url, seen } = await startServer(problem("unavailable", retryNow));
    const reported: unknown[] = [];
    const error = await failure(
      requestJson(url, {
        retries: 1,
        onRetry: (retry) => reported.push(retry.tries),
        onError: (e) => reported.push(e),
      }),
    );
    expect(reported).toEqual([1, error]);
    expect(seen).toHaveLength(2);
    const fetch = () => Response.json("mine");
    expect(await requestJson(url, { fetch })).toBe("mine");
  });

  test("throws invalid arguments immediately, not as a NetworkError", async () => {
    const { url, seen } = await startServer(json(1));
    const loop: { self?: unknown } = {};
    loop.self = loop;
    const wrong: Parameters<typeof requestJson>[] = [
      ["not a URL"],
      ["ftp://host/"],
      ["http://ada:hunter2@localhost/"],
      [url, { headers: { "bad name": "x" } }],
      [url, { body: loop }],
      [url, { body: 1n }],
    ];
    for (const args of wrong) await failureOf(TypeError, requestJson(...args));
    expect(seen).toEqual([]);
  });
});
