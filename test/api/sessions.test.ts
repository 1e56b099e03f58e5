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
import { databaseOn, onEachEngine } from "../support/engines.ts";
import type { FreshDatabase } from "../support/postgres/fresh-database.ts";
import { startService, type TestService } from "../support/service.ts";
import { readTables, runSql } from "./database-content.ts";
import {
  createFirstKey,
  describeResponse,
  parseCookie,
  sameOrigin,
  signIn,
  testTls,
  waitForResponse,
} from "./sign-in.ts";

setDefaultTimeout(120_000);
const HOUR = 3_600_000;
const BARE = ["Path=/", "HttpOnly", "SameSite=Strict", "Max-Age=43200"];

onEachEngine((engine) => {
  let database: FreshDatabase;
  let service: TestService;
  /** Others on the same database: behind a proxy, and with a certificate of its own. */
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

  const who = (cookie: string, headers: Record<string, string> = sameOrigin) =>
    service.call("/api/session", { headers: { cookie, ...headers } });

  async function makeKey(wish: object = {}): Promise<NewKey> {
    const wanted = { name: "other", scopes, ...wish };
    const answer = await service.send("POST", "/api/keys", wanted, { "x-api-key": key });
    expect(answer.status).toBe(201);
    return await answer.json();
  }

  describe("a session", () => {
    test("is had for a key, says who one is, and ends by signing out", async () => {
      const made = await makeKey({ name: "console", scopes: ["users:read"] });
      const answer = await service.send("POST", "/api/session", { key: made.key }, sameOrigin);
      expect(answer.headers.get("cache-control")).toBe("no-store");
      const cookie = parseCookie(answer)?.pair ?? "";
      const session = await answer.json();
      expect(session).toEqual({
        auth: "session",
        key: { id: made.id, name: "console" },
        scopes: ["users:read"],
        expiresAt: expect.any(String),
      });
      expect(Date.parse(session.expiresAt) - Date.now()).toBeWithin(12 * HOUR - 60_000, 12 * HOUR + 1);
      expect(await (await who(cookie)).json()).toEqual(session);
      expect(await describeResponse(await service.call("/api/users", { headers: { cookie } }))).toBe("200");

      const out = await service.call("/api/session", {
        method: "DELETE",
        headers: { cookie, ...sameOrigin },
      });
      expect(await describeResponse(out)).toBe("204");
      expect(parseCookie(out)).toMatchObject({ value: "", attributes: [...BARE.slice(0, 3), "Max-Age=0"] });
      expect(await describeResponse(await who(cookie))).toBe("401 unauthenticated");
      expect(await describeResponse(await service.call("/api/users", { headers: { cookie } }))).toBe(
        "401 unauthenticated",
      );
    });

    test("signing out without one, or twice, is answered alike and does nothing", async () => {
      const cookie = await signIn(service, key);
      for (const headers of [{}, sameOrigin, { cookie, ...sameOrigin }, { cookie, ...sameOrigin }]) {
        expect((await service.call("/api/session", { method: "DELETE", headers })).status).toBe(204);
      }
    });

    test("may do what its key may, and is limited as its key is", async () => {
      const rateLimit = { requests: 100, seconds: 60 };
      const made = await makeKey({ scopes: ["users:read"], rateLimit });
      const cookie = await signIn(service, made.key);
      const answer = await service.call("/api/users", { headers: { cookie, ...sameOrigin } });
      expect(answer.headers.get("ratelimit-policy")).toBe('"default";q=100;w=60');
      const refused = await service.send("POST", "/api/users", { name: "Ada" }, { cookie, ...sameOrigin });
      expect(await describeResponse(refused)).toBe("403 insufficient-scope");
      expect(await describeResponse(await service.call("/api/keys", { headers: { cookie } }))).toBe(
        "403 insufficient-scope",
      );
    });

    test("is good on every node at once, and ended on every node within a second or so", async () => {
      const cookie = await signIn(service, key);
      const there = () => proxied.call("/api/session", { headers: { cookie } });
      expect(await describeResponse(await there())).toBe("200");
      await service.call("/api/session", { method: "DELETE", headers: { cookie, ...sameOrigin } });
      await waitForResponse("401 unauthenticated", there);
    });
  });

  describe("the cookie", () => {
    const signInAt = (at: TestService, headers: Record<string, string>) =>
      at.send("POST", "/api/session", { key }, { ...sameOrigin, ...headers });

    test("is kept from scripts and from other sites, for twelve hours", async () => {
      const cookie = parseCookie(await signInAt(service, {}));
      expect(cookie).toMatchObject({ name: "roster_session", attributes: BARE });
      expect(cookie?.value).toMatch(/^[\w-]{43}$/);
    });

    test("is for https and this host alone where a trusted proxy says that the caller came by https", async () => {
      const https = { "x-forwarded-proto": "https" };
      const cookie = parseCookie(await signInAt(proxied, https));
      expect(cookie).toMatchObject({ name: "__Host-roster_session", attributes: [...BARE, "Secure"] });
      const there = (headers: Record<string, string>) =>
        proxied.call("/api/session", { headers: { cookie: cookie?.pair ?? "", ...headers } });
      expect(await describeResponse(await there(https))).toBe("200");
      expect(await describeResponse(await there({}))).toBe("401 unauthenticated");
      const out = await proxied.call("/api/session", {
        method: "DELETE",
        headers: { cookie: cookie?.pair ?? "", ...sameOrigin, ...https },
      });
      expect(parseCookie(out)).toMatchObject({ name: "__Host-roster_session", value: "" });
      expect(parseCookie(out)?.attributes).toContain("Secure");
    });

    test.each(["http", "", "httpss", "wss"])("is a plain one where the proxy says %p", async (proto) => {
      const cookie = parseCookie(await signInAt(proxied, { "x-forwarded-proto": proto }));
      expect(cookie).toMatchObject({ name: "roster_session", attributes: BARE });
    });

    test("is a plain one where somebody who is not trusted says https", async () => {
      const cookie = parseCookie(await signInAt(service, { "x-forwarded-proto": "https" }));
      expect(cookie).toMatchObject({ name: "roster_session", attributes: BARE });
    });

    test("is for https and this host alone under a certificate of one's own", async () => {
      const url = `https://localhost:${new URL(secure.url).port}/api/session`;
      const tls = { ca: testTls.ca };
      const answer = await fetch(url, {
        method: "POST",
        body: JSON.stringify({ key }),
        headers: { "content-type": "application/json", ...sameOrigin },
        tls,
      });
      const cookie = parseCookie(answer);
      expect(cookie).toMatchObject({ name: "__Host-roster_session", attributes: [...BARE, "Secure"] });
      const there = (pair: string) => fetch(url, { headers: { cookie: pair }, tls });
      expect(await describeResponse(await there(cookie?.pair ?? ""))).toBe("200");
      expect(await describeResponse(await there(`roster_session=${cookie?.value}`))).toBe(
        "401 unauthenticated",
      );
    });
  });

  describe("a token", () => {
    test("is a new one at each sign-in, and the one before is dead", async () => {
      const first = await signIn(service, key);
      const second = await signIn(service, key, { cookie: first });
      expect(second).not.toBe(first);
      expect(await describeResponse(await who(first))).toBe("401 unauthenticated");
      expect(await describeResponse(await who(second))).toBe("200");
    });

    test("that was planted before the sign-in is worth nothing after it", async () => {
      const planted = `roster_session=${"A".repeat(43)}`;
      const mine = await signIn(service, key, { cookie: planted });
      expect(mine).not.toBe(planted);
      expect(await describeResponse(await who(planted))).toBe("401 unauthenticated");
    });

    test("of another browser lives on when one signs in or out", async () => {
      const other = await signIn(service, key);
      const mine = await signIn(service, key);
      await service.call("/api/session", { method: "DELETE", headers: { cookie: mine, ...sameOrigin } });
      expect(await describeResponse(await who(other))).toBe("200");
    });

    test.each([
      ["a name alone", "roster_session"],
      ["nothing", "roster_session="],
      ["an equals sign", "roster_session=="],
      ["no name", "="],
      ["no cookie", ";;;"],
      ["quotes", 'roster_session=""'],
      ["percent signs", "roster_session=%00%ff"],
      ["a path", "roster_session=../../etc/passwd"],
      ["SQL", "roster_session=' OR '1'='1"],
      ["letters beyond ASCII", "roster_session=é\u00ff"],
      ["six thousand letters", `roster_session=${"x".repeat(6000)}`],
      ["the last of five hundred", `${"a=b; ".repeat(500)}roster_session=x`],
      ["of the right form", `roster_session=${"x".repeat(43)}`],
    ])("that is %s is refused as none", async (_, cookie) => {
      expect(await describeResponse(await who(cookie))).toBe("401 unauthenticated");
      const headers = { cookie, ...sameOrigin };
      expect((await service.call("/api/session", { method: "DELETE", headers })).status).toBe(204);
    });

    test("is found among other cookies, and only under its own name", async () => {
      const cookie = await signIn(service, key);
      expect(await describeResponse(await who(`a=1; ${cookie};b=2`))).toBe("200");
      expect(await describeResponse(await who(`a=1;${cookie}`))).toBe("200");
      for (const name of ["x", "__Host-", "ROSTER_", "roster_session_"]) {
        expect(await describeResponse(await who(`${name}${cookie}`))).toBe("401 unauthenticated");
      }
      expect(await describeResponse(await who(cookie.replace("=", " =")))).toBe("401 unauthenticated");
    });

    test("is no key, and a key is no token", async () => {
      const token = (await signIn(service, key)).replace("roster_session=", "");
      const headers = { authorization: `Bearer ${token}` };
      expect(await describeResponse(await service.call("/api/users", { headers }))).toBe(
        "401 unauthenticated",
      );
      expect(await describeResponse(await who(`roster_session=${key}`))).toBe("401 unauthenticated");
    });
  });

  describe("a session ends", () => {
    test("when its key is revoked, which the key itself may do", async () => {
      const made = await makeKey();
      const cookie = await signIn(service, made.key);
      const headers = { cookie, ...sameOrigin };
      expect((await service.call(`/api/keys/${made.id}`, { method: "DELETE", headers })).status).toBe(204);
      expect(await describeResponse(await who(cookie))).toBe("401 unauthenticated");
      await waitForResponse("401 unauthenticated", () => proxied.call("/api/session", { headers }));
    });

    test("when its key expires, or has been replaced and the grace is over", async () => {
      const short = await makeKey({ expiresAt: new Date(Date.now() + HOUR).toISOString() });
      const replaced = await makeKey();
      const cookies = [await signIn(service, short.key), await signIn(service, replaced.key)];
      await makeKey({ replaces: replaced.id, graceSeconds: 3600 });
      for (const cookie of cookies) expect(await describeResponse(await who(cookie))).toBe("200");
      setSystemTime(new Date(Date.now() + HOUR + 1000));
      for (const cookie of cookies)
        expect(await describeResponse(await who(cookie))).toBe("401 unauthenticated");
    });

    test("after twelve hours, to the millisecond, however often it was used", async () => {
      const start = Date.now();
      setSystemTime(new Date(start));
      const cookie = await signIn(service, key);
      for (const later of [HOUR, 6 * HOUR, 12 * HOUR - 1]) {
        setSystemTime(new Date(start + later));
        expect(await describeResponse(await who(cookie))).toBe("200");
      }
      setSystemTime(new Date(start + 12 * HOUR));
      expect(await describeResponse(await who(cookie))).toBe("401 unauthenticated");
    });

    test("when its time in the database has passed, and the next sign-in clears it away", async () => {
      const cookie = await signIn(service, key);
      const digest = Bun.SHA256.hash(cookie.replace("roster_session=", ""), "base64url");
      await runSql(engine, database.url, "UPDATE sessions SET expires_at = 1000");
      await waitForResponse("401 unauthenticated", () => who(cookie));
      const isKept = async () => JSON.stringify(await readTables(engine, database.url)).includes(digest);
      expect(await isKept()).toBe(true);
      await signIn(service, key);
      expect(await isKept()).toBe(false);
    });
  });

  test("nothing in the database or the log is a key or a token, only what they hash to", async () => {
    const made = await makeKey();
    const token = (await signIn(service, made.key)).replace("roster_session=", "");
    await who(`roster_session=${token}`);
    const tables = await readTables(engine, database.url);
    expect(Object.keys(tables)).toEqual(
      expect.arrayContaining(["keys", "sessions", "key_usage", "outcomes", "users"]),
    );
    const all = JSON.stringify(tables);
    for (const secret of [key, made.key, token]) {
      expect(all).toContain(Bun.SHA256.hash(secret, "base64url"));
      for (const text of [all, service.log.join("")]) {
        expect(text.includes(secret)).toBe(false);
        expect(text.includes(secret.slice(14, 30))).toBe(false);
      }
    }
  });
});
