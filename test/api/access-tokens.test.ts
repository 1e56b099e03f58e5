import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import type { CreatedKey } from "../../src/client/index.ts";
import { accessTokenOperations } from "../../src/contract/keys/access-token-operations.ts";
import { keyLimits, scopes } from "../../src/contract/keys/key.ts";
import { createAccessToken, createSecret } from "../../src/contract/keys/key-secret.ts";
import { bearer, createFirstKey, sameOrigin, startSession, unknownKey } from "../support/credentials.ts";
import { databaseOn, onEachEngine } from "../support/engines.ts";
import type { FreshDatabase } from "../support/postgres/fresh-database.ts";
import { describeResponse, waitForResponse } from "../support/responses.ts";
import { startService, type TestService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { readTables } from "./support/database-content.ts";
import { Follower } from "./support/follower.ts";

setDefaultTimeout(120_000);

const { path } = accessTokenOperations.issueAccessToken;
const HOUR = keyLimits.accessTokenSeconds * 1000;
const FORM = "application/x-www-form-urlencoded";
const ALLOWED_ORIGIN = "https://app.example";

const basic = (id: string | number, secret: string, scheme = "Basic") => ({
  authorization: `${scheme} ${btoa(`${id}:${secret}`)}`,
});

/** Tests send many requests, and each client has an address of its own. */
const openSettings = { rateLimit: 0, corsOrigins: ALLOWED_ORIGIN, trustedProxies: "127.0.0.1, ::1" };

onEachEngine((engine) => {
  let database: FreshDatabase;
  let service: TestService;
  /** On the same database. */
  let other: TestService;
  let key: string;
  let addresses = 0;

  beforeAll(async () => {
    database = await databaseOn(engine);
    const first = await startService({ database: database.url }, engine);
    key = await createFirstKey(first);
    await first.stop();
    const settings = { ...openSettings, database: database.url };
    service = await startService({ ...settings, logLevel: "debug" }, engine);
    other = await startService(settings, engine);
  }, 120_000);
  afterAll(async () => {
    for (const each of [service, other]) await each.stop();
    await database.drop();
  }, 120_000);

  /** A client has an address of its own, so that wrong keys of other tests do not count. */
  const newAddress = () => ({ "x-forwarded-for": `10.1.${++addresses >> 8}.${addresses & 255}` });

  async function createKey(fields: object = {}): Promise<CreatedKey> {
    const body = { name: "client", scopes: ["users:read", "users:write"], ...fields };
    const response = await service.call("/api/keys", { method: "POST", json: body, headers: bearer(key) });
    expect(response.status).toBe(201);
    return await response.json();
  }

  /** Sends a form to the token endpoint. */
  const post = (
    parameters: Record<string, string> | string,
    headers: Record<string, string> = {},
    { at = service, query = "" } = {},
  ) =>
    at.call(path + query, {
      method: "POST",
      body: typeof parameters === "string" ? parameters : new URLSearchParams(parameters).toString(),
      headers: { "content-type": FORM, ...newAddress(), ...headers },
    });

  const formOf = ({ id, key: secret }: Pick<CreatedKey, "id" | "key">) => ({
    grant_type: "client_credentials",
    client_id: String(id),
    client_secret: secret,
  });
  const grant = { grant_type: "client_credentials" };

  async function issue(created: CreatedKey, at = service): Promise<string> {
    const response = await post(formOf(created), {}, { at });
    expect(response.status).toBe(200);
    return (await response.json()).access_token;
  }

  /** The status and the code of an error, such as "401 invalid_client", after a check of its form. */
  async function describeError(response: Response): Promise<string> {
    const { error, error_description: description, ...more } = await response.json();
    expect(more).toEqual({});
    expect(description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
    expect(response.headers.get("content-type")).toStartWith("application/json");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("pragma")).toBe("no-cache");
    if (response.status === 401)
      expect(response.headers.get("www-authenticate")).toBe('Basic realm="roster"');
    return `${response.status} ${error}`;
  }

  const use = (token: string, at = service) =>
    at.call("/api/users", { headers: { ...bearer(token), ...newAddress() } });

  describe("a client gets an access token", () => {
    test("with its id and key in the form, and the token works for an hour with the scopes of the key", async () => {
      const created = await createKey();
      const response = await post(formOf(created));
      expect(response.headers.get("cache-control")).toBe("no-store");
      expect(response.headers.get("pragma")).toBe("no-cache");
      const { access_token: token, ...more } = await response.json();
      expect(more).toEqual({
        token_type: "Bearer",
        expires_in: expect.any(Number),
        scope: "users:read users:write",
      });
      expect(more.expires_in).toBeWithin(3540, 3601);
      expect(token).toMatch(new RegExp(`^roster_token_${created.id}_[0-9A-Za-z]{36}$`));
      expect(await describeResponse(await use(token))).toBe("200");
      const who = await (await service.call("/api/session", { headers: bearer(token) })).json();
      expect(who).toEqual({
        auth: "token",
        key: { id: created.id, name: "client" },
        scopes: ["users:read", "users:write"],
        expiresAt: expect.any(String),
        deletedDays: 30,
      });
      const groups = await service.call("/api/groups", { headers: bearer(token) });
      expect(await describeResponse(groups)).toBe("403 insufficient-scope");
    });

    test("with HTTP Basic, in any case and percent-encoded, with or without the same client_id in the form", async () => {
      const { id, key: secret } = await createKey();
      const encoded = secret.replaceAll("_", "%5F");
      for (const headers of [
        basic(id, secret),
        basic(id, secret, "basic"),
        basic(id, secret, "BASIC"),
        basic(id, encoded),
      ]) {
        expect((await post(grant, headers)).status).toBe(200);
        expect((await post({ ...grant, client_id: String(id) }, headers)).status).toBe(200);
      }
    });

    test("with the form beside an Authorization header of another scheme, which a proxy may need", async () => {
      const created = await createKey();
      expect((await post(formOf(created), { authorization: "Negotiate abc" })).status).toBe(200);
    });

    test("with unknown parameters, empty ones, a scope and a charset", async () => {
      const created = await createKey();
      const parameters = { ...formOf(created), scope: "keys:manage", resource: "", audience: "x" };
      const response = await post(parameters, { "content-type": `${FORM}; charset=UTF-8` });
      // The scope of a token is always that of its key, and the response says so.
      expect(await response.json()).toMatchObject({ scope: "users:read users:write" });
    });

    test("that ends before the hour if the key expires before", async () => {
      const expiresAt = new Date(service.clock.now() + HOUR / 2).toISOString();
      const { expires_in: seconds } = await (await post(formOf(await createKey({ expiresAt })))).json();
      expect(seconds).toBeWithin(HOUR / 2000 - 60, HOUR / 2000 + 1);
    });

    test("a new one for each request", async () => {
      const created = await createKey();
      const tokens = [await issue(created), await issue(created)];
      expect(new Set(tokens).size).toBe(2);
      for (const token of tokens) expect(await describeResponse(await use(token))).toBe("200");
    });
  });

  describe("a request is refused as RFC 6749 says", () => {
    test.each([
      ["without grant_type", { grant_type: "" }, "400 invalid_request"],
      ["with the password grant", { grant_type: "password" }, "400 unsupported_grant_type"],
      ["with a refresh token", { grant_type: "refresh_token" }, "400 unsupported_grant_type"],
      ["with an authorization code", { grant_type: "authorization_code" }, "400 unsupported_grant_type"],
      ["with a grant type of Object", { grant_type: "constructor" }, "400 unsupported_grant_type"],
      [
        "with the grant type in another case",
        { grant_type: "Client_Credentials" },
        "400 unsupported_grant_type",
      ],
      ["with a secret of no key", { client_secret: unknownKey }, "401 invalid_client"],
      ["with an empty secret", { client_secret: "" }, "401 invalid_client"],
      ["with an empty id", { client_id: "" }, "401 invalid_client"],
      ["with the id of another key", { client_id: "1" }, "401 invalid_client"],
      ["with the id 0", { client_id: "0" }, "401 invalid_client"],
      ["with a name as id", { client_id: "client" }, "401 invalid_client"],
      ["with an access token as secret", { client_secret: createAccessToken(2) }, "401 invalid_client"],
      ["with SQL as secret", { client_secret: "' OR '1'='1" }, "401 invalid_client"],
    ])("%s", async (_, change, expected) => {
      const created = await createKey();
      expect(await describeError(await post({ ...formOf(created), ...change }))).toBe(expected);
    });

    test("with an id that is written in another way", async () => {
      const created = await createKey();
      for (const id of [`0${created.id}`, ` ${created.id}`, `${created.id}.0`, `+${created.id}`]) {
        const response = await post({ ...formOf(created), client_id: id });
        expect(await describeError(response)).toBe("401 invalid_client");
      }
    });

    test("with a key that has one character too few, or too many", async () => {
      const created = await createKey();
      for (const secret of [created.key.slice(0, -1), `${created.key}0`, created.key.toUpperCase()]) {
        const response = await post({ ...formOf(created), client_secret: secret });
        expect(await describeError(response)).toBe("401 invalid_client");
      }
    });

    test("with an access token of the key as secret: a token gets no other token", async () => {
      const created = await createKey();
      const token = await issue(created);
      const response = await post({ ...formOf(created), client_secret: token });
      expect(await describeError(response)).toBe("401 invalid_client");
      expect(await describeError(await post(grant, bearer(token)))).toBe("401 invalid_client");
    });

    test("without credentials, with only one of them, or with the key as a bearer token", async () => {
      const { id, key: secret } = await createKey();
      for (const [parameters, headers] of [
        [grant, {}],
        [{ ...grant, client_id: String(id) }, {}],
        [{ ...grant, client_secret: secret }, {}],
        [grant, bearer(secret)],
        [grant, { "x-api-key": secret }],
      ] as const) {
        expect(await describeError(await post(parameters, headers))).toBe("401 invalid_client");
      }
    });

    test("with Basic that is not valid", async () => {
      const { id, key: secret } = await createKey();
      for (const value of ["", "====", "é", btoa(secret), btoa(`:${secret}`), btoa(`${id}:`), btoa("%:%")]) {
        const response = await post(grant, { authorization: `Basic ${value}` });
        expect(await describeError(response)).toBe("401 invalid_client");
      }
    });

    test("with both methods at once, even if both are right", async () => {
      const created = await createKey();
      const headers = basic(created.id, created.key);
      expect(await describeError(await post(formOf(created), headers))).toBe("400 invalid_request");
      const mixed = { ...grant, client_id: "1" };
      expect(await describeError(await post(mixed, headers))).toBe("400 invalid_request");
      const { client_secret: secret } = formOf(created);
      expect(await describeError(await post({ ...grant, client_secret: secret }, headers))).toBe(
        "400 invalid_request",
      );
    });

    test.each([
      "grant_type=client_credentials",
      "client_id=1",
      "client_secret=x",
      "scope=a&scope=b",
      "x=&x=",
    ])("with a parameter twice: %s", async (more) => {
      const text = new URLSearchParams(formOf(await createKey())).toString();
      expect(await describeError(await post(`${text}&${more}`))).toBe("400 invalid_request");
    });

    test("with credentials or any parameter in the URL", async () => {
      const created = await createKey();
      const form = new URLSearchParams(formOf(created)).toString();
      for (const query of [
        `?${form}`,
        `?client_secret=${created.key}`,
        `?client_secret=${created.key.replaceAll("_", "%5f")}`,
        `?token=${await issue(created)}`,
        "?scope=x",
      ]) {
        expect(await describeError(await post(formOf(created), {}, { query }))).toBe("400 invalid_request");
        expect(await describeError(await post(grant, {}, { query }))).toBe("400 invalid_request");
      }
    });

    test("with a body that is too large, also compressed, or empty", async () => {
      const created = await createKey();
      const large = { ...formOf(created), scope: "x".repeat(64 * 1024) };
      expect(await describeError(await post(large))).toBe("413 invalid_request");
      const compressed = await service.call(path, {
        method: "POST",
        body: Bun.gzipSync(new URLSearchParams(large).toString()),
        headers: { "content-type": FORM, "content-encoding": "gzip" },
      });
      expect(await describeError(compressed)).toBe("413 invalid_request");
      expect(await describeError(await post(""))).toBe("400 invalid_request");
    });

    test("with a body that is not UTF-8, or thousands of parameters", async () => {
      const bytes = Uint8Array.from([0x67, 0xff, 0xfe, 0x3d]);
      const headers = { "content-type": FORM };
      const invalid = await service.call(path, { method: "POST", body: bytes, headers });
      expect(await describeError(invalid)).toBe("400 invalid_request");
      const many = Array.from({ length: 1500 }, (_, i) => `p${i}`).join("&");
      expect(await describeError(await post(many))).toBe("401 invalid_client");
    });

    test("with another type of body, or none", async () => {
      const created = await createKey();
      const json = JSON.stringify(formOf(created));
      for (const type of ["application/json", "text/plain", "multipart/form-data; boundary=x", ""]) {
        const response = await post(json, { "content-type": type });
        expect(await describeError(response)).toBe("415 invalid_request");
        expect(response.headers.get("accept-post")).toBe(FORM);
      }
    });

    test("with a text in the type of the body that an error must not repeat as it is", async () => {
      const response = await post("x", { "content-type": 'a"\\b\u00ff' });
      expect(await describeError(response)).toBe("415 invalid_request");
    });

    test("with another method, or at another path below it", async () => {
      for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
        const response = await service.call(path, { method });
        expect(response.headers.get("allow")).toBe("POST, OPTIONS");
        expect(await describeError(response)).toBe("405 invalid_request");
      }
      const unknown = await service.call("/oauth/authorize", { method: "POST" });
      expect(await describeError(unknown)).toBe("404 invalid_request");
    });

    test("if the caller accepts no JSON", async () => {
      const response = await post(formOf(await createKey()), { accept: "text/html" });
      expect(await describeError(response)).toBe("406 invalid_request");
    });
  });

  test("nothing that a client sends makes the service fail", async () => {
    const created = await createKey();
    const texts = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("", created.key, String(created.id)),
    );
    const names = fc.oneof(fc.constantFrom("grant_type", "client_id", "client_secret"), fc.string());
    const forms = fc.oneof(
      fc.array(fc.tuple(names, texts)).map((pairs) => new URLSearchParams(pairs).toString()),
      fc.dictionary(names, texts).map((pairs) => new URLSearchParams({ ...grant, ...pairs }).toString()),
      fc.uint8Array(),
    );
    const headers = fc.oneof(
      fc.constant({}),
      fc.string().map((text) => ({ authorization: `Basic ${Buffer.from(text).toString("base64")}` })),
      fc.base64String().map((text) => ({ authorization: `Basic ${text}` })),
    );
    await fc.assert(
      fc.asyncProperty(forms, headers, async (body, more) => {
        const response = await service.call(path, {
          method: "POST",
          body: typeof body === "string" ? body : Buffer.from(body),
          headers: { "content-type": FORM, ...newAddress(), ...more },
        });
        if (response.status !== 200) expect(await describeError(response)).toMatch(/^40[01] /);
      }),
      { numRuns: 300 },
    );
  });

  describe("wrong credentials count as wrong keys", () => {
    test("of their address: the limit applies to both, and right ones still work", async () => {
      const created = await createKey();
      const address = newAddress();
      const wrong = { ...formOf(created), client_secret: createSecret() };
      const results = new Map<string, number>();
      for (let tries = 0; tries < 25; tries++) {
        const response = await post(wrong, address);
        if (response.status === 429) expect(response.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
        const result = await describeError(response);
        results.set(result, (results.get(result) ?? 0) + 1);
      }
      expect([...results.keys()].sort()).toEqual(["401 invalid_client", "429 temporarily_unavailable"]);
      const asKey = await service.call("/api/users", { headers: { ...bearer(createSecret()), ...address } });
      expect(await describeResponse(asKey)).toBe("429 rate-limited");
      expect((await post(formOf(created), address)).status).toBe(200);
      const mixed = await post({ ...formOf(created), client_id: "1" }, address);
      expect(await describeError(mixed)).toBe("429 temporarily_unavailable");
    });

    test("in the failure log, without the secret", async () => {
      const at = other;
      const created = await createKey();
      const revoked = await createKey();
      const token = await issue(revoked);
      await service.call(`/api/keys/${revoked.id}`, { method: "DELETE", headers: bearer(key) });
      await until(async () => (await use(token, at)).status === 401);
      const address = { "x-forwarded-for": "192.0.2.7" };
      const before = at.log.length;
      const secret = createSecret();
      await post({ ...formOf(created), client_secret: secret }, address, { at });
      await post({ ...formOf(created), client_id: "1" }, address, { at });
      await post({ ...formOf(created), client_secret: "roster_x" }, address, { at });
      await post(formOf(revoked), address, { at });
      await at.call("/api/users", { headers: { ...bearer(token), ...address } });
      await at.call("/api/users", { headers: { ...bearer(`${token}0`), ...address } });
      await at.clock.advance(60_000);
      const lines = at.log.slice(before);
      const entry = lines.find((line) => line.includes("192.0.2.7")) ?? "{}";
      expect(JSON.parse(entry)).toMatchObject({
        message: "rejected credentials",
        count: 6,
        reasons: "2 unknown key, 1 malformed key, 1 revoked key, 1 ended token, 1 malformed token",
        keys: String(revoked.id),
      });
      for (const text of [secret, token, created.key]) expect(lines.join("").includes(text)).toBe(false);
    });

    test("an ended token does not: a client that comes back with it gets a new one", async () => {
      const address = newAddress();
      const ended = createAccessToken(1);
      for (let tries = 0; tries < 30; tries++) {
        const response = await service.call("/api/users", { headers: { ...bearer(ended), ...address } });
        expect(await describeResponse(response)).toBe("401 unauthenticated");
        expect(response.headers.get("www-authenticate")).toBe('Bearer realm="roster", error="invalid_token"');
      }
    });
  });

  describe("an access token", () => {
    test.each([
      ["cut off", (token: string) => token.slice(0, -1)],
      ["longer", (token: string) => `${token}0`],
      ["of another key", (token: string) => token.replace(/_\d+_/, "_1_")],
      ["without its prefix", (token: string) => token.slice("roster_token_".length)],
      ["with the prefix of a key", (token: string) => `roster_${token.split("_")[3]}`],
      ["in upper case", (token: string) => token.toUpperCase()],
      ["of no key", () => createAccessToken(999_999)],
      ["with a huge id", () => `roster_token_${"9".repeat(5000)}_${"0".repeat(36)}`],
      ["with no id", () => `roster_token__${"0".repeat(36)}`],
      ["as a digest", (token: string) => Bun.SHA256.hash(token, "base64url")],
    ])("that is changed is refused: %s", async (_, change) => {
      const token = await issue(await createKey());
      expect(await describeResponse(await use(change(token)))).toBe("401 unauthenticated");
      expect(await describeResponse(await use(token))).toBe("200");
    });

    test("cannot create or replace keys or webhooks: that takes the key itself", async () => {
      const created = await createKey({ scopes });
      const token = await issue(created);
      const create = (url: string, json: object) =>
        service.call(url, { method: "POST", json, headers: bearer(token) });
      for (const body of [
        { name: "outlives the token", scopes },
        { replaces: created.id, graceSeconds: 60 },
      ]) {
        expect(await describeResponse(await create("/api/keys", body))).toBe("403 key-required");
      }
      const webhook = { url: "https://hooks.example.com" };
      expect(await describeResponse(await create("/api/webhooks", webhook))).toBe("403 key-required");
      expect((await service.call("/api/keys", { headers: bearer(token) })).status).toBe(200);
    });

    test("is no key to sign in with, and no session", async () => {
      const token = await issue(await createKey());
      const signIn = await service.call("/api/session", {
        method: "POST",
        json: { key: token },
        headers: { ...sameOrigin, ...newAddress() },
      });
      expect(await describeResponse(signIn)).toBe("401 unauthenticated");
      const session = await startSession(service, key);
      for (const headers of [
        { ...session, "x-session-token": token },
        bearer(session["x-session-token"] ?? ""),
      ]) {
        const response = await service.call("/api/users", { headers: { ...headers, ...newAddress() } });
        expect(await describeResponse(response)).toBe("401 unauthenticated");
      }
    });

    test("has the rate limit and the quota of its key", async () => {
      const created = await createKey({ rateLimit: { requests: 3, seconds: 86_400 }, quota: 1 });
      const token = await issue(created);
      const first = await use(token);
      expect(first.status).toBe(200);
      expect(first.headers.get("ratelimit-policy")).toBe('"default";q=3;w=86400, "quota";q=1');
      expect(await describeResponse(await use(token))).toBe("429 quota-exceeded");
      expect(await describeResponse(await use(token))).toBe("429 rate-limited");
      expect(await describeError(await post(formOf(created)))).toBe("429 temporarily_unavailable");
    });

    test("is the actor's key in events", async () => {
      const created = await createKey();
      const token = await issue(created);
      const json = { name: "Ada" };
      const user = await service.call("/api/users", { method: "POST", json, headers: bearer(token) });
      const { id } = await user.json();
      const events = await service.call(`/api/users/${id}/events`, { headers: bearer(key) });
      expect(await events.json()).toMatchObject([{ actor: { type: "key", id: created.id } }]);
    });

    test("works at once on another node", async () => {
      const created = await createKey();
      await until(async () => (await use(created.key, other)).status === 200);
      expect(await describeResponse(await use(await issue(created), other))).toBe("200");
      expect(await describeResponse(await use(await issue(created, other)))).toBe("200");
    });

    test("that is the hundred and first of a key ends the oldest, and no token of another key", async () => {
      const [created, neighbour] = [await createKey(), await createKey()];
      const others = await issue(neighbour);
      const tokens: string[] = [];
      for (let i = 0; i <= keyLimits.accessTokens; i++) {
        tokens.push(await issue(created));
        // The oldest is the one that expires first.
        service.clock.jump(1);
      }
      await waitForResponse("401 unauthenticated", () => use(tokens[0] ?? ""));
      for (const token of [tokens[1] ?? "", tokens.at(-1) ?? "", others])
        expect(await describeResponse(await use(token))).toBe("200");
    });
  });

  describe("an access token ends", () => {
    test("when its key is revoked, on every node, also by the token itself", async () => {
      const created = await createKey({ scopes });
      const token = await issue(created);
      expect(await describeResponse(await use(token, other))).toBe("200");
      const revoke = { method: "DELETE", headers: bearer(token) };
      expect((await service.call(`/api/keys/${created.id}`, revoke)).status).toBe(204);
      expect(await describeResponse(await use(token))).toBe("401 unauthenticated");
      await waitForResponse("401 unauthenticated", () => use(token, other));
      expect(await describeError(await post(formOf(created)))).toBe("401 invalid_client");
    });

    test("at once when its key is replaced without a grace period", async () => {
      const created = await createKey();
      const token = await issue(created);
      await createKey({ replaces: created.id, graceSeconds: 0 });
      await waitForResponse("401 unauthenticated", () => use(token));
      await waitForResponse("401 unauthenticated", () => use(token, other));
    });

    test("while a follower of events uses it: the stream ends", async () => {
      const created = await createKey({ scopes: ["events:read"] });
      const follower = await Follower.open(service, "/api/events", bearer(await issue(created)));
      await service.call(`/api/keys/${created.id}`, { method: "DELETE", headers: bearer(key) });
      await until(() => follower.isEnded);
    });
  });

  test("an access token ends after an hour, or with its key", async () => {
    const own = await startService({ database: database.url, rateLimit: 0 }, engine);
    own.clock.stop();
    const expiresAt = new Date(own.clock.now() + HOUR / 2).toISOString();
    const [created, short] = [await createKey(), await createKey({ expiresAt })];
    const tokens = [await issue(created, own), await issue(short, own)];
    const states = async () => [
      await describeResponse(await use(tokens[0] ?? "", own)),
      await describeResponse(await use(tokens[1] ?? "", own)),
    ];
    expect(await states()).toEqual(["200", "200"]);
    await own.clock.advance(HOUR / 2);
    expect(await states()).toEqual(["200", "401 unauthenticated"]);
    await own.clock.advance(HOUR / 2 - 1);
    expect((await states())[0]).toBe("200");
    await own.clock.advance(1);
    expect((await states())[0]).toBe("401 unauthenticated");
    await own.stop();
  });

  describe("a page of another origin", () => {
    test.each([
      ["another site", { "sec-fetch-site": "cross-site", origin: "https://evil.example" }],
      ["the same site", { "sec-fetch-site": "same-site", origin: "http://other.localhost" }],
      ["an origin that may send keys", { "sec-fetch-site": "cross-site", origin: ALLOWED_ORIGIN }],
      ["a browser without Sec-Fetch-Site", { origin: "https://evil.example" }],
      ["a file", { origin: "null" }],
      ["an address that a person entered", { "sec-fetch-site": "none" }],
    ])("gets no token: %s", async (_, headers) => {
      const created = await createKey();
      const response = await post(formOf(created), headers);
      expect(await describeError(response)).toBe("403 invalid_request");
      expect(response.headers.get("set-cookie")).toBeNull();
      if (!("origin" in headers) || headers.origin !== ALLOWED_ORIGIN)
        expect(response.headers.get("access-control-allow-origin")).toBeNull();
    });

    test("has no more rights with a token than with a key", async () => {
      const token = await issue(await createKey());
      const headers = { ...bearer(token), "sec-fetch-site": "cross-site", origin: "https://evil.example" };
      expect(await describeResponse(await service.call("/api/users", { headers }))).toBe("403 cross-site");
    });
  });

  test("the database has the digest of a token, and neither the database nor the log has a part of the token", async () => {
    const created = await createKey();
    const token = await issue(created);
    await use(token);
    await service.call(`/api/users/${token}`, { headers: bearer(key) });
    await service.call(`/api/users?x=${token}`, { headers: bearer(key) });
    await service.call("/api/users", { headers: { ...bearer(key), "x-request-id": token } });
    const content = JSON.stringify(await readTables(engine, database.url));
    expect(content).toContain(`${created.id}.${Bun.SHA256.hash(token, "base64url")}`);
    const random = token.split("_")[3] ?? "";
    for (const text of [content, service.log.join("")]) {
      expect(text.includes(random)).toBe(false);
      expect(text.includes(random.slice(4, 24))).toBe(false);
    }
  });

  test("no problem and no header repeats a token that a URL contains", async () => {
    const token = await issue(await createKey());
    for (const url of [
      `/api/users/${token}`,
      `/api/users?q=${token}`,
      `/x/${token.replaceAll("_", "%5F")}`,
    ]) {
      const response = await service.call(url, { headers: bearer(key) });
      const text = `${await response.text()} ${JSON.stringify([...response.headers])}`;
      expect([response.status, text.includes(token.slice(-36))]).toEqual([400, false]);
    }
  });
});
