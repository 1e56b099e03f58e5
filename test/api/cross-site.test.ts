import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { scopes } from "../../src/contract/keys/key.ts";
import { createSecret } from "../../src/contract/keys/key-secret.ts";
import {
  bearer,
  createFirstKey,
  parseCookie,
  type SessionHeaders,
  sameOrigin,
  signIn,
  unknownKey,
  unknownSession,
} from "../support/credentials.ts";
import { onAnyEngine } from "../support/engines.ts";
import { describeResponse } from "../support/responses.ts";
import { startService, type TestService } from "../support/service.ts";

setDefaultTimeout(120_000);

const sites = ["same-origin", "same-site", "cross-site", "none", undefined] as const;
const origins = ["own", "own host over https", "other", "another port", "null", undefined] as const;
const ALL = ["GET", "POST", "DELETE"];

/** The methods that a request with the cookie may use, by its Sec-Fetch-Site and Origin. */
function allowedMethods(site: (typeof sites)[number], origin: (typeof origins)[number]): string[] {
  // Sec-Fetch-Site takes precedence over Origin.
  if (site === "same-origin") return ALL;
  if (site === "none") return ["GET"];
  if (site !== undefined) return [];
  if (origin === "own") return ALL;
  return origin === undefined ? ["GET"] : [];
}

const table = sites.flatMap((site) =>
  origins.map((origin) => {
    const allowed = allowedMethods(site, origin);
    return [
      site ?? "(none)",
      origin ?? "(none)",
      allowed.join(", ") || "nothing",
      { site, origin, allowed },
    ] as const;
  }),
);

