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
import type { CreatedKey } from "../../src/client/index.ts";
import { scopes } from "../../src/contract/keys/key.ts";
import { createSecret } from "../../src/contract/keys/key-secret.ts";
import {
  bearer,
  createFirstKey,
  parseCookie,
  sameOrigin,
  signIn,
  startSession,
} from "../support/credentials.ts";
import { databaseOn, onEachEngine } from "../support/engines.ts";
import type { FreshDatabase } from "../support/postgres/fresh-database.ts";
import { describeResponse, waitForResponse } from "../support/responses.ts";
import { startService, type TestService } from "../support/service.ts";
import { readTables, runSql } from "./support/database-content.ts";

setDefaultTimeout(120_000);
const HOUR = 3_600_000;
const ATTRIBUTES = ["Path=/", "HttpOnly", "SameSite=Strict"];

onEachEngine((engine) => {
  let database: FreshDatabase;
  let service: TestService;
  /** On the same database, behind a trusted proxy. */
  let proxied: TestService;
  let key: string;

  beforeAll(async () => {
    database = await databaseOn(engine);
    service = await startService({ database: database.url, logLevel: "debug" }, engine);
    key = await createFirstKey(service);
    proxied = await startService({ database: database.url, trustedProxies: "127.0.0.1, ::1" }, engine);
  }, 120_000);
  afterEach(() => {
    setSystemTime();
  });
  afterAll(async () => {
    for (const each of [service, proxied]) await each.stop();
    await database.drop();
  }, 120_000);

  const readSession = (session: Record<string, string>, headers: Record<string, string> = sameOrigin) =>
    service.call("/api/session", { headers: { ...session, ...headers } });
  /** The name of the cookie, which has the port of the service. */
  const cookieName = () => `roster_session_${new URL(service.url).port}`;

  async function createKey(fields: object = {}): Promise<CreatedKey> {
    const body = { name: "other", scopes, ...fields };
    const response = await service.call("/api/keys", {
      method: "POST",
      json: body,
      headers: { "x-api-key": key },
    });
    expect(response.status).toBe(201);
    return await response.json();
  }

  describe("a session", () => {
    test("starts with a key, describes the caller, and ends on sign-out", async () => {
      const created = await createKey({ name: "console", scopes: ["users:read"] });
      const response = await service.call("/api/session", {
        method: "POST",
        json: { key: created.key },
        headers: sameOrigin,
      });
      expect(response.headers.get("cache-control")).toBe("no-store");
      const cookie = parseCookie(response)?.pair ?? "";
      const { token, ...session } = await response.json();
      expect(token).toMatch(/^[\w-]{86}$/);
      const headers = { cookie, "x-session-token": token };
      expect(session).toEqual({
        auth: "session",
        key: { id: created.id, name: "console" },
        scopes: ["users:read"],
        expiresAt: expect.any(String),
        deletedDays: 30,
      });
      expect(Date.parse(session.expiresAt) - service.clock.now()).toBeWithin(
        12 * HOUR - 60_000,
        12 * HOUR + 1,
      );
      expect(await (await readSession(headers)).json()).toEqual(session);
      expect(await describeResponse(await service.call("/api/users", { headers }))).toBe("200");

      const out = await service.call("/api/session", {
        method: "DELETE",
        headers: { ...headers, ...sameOrigin },
      });
      expect(await describeResponse(out)).toBe("204");
      expect(parseCookie(out)).toMatchObject({
        name: cookieName(),
        value: "",
        attributes: [...ATTRIBUTES, "Max-Age=0"],
      });
      expect(await describeResponse(await readSession(headers))).toBe("401 unauthenticated");
      expect(await describeResponse(await service.call("/api/users", { headers }))).toBe(
        "401 unauthenticated",
      );
    });

    test("needs the cookie and the token in every request", async () => {
      const session = await signIn(service, key);
      const other = await signIn(service, key);
      const { cookie, "x-session-token": token } = session;
      const incomplete: Record<string, string>[] = [
        { cookie },
        { "x-session-token": token },
        { cookie, "x-session-token": "" },
        { cookie, "x-session-token": other["x-session-token"] },
        { cookie: other.cookie, "x-session-token": token },
        { cookie, "x-session-token": token.slice(0, 43) },
        { cookie, "x-session-token": `${"A".repeat(43)}${token.slice(43)}` },
      ];
      for (const headers of incomplete) {
        expect(await describeResponse(await readSession(headers))).toBe("401 unauthenticated");
        const out = await service.call("/api/session", {
          method: "DELETE",
          headers: { ...headers, ...sameOrigin },
        });
        expect(out.status).toBe(204);
        expect(await describeResponse(await readSession(session))).toBe("200");
      }
    });

    test("cannot create or replace keys: that takes the key itself", async () => {
      const created = await createKey();
      const session = await startSession(service, key);
      for (const body of [
        { name: "outlives the session", scopes },
        { replaces: created.id, graceSeconds: 60 },
      ]) {
        const refused = await service.call("/api/keys", { method: "POST", json: body, headers: session });
        expect(await describeResponse(refused)).toBe("403 key-required");
        for (const headers of [bearer(key), { "x-api-key": key }]) {
          const accepted = await service.call("/api/keys", {
            method: "POST",
            json: body,
            headers: { ...session, ...headers },
          });
          expect(accepted.status).toBe(201);
        }
        const wrong = await service.call("/api/keys", {
          method: "POST",
          json: body,
          headers: {
            ...session,
            ...bearer(createSecret()),
          },
        });
        expect(await describeResponse(wrong)).toBe("401 unauthenticated");
      }
      // Other operations need only the session.
      expect(await describeResponse(await service.call("/api/keys", { headers: session }))).toBe("200");
    });

    test("can be signed out twice, or without a session", async () => {
      const session = await startSession(service, key);
      for (const headers of [{}, sameOrigin, session, session]) {
        expect((await service.call("/api/session", { method: "DELETE", headers })).status).toBe(204);
      }
    });

    test("has the scopes and the rate limit of its key", async () => {
      const rateLimit = { requests: 100, seconds: 60 };
      const created = await createKey({ scopes: ["users:read"], rateLimit });
      const headers = await startSession(service, created.key);
      const response = await service.call("/api/users", { headers });
      expect(response.headers.get("ratelimit-policy")).toBe('"default";q=100;w=60');
      const rejected = await service.call("/api/users", { method: "POST", json: { name: "Ada" }, headers });
      expect(await describeResponse(rejected)).toBe("403 insufficient-scope");
      expect(await describeResponse(await service.call("/api/keys", { headers }))).toBe(
        "403 insufficient-scope",
      );
    });

    test("is valid on every node at once, and ends on every node within about a second", async () => {
      const headers = await startSession(service, key);
      const readThere = () => proxied.call("/api/session", { headers });
      expect(await describeResponse(await readThere())).toBe("200");
      await service.call("/api/session", { method: "DELETE", headers });
      await waitForResponse("401 unauthenticated", readThere);
    });
  });

  describe("a session ends", () => {
    test("when its key is revoked, also by the session itself", async () => {
      const created = await createKey();
      const headers = await startSession(service, created.key);
      expect((await service.call(`/api/keys/${created.id}`, { method: "DELETE", headers })).status).toBe(204);
      expect(await describeResponse(await readSession(headers))).toBe("401 unauthenticated");
      await waitForResponse("401 unauthenticated", () => proxied.call("/api/session", { headers }));
    });

    test("when its key expires, or was replaced and the grace period is over", async () => {
      const short = await createKey({ expiresAt: new Date(Date.now() + HOUR).toISOString() });
      const replaced = await createKey();
      const sessions = [await signIn(service, short.key), await signIn(service, replaced.key)];
      await createKey({ replaces: replaced.id, graceSeconds: 3600 });
      for (const session of sessions) expect(await describeResponse(await readSession(session))).toBe("200");
      setSystemTime(new Date(Date.now() + HOUR + 1000));
      for (const session of sessions)
        expect(await describeResponse(await readSession(session))).toBe("401 unauthenticated");
    });

    test("after exactly twelve hours, regardless of use", async () => {
      const start = Date.now();
      setSystemTime(new Date(start));
      const session = await signIn(service, key);
      for (const later of [HOUR, 6 * HOUR, 12 * HOUR - 1]) {
        setSystemTime(new Date(start + later));
        expect(await describeResponse(await readSession(session))).toBe("200");
      }
      setSystemTime(new Date(start + 12 * HOUR));
      expect(await describeResponse(await readSession(session))).toBe("401 unauthenticated");
    });

    test("when its expiry in the database has passed; the next sign-in deletes the row", async () => {
      const session = await signIn(service, key);
      const digest = Bun.SHA256.hash(session["x-session-token"], "base64url");
      await runSql(engine, database.url, "UPDATE sessions SET expires_at = 1000");
      await waitForResponse("401 unauthenticated", () => readSession(session));
      const isStored = async () => JSON.stringify(await readTables(engine, database.url)).includes(digest);
      expect(await isStored()).toBe(true);
      await signIn(service, key);
      expect(await isStored()).toBe(false);
    });
  });

  test("the database and the log contain hashes of keys and tokens, never the secrets", async () => {
    const created = await createKey();
    const session = await signIn(service, created.key);
    const token = session["x-session-token"];
    const cookie = session.cookie.replace(`${cookieName()}=`, "");
    await readSession(session);
    const tables = await readTables(engine, database.url);
    expect(Object.keys(tables)).toEqual(
      expect.arrayContaining(["keys", "sessions", "key_usage", "outcomes", "users"]),
    );
    const content = JSON.stringify(tables);
    for (const stored of [key, created.key, token]) {
      expect(content).toContain(Bun.SHA256.hash(stored, "base64url"));
    }
    for (const secret of [key, created.key, token, cookie, token.slice(43)]) {
      for (const text of [content, service.log.join("")]) {
        expect(text.includes(secret)).toBe(false);
        expect(text.includes(secret.slice(14, 30))).toBe(false);
      }
    }
  });
});
