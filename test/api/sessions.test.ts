import {
  afterAll,
  afterEach,
  beforeAll,
  describe,
  expect,
  setDefaultTimeout,
  setSystemTime,
  test,
} from "bun:test";
import type { NewKey } from "../../src/client/index.ts";
import { scopes } from "../../src/contract/key.ts";
import { bearer, createFirstKey, parseCookie, sameOrigin, signIn } from "../support/credentials.ts";
import { databaseOn, onEachEngine } from "../support/engines.ts";
import type { FreshDatabase } from "../support/postgres/fresh-database.ts";
import { describeResponse, waitForResponse } from "../support/responses.ts";
import { startService, type TestService } from "../support/service.ts";
import { testTls } from "../support/tls.ts";
import { readTables, runSql } from "./support/database-content.ts";

setDefaultTimeout(120_000);
const HOUR = 3_600_000;
const ATTRIBUTES = ["Path=/", "HttpOnly", "SameSite=Strict", "Max-Age=43200"];

onEachEngine((engine) => {
  let database: FreshDatabase;
  let service: TestService;
  /** On the same database: behind a trusted proxy, and with a TLS certificate. */
  let proxied: TestService;
  let secure: TestService;
  let key: string;

  beforeAll(async () => {
    database = await databaseOn(engine);
    service = await startService({ database: database.url, logLevel: "debug" }, engine);
    key = await createFirstKey(service);
    proxied = await startService({ database: database.url, trustedProxies: "127.0.0.1, ::1" }, engine);
    secure = await startService({ database: database.url, ...testTls.settings }, engine);
  }, 120_000);
  afterEach(() => {
    setSystemTime();
  });
  afterAll(async () => {
    for (const each of [service, proxied, secure]) await each.stop();
    await database.drop();
  }, 120_000);

  const readSession = (cookie: string, headers: Record<string, string> = sameOrigin) =>
    service.call("/api/session", { headers: { cookie, ...headers } });

  async function createKey(fields: object = {}): Promise<NewKey> {
    const body = { name: "other", scopes, ...fields };
    const response = await service.send("POST", "/api/keys", body, { "x-api-key": key });
    expect(response.status).toBe(201);
    return await response.json();
  }

  describe("a session", () => {
    test("starts with a key, describes the caller, and ends on sign-out", async () => {
      const created = await createKey({ name: "console", scopes: ["users:read"] });
      const response = await service.send("POST", "/api/session", { key: created.key }, sameOrigin);
      expect(response.headers.get("cache-control")).toBe("no-store");
      const cookie = parseCookie(response)?.pair ?? "";
      const session = await response.json();
      expect(session).toEqual({
        auth: "session",
        key: { id: created.id, name: "console" },
        scopes: ["users:read"],
        expiresAt: expect.any(String),
      });
      expect(Date.parse(session.expiresAt) - Date.now()).toBeWithin(12 * HOUR - 60_000, 12 * HOUR + 1);
      expect(await (await readSession(cookie)).json()).toEqual(session);
      expect(await describeResponse(await service.call("/api/users", { headers: { cookie } }))).toBe("200");

      const out = await service.call("/api/session", {
        method: "DELETE",
        headers: { cookie, ...sameOrigin },
      });
      expect(await describeResponse(out)).toBe("204");
      expect(parseCookie(out)).toMatchObject({
        value: "",
        attributes: [...ATTRIBUTES.slice(0, 3), "Max-Age=0"],
      });
      expect(await describeResponse(await readSession(cookie))).toBe("401 unauthenticated");
      expect(await describeResponse(await service.call("/api/users", { headers: { cookie } }))).toBe(
        "401 unauthenticated",
      );
    });

    test("can be signed out twice, or without a session", async () => {
      const cookie = await signIn(service, key);
      for (const headers of [{}, sameOrigin, { cookie, ...sameOrigin }, { cookie, ...sameOrigin }]) {
        expect((await service.call("/api/session", { method: "DELETE", headers })).status).toBe(204);
      }
    });

    test("has the scopes and the rate limit of its key", async () => {
      const rateLimit = { requests: 100, seconds: 60 };
      const created = await createKey({ scopes: ["users:read"], rateLimit });
      const cookie = await signIn(service, created.key);
      const response = await service.call("/api/users", { headers: { cookie, ...sameOrigin } });
      expect(response.headers.get("ratelimit-policy")).toBe('"default";q=100;w=60');
      const rejected = await service.send("POST", "/api/users", { name: "Ada" }, { cookie, ...sameOrigin });
      expect(await describeResponse(rejected)).toBe("403 insufficient-scope");
      expect(await describeResponse(await service.call("/api/keys", { headers: { cookie } }))).toBe(
        "403 insufficient-scope",
      );
    });

    test("is valid on every node at once, and ends on every node within about a second", async () => {
      const cookie = await signIn(service, key);
      const readThere = () => proxied.call("/api/session", { headers: { cookie } });
      expect(await describeResponse(await readThere())).toBe("200");
      await service.call("/api/session", { method: "DELETE", headers: { cookie, ...sameOrigin } });
      await waitForResponse("401 unauthenticated", readThere);
    });
  });

  describe("the cookie", () => {
    const signInAt = (at: TestService, headers: Record<string, string>) =>
      at.send("POST", "/api/session", { key }, { ...sameOrigin, ...headers });

    test("is HttpOnly and SameSite=Strict, for twelve hours", async () => {
      const cookie = parseCookie(await signInAt(service, {}));
      expect(cookie).toMatchObject({ name: "roster_session", attributes: ATTRIBUTES });
      expect(cookie?.value).toMatch(/^[\w-]{43}$/);
    });

    test("is Secure and __Host- if a trusted proxy reports https", async () => {
      const https = { "x-forwarded-proto": "https" };
      const cookie = parseCookie(await signInAt(proxied, https));
      expect(cookie).toMatchObject({ name: "__Host-roster_session", attributes: [...ATTRIBUTES, "Secure"] });
      const readThere = (headers: Record<string, string>) =>
        proxied.call("/api/session", { headers: { cookie: cookie?.pair ?? "", ...headers } });
      expect(await describeResponse(await readThere(https))).toBe("200");
      expect(await describeResponse(await readThere({}))).toBe("401 unauthenticated");
      const out = await proxied.call("/api/session", {
        method: "DELETE",
        headers: { cookie: cookie?.pair ?? "", ...sameOrigin, ...https },
      });
      expect(parseCookie(out)).toMatchObject({ name: "__Host-roster_session", value: "" });
      expect(parseCookie(out)?.attributes).toContain("Secure");
    });

    test.each(["http", "", "httpss", "wss"])("is not Secure if the proxy reports %p", async (proto) => {
      const cookie = parseCookie(await signInAt(proxied, { "x-forwarded-proto": proto }));
      expect(cookie).toMatchObject({ name: "roster_session", attributes: ATTRIBUTES });
    });

    test("is not Secure if an untrusted peer reports https", async () => {
      const cookie = parseCookie(await signInAt(service, { "x-forwarded-proto": "https" }));
      expect(cookie).toMatchObject({ name: "roster_session", attributes: ATTRIBUTES });
    });

    test("is Secure and __Host- if the service has a certificate", async () => {
      const url = `https://localhost:${new URL(secure.url).port}/api/session`;
      const tls = { ca: testTls.ca };
      const response = await fetch(url, {
        method: "POST",
        body: JSON.stringify({ key }),
        headers: { "content-type": "application/json", ...sameOrigin },
        tls,
      });
      const cookie = parseCookie(response);
      expect(cookie).toMatchObject({ name: "__Host-roster_session", attributes: [...ATTRIBUTES, "Secure"] });
      const readThere = (pair: string) => fetch(url, { headers: { cookie: pair }, tls });
      expect(await describeResponse(await readThere(cookie?.pair ?? ""))).toBe("200");
      expect(await describeResponse(await readThere(`roster_session=${cookie?.value}`))).toBe(
        "401 unauthenticated",
      );
    });
  });

  describe("a token", () => {
    test("is new at each sign-in, and the previous one is invalid", async () => {
      const first = await signIn(service, key);
      const second = await signIn(service, key, { cookie: first });
      expect(second).not.toBe(first);
      expect(await describeResponse(await readSession(first))).toBe("401 unauthenticated");
      expect(await describeResponse(await readSession(second))).toBe("200");
    });

    test("that was set before the sign-in is not adopted", async () => {
      const planted = `roster_session=${"A".repeat(43)}`;
      const issued = await signIn(service, key, { cookie: planted });
      expect(issued).not.toBe(planted);
      expect(await describeResponse(await readSession(planted))).toBe("401 unauthenticated");
    });

    test("of another browser stays valid after a sign-in or sign-out", async () => {
      const other = await signIn(service, key);
      const closed = await signIn(service, key);
      await service.call("/api/session", { method: "DELETE", headers: { cookie: closed, ...sameOrigin } });
      expect(await describeResponse(await readSession(other))).toBe("200");
    });

    test.each([
      ["a name alone", "roster_session"],
      ["empty", "roster_session="],
      ["an equals sign", "roster_session=="],
      ["without a name", "="],
      ["only semicolons", ";;;"],
      ["quotes", 'roster_session=""'],
      ["percent signs", "roster_session=%00%ff"],
      ["a path", "roster_session=../../etc/passwd"],
      ["SQL", "roster_session=' OR '1'='1"],
      ["not ASCII", "roster_session=é\u00ff"],
      ["6,000 characters long", `roster_session=${"x".repeat(6000)}`],
      ["the last of 500 cookies", `${"a=b; ".repeat(500)}roster_session=x`],
      ["unknown but well-formed", `roster_session=${"x".repeat(43)}`],
    ])("that is %s is rejected", async (_, cookie) => {
      expect(await describeResponse(await readSession(cookie))).toBe("401 unauthenticated");
      const headers = { cookie, ...sameOrigin };
      expect((await service.call("/api/session", { method: "DELETE", headers })).status).toBe(204);
    });

    test("is found among other cookies, only by its exact name", async () => {
      const cookie = await signIn(service, key);
      expect(await describeResponse(await readSession(`a=1; ${cookie};b=2`))).toBe("200");
      expect(await describeResponse(await readSession(`a=1;${cookie}`))).toBe("200");
      for (const name of ["x", "__Host-", "ROSTER_", "roster_session_"]) {
        expect(await describeResponse(await readSession(`${name}${cookie}`))).toBe("401 unauthenticated");
      }
      expect(await describeResponse(await readSession(cookie.replace("=", " =")))).toBe(
        "401 unauthenticated",
      );
    });

    test("is not accepted as a key, nor a key as a token", async () => {
      const token = (await signIn(service, key)).replace("roster_session=", "");
      const response = await service.call("/api/users", { headers: bearer(token) });
      expect(await describeResponse(response)).toBe("401 unauthenticated");
      expect(await describeResponse(await readSession(`roster_session=${key}`))).toBe("401 unauthenticated");
    });
  });

  describe("a session ends", () => {
    test("when its key is revoked, also by the session itself", async () => {
      const created = await createKey();
      const cookie = await signIn(service, created.key);
      const headers = { cookie, ...sameOrigin };
      expect((await service.call(`/api/keys/${created.id}`, { method: "DELETE", headers })).status).toBe(204);
      expect(await describeResponse(await readSession(cookie))).toBe("401 unauthenticated");
      await waitForResponse("401 unauthenticated", () => proxied.call("/api/session", { headers }));
    });

    test("when its key expires, or was replaced and the grace period is over", async () => {
      const short = await createKey({ expiresAt: new Date(Date.now() + HOUR).toISOString() });
      const replaced = await createKey();
      const cookies = [await signIn(service, short.key), await signIn(service, replaced.key)];
      await createKey({ replaces: replaced.id, graceSeconds: 3600 });
      for (const cookie of cookies) expect(await describeResponse(await readSession(cookie))).toBe("200");
      setSystemTime(new Date(Date.now() + HOUR + 1000));
      for (const cookie of cookies)
        expect(await describeResponse(await readSession(cookie))).toBe("401 unauthenticated");
    });

    test("after exactly twelve hours, regardless of use", async () => {
      const start = Date.now();
      setSystemTime(new Date(start));
      const cookie = await signIn(service, key);
      for (const later of [HOUR, 6 * HOUR, 12 * HOUR - 1]) {
        setSystemTime(new Date(start + later));
        expect(await describeResponse(await readSession(cookie))).toBe("200");
      }
      setSystemTime(new Date(start + 12 * HOUR));
      expect(await describeResponse(await readSession(cookie))).toBe("401 unauthenticated");
    });

    test("when its expiry in the database has passed; the next sign-in deletes the row", async () => {
      const cookie = await signIn(service, key);
      const digest = Bun.SHA256.hash(cookie.replace("roster_session=", ""), "base64url");
      await runSql(engine, database.url, "UPDATE sessions SET expires_at = 1000");
      await waitForResponse("401 unauthenticated", () => readSession(cookie));
      const isStored = async () => JSON.stringify(await readTables(engine, database.url)).includes(digest);
      expect(await isStored()).toBe(true);
      await signIn(service, key);
      expect(await isStored()).toBe(false);
    });
  });

  test("the database and the log contain hashes of keys and tokens, never the secrets", async () => {
    const created = await createKey();
    const token = (await signIn(service, created.key)).replace("roster_session=", "");
    await readSession(`roster_session=${token}`);
    const tables = await readTables(engine, database.url);
    expect(Object.keys(tables)).toEqual(
      expect.arrayContaining(["keys", "sessions", "key_usage", "outcomes", "users"]),
    );
    const content = JSON.stringify(tables);
    for (const secret of [key, created.key, token]) {
      expect(content).toContain(Bun.SHA256.hash(secret, "base64url"));
      for (const text of [content, service.log.join("")]) {
        expect(text.includes(secret)).toBe(false);
        expect(text.includes(secret.slice(14, 30))).toBe(false);
      }
    }
  });
});
