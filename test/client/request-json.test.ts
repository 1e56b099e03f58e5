import { afterEach, describe, expect, test } from "bun:test";
import { ApiError, NetworkError, requestJson, TimeoutError } from "../../src/client/index.ts";
import { answering, failure, failureOf, json, problem, stopServers } from "./servers.ts";

afterEach(stopServers);

const onRetry = () => undefined;
const soon = { "retry-after": "0" };

describe("requestJson", () => {
  test("reads with GET, and gives the JSON", async () => {
    const { url, seen } = await answering(json({ fine: [1, null] }));
    expect(await requestJson(`${url}/status?deep=true`)).toEqual({ fine: [1, null] });
    expect(await requestJson(new URL(url))).toEqual({ fine: [1, null] });
    expect(seen).toMatchObject([{ method: "GET", target: "/status?deep=true" }, { target: "/" }]);
    expect(seen[0]?.headers.accept).toBe("application/json");
    expect(seen[0]?.headers["content-type"]).toBeUndefined();
  });

  test("sends a body as JSON with POST, or with the method that is given", async () => {
    const { url, seen } = await answering({ status: 204 });
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

  test("sends the headers that are given, also instead of its own", async () => {
    const { url, seen } = await answering(json(1));
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
    const { url } = await answering(
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

  test("knows a problem without a detail by its title", async () => {
    const { url } = await answering(json({ type: "about:blank", title: "Not Found" }, 404));
    expect((await failureOf(ApiError, requestJson(url))).message).toBe("GET /: 404 about:blank: Not Found");
  });

  test("tries again what may be repeated", async () => {
    for (const init of [{}, { method: "PUT", body: {} }, { method: "DELETE" }]) {
      const { url, seen } = await answering("drop", problem("unavailable", soon), json(1));
      expect(await requestJson(url, { ...init, onRetry })).toBe(1);
      expect(seen).toHaveLength(3);
    }
  });

  test("tries a POST again only with an Idempotency-Key, or when it was not done (429)", async () => {
    const body = {};
    const lost = await answering("drop", json(1));
    await failureOf(NetworkError, requestJson(lost.url, { body, onRetry }));
    const away = await answering(problem("unavailable", soon), json(1));
    await failureOf(ApiError, requestJson(away.url, { body, onRetry }));
    expect([lost.seen.length, away.seen.length]).toEqual([1, 1]);
    const keyed = await answering("drop", problem("unavailable", soon), json(1));
    expect(await requestJson(keyed.url, { body, headers: { "Idempotency-Key": "k" }, onRetry })).toBe(1);
    const busy = await answering({ status: 429, headers: soon }, json(1));
    expect(await requestJson(busy.url, { body, onRetry })).toBe(1);
  });

  test("does not repeat what is meant for one version", async () => {
    const { url, seen } = await answering("drop", json(1));
    await failureOf(
      NetworkError,
      requestJson(url, { method: "PUT", body: {}, headers: { "If-Match": '"1"' } }),
    );
    expect(seen).toHaveLength(1);
  });

  test("takes the client's options for one call", async () => {
    const { url, seen } = await answering(problem("unavailable", soon));
    const told: unknown[] = [];
    const error = await failure(
      requestJson(url, {
        retries: 1,
        onRetry: (retry) => told.push(retry.tries),
        onError: (e) => told.push(e),
      }),
    );
    expect(told).toEqual([1, error]);
    expect(seen).toHaveLength(2);
    const fetch = () => Response.json("mine");
    expect(await requestJson(url, { fetch })).toBe("mine");
  });

  test("throws at once what cannot be asked, and does not take it for a failure of the network", async () => {
    const { url, seen } = await answering(json(1));
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
    for (const asked of wrong) await failureOf(TypeError, requestJson(...asked));
    expect(seen).toEqual([]);
  });
});
