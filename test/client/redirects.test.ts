import { afterEach, describe, expect, test } from "bun:test";
import { ApiError, requestJson } from "../../src/client/index.ts";
import {
  ada,
  type CannedResponse,
  failureOf,
  json,
  problem,
  quietClient,
  startServer,
  stopServers,
} from "./support/servers.ts";

afterEach(stopServers);

const apiKey = "rk_test";
const to = (location: string, status = 302): CannedResponse => ({ status, headers: { location } });

describe("with a key", () => {
  for (const status of [301, 302, 303, 307, 308]) {
    test(`a redirect (${status}) to another origin is not followed`, async () => {
      const other = await startServer(json(ada));
      const { url, seen } = await startServer(to(`${other.url}/api/users/7`, status));
      const error = await failureOf(ApiError, quietClient(url, { apiKey }).users.get(7));
      expect(error.message).toBe(
        `GET /api/users/7: ${status}: the redirect to ${other.url}/api/users/7 was not followed`,
      );
      expect(error.status).toBe(status);
      expect(seen).toHaveLength(1);
      expect(other.seen).toEqual([]);
    });
  }

  test("another port, host name or protocol is another origin", async () => {
    const other = await startServer(json(ada));
    for (const location of [other.url, other.url.replace("127.0.0.1", "localhost")]) {
      const { url } = await startServer(to(location));
      await failureOf(ApiError, quietClient(url, { apiKey }).users.get(7));
    }
    const { url } = await startServer(to("https://127.0.0.1/"), to("//roster.invalid/"));
    await failureOf(ApiError, quietClient(url, { apiKey }).users.get(7));
    await failureOf(ApiError, quietClient(url, { apiKey }).users.get(7));
    expect(other.seen).toEqual([]);
  });

  test("a read follows redirects within the origin, with the key", async () => {
    const { url, seen } = await startServer(to("/moved"), to("again?x=y", 308), json(ada));
    expect(await quietClient(url, { apiKey }).users.get(7)).toEqual(ada);
    expect(seen.map(({ target }) => target)).toEqual(["/api/users/7", "/moved", "/again?x=y"]);
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(Array(3).fill(`Bearer ${apiKey}`));
  });

  test("a read does not follow a redirect that leaves the origin on the second hop", async () => {
    const other = await startServer(json(ada));
    const { url, seen } = await startServer(to("/moved"), to(other.url));
    await failureOf(ApiError, quietClient(url, { apiKey }).users.get(7));
    expect(seen).toHaveLength(2);
    expect(other.seen).toEqual([]);
  });

  test("endless redirects throw", async () => {
    const { url, seen } = await startServer(to("/api/users/7"));
    await failureOf(ApiError, quietClient(url, { apiKey }).users.get(7));
    expect(seen).toHaveLength(6);
  });

  test("an invalid Location throws an ApiError", async () => {
    const { url } = await startServer(to("http://["));
    expect((await failureOf(ApiError, quietClient(url, { apiKey }).users.get(7))).status).toBe(302);
  });

  test("requestJson sends no credential headers to other origins", async () => {
    for (const name of ["Authorization", "X-Api-Key", "Cookie", "X-Auth-Token"]) {
      const other = await startServer(json({}));
      const { url } = await startServer(to(other.url));
      await failureOf(ApiError, requestJson(url, { headers: { [name]: apiKey } }));
      expect(other.seen).toEqual([]);
    }
  });
});

describe("without a key", () => {
  test("a read follows any redirect", async () => {
    const other = await startServer(json(ada));
    const { url } = await startServer(to(`${other.url}/elsewhere`));
    expect(await quietClient(url).users.get(7)).toEqual(ada);
    expect(other.seen).toMatchObject([{ method: "GET", target: "/elsewhere" }]);
    expect(other.seen[0]?.headers.authorization).toBeUndefined();
  });

  test("an endless redirect throws", async () => {
    const { url } = await startServer(to("/api/users/7"));
    expect(await quietClient(url, { retries: 0 }).users.get(7).catch(String)).toMatch(/GET \/api\/users\/7/);
  });
});

describe("a change", () => {
  test("follows redirects that keep the method (307, 308)", async () => {
    const other = await startServer(json(ada, 201));
    const { url, seen } = await startServer(to(`${other.url}/x`, 307));
    expect(await quietClient(url).users.create({ name: "Ada" })).toEqual(ada);
    expect(other.seen).toMatchObject([{ method: "POST", target: "/x", body: '{"name":"Ada"}' }]);
    expect(other.seen[0]?.headers["idempotency-key"]).toBe(seen[0]?.headers["idempotency-key"] ?? "none");
  });

  for (const status of [301, 302, 303]) {
    test(`never becomes a read (${status})`, async () => {
      const { url, seen } = await startServer(to("/elsewhere", status), json(ada));
      const { users } = quietClient(url);
      expect((await failureOf(ApiError, users.create({ name: "Ada" }))).status).toBe(status);
      expect(seen).toMatchObject([{ method: "POST", target: "/api/users" }]);
    });
  }

  test("such as a delete is not redirected to another origin", async () => {
    const { url, seen } = await startServer(to("/login", 303), problem("not-found"));
    await failureOf(ApiError, quietClient(url).users.delete(7));
    expect(seen).toHaveLength(1);
  });
});