onAnyEngine((engine) => {
  let service: TestService;
  let key: string;
  let session: SessionHeaders;
  let originOf: Record<string, string>;

  beforeAll(async () => {
    service = await startService({}, engine);
    key = await createFirstKey(service);
    session = await signIn(service, key);
    originOf = {
      own: service.url,
      "own host over https": service.url.replace("http:", "https:"),
      other: "https://evil.example",
      "another port": "http://127.0.0.1:1",
      null: "null",
    };
  }, 120_000);
  afterAll(() => service.stop());

  /** The headers with which a browser describes the origin of a request. */
  const from = ({ site, origin }: { site?: string | undefined; origin?: string | undefined }) => ({
    ...(site !== undefined && { "sec-fetch-site": site }),
    ...(origin !== undefined && { origin: originOf[origin] ?? origin }),
  });

  async function countUsers(): Promise<number> {
    const response = await service.call("/api/users?count=true&limit=1", { headers: bearer(key) });
    return Number(response.headers.get("x-total-count"));
  }

  async function createUser(headers: Record<string, string>): Promise<Response> {
    return service.call("/api/users", { method: "POST", json: { name: "Ada" }, headers });
  }

  describe("with the cookie", () => {
    test.each(table)(
      "with Sec-Fetch-Site %s and Origin %s, allows %s",
      async (_site, _origin, _allowed, { allowed, ...place }) => {
        const { id }: { id: number } = await (await createUser(bearer(key))).json();
        const before = await countUsers();
        const headers = { ...session, ...from(place) };
        const responses = {
          GET: await service.call("/api/users", { headers }),
          POST: await createUser(headers),
          DELETE: await service.call(`/api/users/${id}`, { method: "DELETE", headers }),
        };
        const results = await Promise.all(Object.values(responses).map(describeResponse));
        const successes = Object.entries({ GET: "200", POST: "201", DELETE: "204" });
        expect(results).toEqual(
          successes.map(([method, status]) => (allowed.includes(method) ? status : "403 cross-site")),
        );
        const read = await service.call(`/api/users/${id}`, { headers: bearer(key) });
        expect(read.status).toBe(allowed.includes("DELETE") ? 404 : 200);
        // One user was created and one deleted, or neither.
        expect(await countUsers()).toBe(before);
      },
    );

    test.each(table)(
      "with Sec-Fetch-Site %s and Origin %s, signs out if DELETE is allowed (allowed: %s)",
      async (_site, _origin, _allowed, { allowed, ...place }) => {
        const ended = await signIn(service, key);
        const headers = { ...ended, ...from(place) };
        const out = await service.call("/api/session", { method: "DELETE", headers });
        const isAllowed = allowed.includes("DELETE");
        expect(await describeResponse(out)).toBe(isAllowed ? "204" : "403 cross-site");
        expect(parseCookie(out) !== undefined).toBe(isAllowed);
        const after = await service.call("/api/session", { headers: { ...ended, ...sameOrigin } });
        expect(after.status).toBe(isAllowed ? 401 : 200);
      },
    );

    test("another site cannot find out whether a session is valid", async () => {
      const place = from({ site: "cross-site" });
      for (const headers of [session, unknownSession(), { cookie: session.cookie }]) {
        const response = await service.call("/api/session", { headers: { ...headers, ...place } });
        expect(await describeResponse(response)).toBe("403 cross-site");
      }
    });
  });

  describe("a key", () => {
    test("takes precedence over a cookie, valid or not", async () => {
      const reader = await service.call("/api/keys", {
        method: "POST",
        json: { name: "reader", scopes: ["users:read"] },
        headers: bearer(key),
      });
      const { key: readerKey }: { key: string } = await reader.json();
      const who = (headers: Record<string, string>) =>
        service.call("/api/session", { headers: { ...session, ...sameOrigin, ...headers } });
      expect(await (await who(bearer(readerKey))).json()).toMatchObject({
        auth: "key",
        key: { name: "reader" },
        expiresAt: null,
      });
      const rejected = await createUser({ ...session, ...sameOrigin, "x-api-key": readerKey });
      expect(await describeResponse(rejected)).toBe("403 insufficient-scope");
      expect(await describeResponse(await who(bearer(unknownKey)))).toBe("401 unauthenticated");
      expect(await describeResponse(await who({ "x-api-key": "" }))).toBe("401 unauthenticated");
      expect(await (await who({ authorization: "Basic YTpi" })).json()).toMatchObject({ auth: "session" });
    });

    test.each(table)("with Sec-Fetch-Site %s and Origin %s is for programs and own pages", async (...row) => {
      const [, , , { site, origin }] = row;
      const headers = { ...session, ...bearer(key), ...from({ site, origin }) };
      const isOtherPage = site === "cross-site" || site === "same-site";
      const before = await countUsers();
      const read = await service.call("/api/session", { headers });
      expect(await describeResponse(read)).toBe(isOtherPage ? "403 cross-site" : "200");
      const write = await createUser(headers);
      expect(await describeResponse(write)).toBe(isOtherPage ? "403 cross-site" : "201");
      expect(await countUsers()).toBe(isOtherPage ? before : before + 1);
    });
  });

  describe("a service that", () => {
    let open: TestService;
    let off: TestService;
    let withCors: TestService;
    beforeAll(async () => {
      open = await startService({}, engine);
      off = await startService({ auth: "off" }, engine);
      withCors = await startService({ corsOrigins: "https://evil.example" }, engine);
    }, 120_000);
    afterAll(() => Promise.all([open.stop(), off.stop(), withCors.stop()]));

    const create = async (at: TestService, headers: Record<string, string>) =>
      describeResponse(await at.call("/api/users", { method: "POST", json: { name: "Ada" }, headers }));
    const read = async (at: TestService, headers: Record<string, string> = {}) =>
      describeResponse(await at.call("/api/users", { headers }));

    test("requires no key rejects writes of other pages", async () => {
      for (const site of ["cross-site", "same-site"]) {
        const headers = from({ site, origin: "other" });
        for (const at of [open, off]) {
          expect(await create(at, headers)).toBe("403 cross-site");
          expect(await create(at, { "sec-fetch-site": site })).toBe("403 cross-site");
          expect(await read(at, headers)).toBe("200");
        }
      }
      for (const at of [open, off]) expect(await create(at, from({ site: "same-origin" }))).toBe("201");
    });

    test("allows an origin accepts writes and keys of its pages, and of no others", async () => {
      const allowed = from({ site: "cross-site", origin: "other" });
      const others = [from({ site: "cross-site", origin: "null" }), from({ site: "cross-site" })];
      expect(await create(withCors, allowed)).toBe("201");
      for (const headers of others) expect(await create(withCors, headers)).toBe("403 cross-site");
      const corsKey = bearer(await createFirstKey(withCors));
      expect(await read(withCors, { ...allowed, ...corsKey })).toBe("200");
      expect(await create(withCors, { ...allowed, ...corsKey })).toBe("201");
      for (const headers of others) {
        expect(await read(withCors, { ...headers, ...corsKey })).toBe("403 cross-site");
        expect(await create(withCors, { ...headers, ...corsKey })).toBe("403 cross-site");
      }
    });
  });

  test("no page of another origin can embed a response", async () => {
    for (const path of [
      "/api/users",
      "/api/users/0",
      "/api/session",
      "/api/keys",
      "/healthz",
      "/nothing",
      "/docs",
    ]) {
      for (const method of ["GET", "HEAD", "OPTIONS"]) {
        const { headers } = await service.call(path, { method, headers: bearer(key) });
        expect([path, headers.get("cross-origin-resource-policy")]).toEqual([path, "same-origin"]);
      }
    }
    const exported = await service.call("/api/users/export", { headers: bearer(key) });
    expect(exported.headers.get("cross-origin-resource-policy")).toBe("same-origin");
  });

  describe("signing in", () => {
    test.each(table)(
      "with Sec-Fetch-Site %s and Origin %s, works if POST is allowed (allowed: %s), and for programs",
      async (_site, _origin, _allowed, { allowed, ...place }) => {
        const response = await service.call("/api/session", {
          method: "POST",
          json: { key },
          headers: from(place),
        });
        const isProgram = place.site === undefined && place.origin === undefined;
        const isAllowed = allowed.includes("POST") || isProgram;
        expect(await describeResponse(response)).toBe(isAllowed ? "200" : "403 cross-site");
        expect(parseCookie(response) !== undefined).toBe(isAllowed);
      },
    );

    test.each([
      ["an array", "[]", "422 invalid-key"],
      ["a string", '"roster_"', "422 invalid-key"],
      ["null", "null", "422 invalid-key"],
      ["an object without a key", "{}", "422 invalid-key"],
      ["a number for a key", '{"key":7}', "422 invalid-key"],
      ["null for a key", '{"key":null}', "422 invalid-key"],
      ["other fields besides the key", `{"key":"${unknownKey}","remember":true}`, "422 invalid-key"],
      ["deep nesting", `${"[".repeat(30_000)}${"]".repeat(30_000)}`, "422 invalid-key"],
      ["an empty body", "", "400 malformed-json"],
      ["half an object", '{"key":', "400 malformed-json"],
      ["a form", `key=${unknownKey}`, "400 malformed-json"],
      ["a body that is too large", `{"key":"${"x".repeat(70_000)}"}`, "413 too-large"],
      ["an empty key", '{"key":""}', "401 unauthenticated"],
      ["an incomplete key", `{"key":"${unknownKey.slice(0, -1)}"}`, "401 unauthenticated"],
      ["an unknown key", `{"key":"${createSecret()}"}`, "401 unauthenticated"],
    ])("with %s is rejected, and sets no cookie", async (_, body, expected) => {
      const headers = { "content-type": "application/json", ...sameOrigin };
      const response = await service.call("/api/session", { method: "POST", body, headers });
      expect(await response.clone().text()).not.toContain(unknownKey.slice(7, 30));
      expect(await describeResponse(response)).toBe(expected);
      expect(parseCookie(response)).toBeUndefined();
    });

    test.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])(
      "rejects content types that any page can send: %p",
      async (type) => {
        const body = new TextEncoder().encode(JSON.stringify({ key }));
        const headers = { ...(type !== "" && { "content-type": type }), ...sameOrigin };
        const response = await service.call("/api/session", { method: "POST", body, headers });
        expect(await describeResponse(response)).toBe("415 unsupported-media-type");
        expect(parseCookie(response)).toBeUndefined();
      },
    );

    test("with an inactive key says whether it is revoked or expired", async () => {
      const createKey = async (fields: object) => {
        const response = await service.call("/api/keys", {
          method: "POST",
          json: { name: "short", scopes, ...fields },
          headers: bearer(key),
        });
        const created: { id: number; key: string } = await response.json();
        return created;
      };
      const revoked = await createKey({});
      await service.call(`/api/keys/${revoked.id}`, { method: "DELETE", headers: bearer(key) });
      const replaced = await createKey({});
      await createKey({ replaces: replaced.id, graceSeconds: 0 });
      const signInWith = (secret: string) =>
        service.call("/api/session", { method: "POST", json: { key: secret }, headers: sameOrigin });
      expect(await describeResponse(await signInWith(revoked.key))).toBe("401 key-revoked");
      expect(await describeResponse(await signInWith(replaced.key))).toBe("401 key-expired");
    });

    test("limits the rate of wrong keys, but not of valid keys", async () => {
      const tries = Array.from({ length: 40 }, () =>
        service.call("/api/session", { method: "POST", json: { key: createSecret() }, headers: sameOrigin }),
      );
      const results = await Promise.all((await Promise.all(tries)).map(describeResponse));
      expect(new Set(results)).toEqual(new Set(["401 unauthenticated", "429 rate-limited"]));
      expect(results.at(-1)).toBe("429 rate-limited");
      expect((await signIn(service, key)).cookie).toStartWith("roster_session_");
    });
  });
});
