import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { callAt } from "../support/call.ts";
import { bearer, createFirstKey, parseCookie, sameOrigin, signIn } from "../support/credentials.ts";
import { databaseOn, onEachEngine } from "../support/engines.ts";
import type { FreshDatabase } from "../support/postgres/fresh-database.ts";
import { describeResponse } from "../support/responses.ts";
import { startService, type TestService } from "../support/service.ts";
import { testTls } from "../support/tls.ts";

setDefaultTimeout(120_000);
/** A busy machine takes some seconds between the start of the session and its cookie. */
const MAX_AGE = expect.stringMatching(/^Max-Age=43(200|1\d\d)$/);
const ATTRIBUTES = ["Path=/", "HttpOnly", "SameSite=Strict", MAX_AGE];

onEachEngine((engine) => {
  let database: FreshDatabase;
  let service: TestService;
  /** On the same database: behind a trusted proxy, and with a TLS certificate. */
  let proxied: TestService;
  let secure: TestService;
  let key: string;

  beforeAll(async () => {
    database = await databaseOn(engine);
    service = await startService({ database: database.url }, engine);
    key = await createFirstKey(service);
    proxied = await startService({ database: database.url, trustedProxies: "127.0.0.1, ::1" }, engine);
    secure = await startService({ database: database.url, ...testTls.settings }, engine);
  }, 120_000);
  afterAll(async () => {
    for (const each of [service, proxied, secure]) await each.stop();
    await database.drop();
  }, 120_000);

  const readSession = (session: Record<string, string>, headers: Record<string, string> = sameOrigin) =>
    service.call("/api/session", { headers: { ...session, ...headers } });
  /** The name of the cookie, which has the port of the service. */
  const cookieName = (at = service) => `roster_session_${new URL(at.url).port}`;

  describe("the cookie", () => {
    const signInAt = (at: TestService, headers: Record<string, string>) =>
      at.call("/api/session", { method: "POST", json: { key }, headers: { ...sameOrigin, ...headers } });

    test("is HttpOnly and SameSite=Strict, for twelve hours", async () => {
      const cookie = parseCookie(await signInAt(service, {}));
      expect(cookie).toMatchObject({ name: cookieName(), attributes: ATTRIBUTES });
      expect(cookie?.value).toMatch(/^[\w-]{43}$/);
    });

    test("is Secure and __Host- if a trusted proxy reports https", async () => {
      const https = { "x-forwarded-proto": "https" };
      const response = await signInAt(proxied, https);
      const cookie = parseCookie(response);
      const name = `__Host-${cookieName(proxied)}`;
      expect(cookie).toMatchObject({ name, attributes: [...ATTRIBUTES, "Secure"] });
      const session = { cookie: cookie?.pair ?? "", "x-session-token": (await response.json()).token };
      const readThere = (headers: Record<string, string>) =>
        proxied.call("/api/session", { headers: { ...session, ...headers } });
      expect(await describeResponse(await readThere(https))).toBe("200");
      expect(await describeResponse(await readThere({}))).toBe("401 unauthenticated");
      const out = await proxied.call("/api/session", {
        method: "DELETE",
        headers: { ...session, ...sameOrigin, ...https },
      });
      expect(parseCookie(out)).toMatchObject({ name, value: "" });
      expect(parseCookie(out)?.attributes).toContain("Secure");
    });

    test.each(["http", "", "httpss", "wss"])("is not Secure if the proxy reports %p", async (proto) => {
      const cookie = parseCookie(await signInAt(proxied, { "x-forwarded-proto": proto }));
      expect(cookie).toMatchObject({ name: cookieName(proxied), attributes: ATTRIBUTES });
    });

    test("is not Secure if an untrusted peer reports https", async () => {
      const cookie = parseCookie(await signInAt(service, { "x-forwarded-proto": "https" }));
      expect(cookie).toMatchObject({ name: cookieName(), attributes: ATTRIBUTES });
    });

    test("is Secure and __Host- if the service has a certificate", async () => {
      const call = callAt(`https://localhost:${new URL(secure.url).port}`, { tls: { ca: testTls.ca } });
      const response = await call("/api/session", { method: "POST", json: { key }, headers: sameOrigin });
      const cookie = parseCookie(response);
      const name = cookieName(secure);
      expect(cookie).toMatchObject({ name: `__Host-${name}`, attributes: [...ATTRIBUTES, "Secure"] });
      const { token }: { token: string } = await response.json();
      const readThere = (pair: string) =>
        call("/api/session", { headers: { cookie: pair, "x-session-token": token } });
      expect(await describeResponse(await readThere(cookie?.pair ?? ""))).toBe("200");
      expect(await describeResponse(await readThere(`${name}=${cookie?.value}`))).toBe("401 unauthenticated");
    });

    test.each([
      ["localhost:8080", "roster_session_8080"],
      ["[::1]:8080", "roster_session_8080"],
      ["localhost", "roster_session_80"],
      ["[::1]", "roster_session_80"],
    ])("is named by the port of the host %s", async (host, name) => {
      expect(parseCookie(await signInAt(service, { host }))?.name).toBe(name);
    });

    test("of another server on the same host does not lock anyone out", async () => {
      const session = await signIn(service, key);
      const foreign = `${cookieName()}=${"x".repeat(43)}`;
      const cookie = `${foreign}; ${cookieName()}=; ${session.cookie}; ${foreign}`;
      expect(await describeResponse(await readSession({ ...session, cookie }))).toBe("200");
      // A sign-in works too, and ends the previous session.
      const next = await signIn(service, key, { ...session, cookie });
      expect(await describeResponse(await readSession(session))).toBe("401 unauthenticated");
      const both = { ...next, cookie: `${foreign}; ${next.cookie}` };
      expect(await describeResponse(await readSession(both))).toBe("200");
      const out = await service.call("/api/session", {
        method: "DELETE",
        headers: { ...both, ...sameOrigin },
      });
      expect(parseCookie(out)).toMatchObject({ name: cookieName(), value: "" });
      expect(await describeResponse(await readSession(next))).toBe("401 unauthenticated");
    });
  });

  describe("a token", () => {
    test("is new at each sign-in, and the previous one is invalid", async () => {
      const first = await signIn(service, key);
      const second = await signIn(service, key, first);
      expect(second.cookie).not.toBe(first.cookie);
      expect(second["x-session-token"]).not.toBe(first["x-session-token"]);
      expect(await describeResponse(await readSession(first))).toBe("401 unauthenticated");
      expect(await describeResponse(await readSession(second))).toBe("200");
    });

    test("that was set before the sign-in is not adopted", async () => {
      const value = "A".repeat(43);
      const planted = {
        cookie: `${cookieName()}=${value}`,
        "x-session-token": "B".repeat(43) + Bun.SHA256.hash(value, "base64url"),
      };
      const issued = await signIn(service, key, planted);
      expect(issued.cookie).not.toBe(planted.cookie);
      expect(issued["x-session-token"]).not.toBe(planted["x-session-token"]);
      expect(await describeResponse(await readSession(planted))).toBe("401 unauthenticated");
    });

    test("of another browser stays valid after a sign-in or sign-out", async () => {
      const other = await signIn(service, key);
      const issued = await signIn(service, key);
      await service.call("/api/session", { method: "DELETE", headers: { ...issued, ...sameOrigin } });
      expect(await describeResponse(await readSession(other))).toBe("200");
    });

    test.each([
      ["a name alone", "NAME"],
      ["empty", "NAME="],
      ["an equals sign", "NAME=="],
      ["without a name", "="],
      ["only semicolons", ";;;"],
      ["quotes", 'NAME=""'],
      ["percent signs", "NAME=%00%ff"],
      ["a path", "NAME=../../etc/passwd"],
      ["SQL", "NAME=' OR '1'='1"],
      ["not ASCII", "NAME=é\u00ff"],
      ["6,000 characters long", `NAME=${"x".repeat(6000)}`],
      ["the last of 500 cookies", `${"a=b; ".repeat(500)}NAME=x`],
      ["unknown but well-formed", `NAME=${"x".repeat(43)}`],
    ])("with a cookie that is %s is rejected", async (_, pattern) => {
      const session = await signIn(service, key);
      const headers = { ...session, cookie: pattern.replace("NAME", cookieName()), ...sameOrigin };
      expect(await describeResponse(await readSession(headers))).toBe("401 unauthenticated");
      expect((await service.call("/api/session", { method: "DELETE", headers })).status).toBe(204);
      expect(await describeResponse(await readSession(session))).toBe("200");
    });

    test.each([
      ["empty", ""],
      ["half a token", "x".repeat(43)],
      ["quotes", '""'],
      ["percent signs", "%00%ff"],
      ["SQL", "' OR '1'='1"],
      ["not ASCII", "é\u00ff"],
      ["6,000 characters long", "x".repeat(6000)],
      ["unknown but well-formed", "x".repeat(86)],
    ])("that is %s is rejected", async (_, token) => {
      const session = await signIn(service, key);
      const headers = { ...session, "x-session-token": token };
      expect(await describeResponse(await readSession(headers))).toBe("401 unauthenticated");
    });

    test("that belongs to its cookie, but to no session, is rejected", async () => {
      const value = "x".repeat(43);
      const token = "y".repeat(43) + Bun.SHA256.hash(value, "base64url");
      const headers = { cookie: `${cookieName()}=${value}`, "x-session-token": token };
      expect(await describeResponse(await readSession(headers))).toBe("401 unauthenticated");
    });

    test("is found with its cookie among others, only by its exact name", async () => {
      const session = await signIn(service, key);
      const read = (cookie: string) => readSession({ ...session, cookie });
      const { cookie } = session;
      expect(await describeResponse(await read(`a=1; ${cookie};b=2`))).toBe("200");
      expect(await describeResponse(await read(`a=1;${cookie}`))).toBe("200");
      for (const name of ["x", "__Host-", "ROSTER_", "roster_session_"]) {
        expect(await describeResponse(await read(`${name}${cookie}`))).toBe("401 unauthenticated");
      }
      expect(await describeResponse(await read(cookie.replace("=", " =")))).toBe("401 unauthenticated");
    });

    test("is not accepted as a key, nor a key as a token", async () => {
      const session = await signIn(service, key);
      const cookie = session.cookie.replace(`${cookieName()}=`, "");
      for (const text of [session["x-session-token"], cookie]) {
        const response = await service.call("/api/users", { headers: bearer(text) });
        expect(await describeResponse(response)).toBe("401 unauthenticated");
      }
      for (const headers of [
        { ...session, cookie: `${cookieName()}=${key}` },
        { ...session, "x-session-token": key },
      ]) {
        expect(await describeResponse(await readSession(headers))).toBe("401 unauthenticated");
      }
    });
  });
});
