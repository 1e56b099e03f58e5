import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { accessTokenOperations } from "../../../src/contract/keys/access-token-operations.ts";
import { createSecret } from "../../../src/contract/keys/key-secret.ts";
import { bearer } from "../../support/credentials.ts";
import { databaseOn, onAnyEngine } from "../../support/engines.ts";
import type { FreshDatabase } from "../../support/postgres/fresh-database.ts";
import type { TestService } from "../../support/service.ts";
import {
  type Credential,
  environment,
  expired,
  type Kind,
  keyKinds,
  keyName,
  nothing,
  revoked,
  scoped,
  sessionKinds,
  tokenKinds,
  unknown,
  ways,
} from "./support/credential-kinds.ts";
import { type AccessScenario, expectAccess, expectNoSecretsInLog } from "./support/expect-access.ts";
import { protectedOperations } from "./support/protected-operations.ts";
import { TestKeys } from "./support/test-keys.ts";
import { startNode } from "./support/test-node.ts";

setDefaultTimeout(120_000);

/** Sends every protected operation with every kind of credential. */
onAnyEngine((engine) => {
  const testKeys = new TestKeys(createSecret());
  let database: FreshDatabase;
  /** Requires a key. */
  let node: TestService;
  /** Requires no key, though keys exist. */
  let unguarded: TestService;
  let required: AccessScenario;
  let off: AccessScenario;

  beforeAll(async () => {
    database = await databaseOn(engine);
    node = await startNode(database.url, {
      auth: "required",
      apiKey: testKeys.environmentKey,
      trustedProxies: "127.0.0.1",
    });
    unguarded = await startNode(database.url, { auth: "off" });
    await Promise.all([testKeys.createKeys(node), testKeys.createExpiredKeys(node)]);
    await testKeys.renewTokens(node);
    required = {
      node,
      mode: "required",
      adminNode: node,
      keys: testKeys,
      operations: protectedOperations,
      trustsProxy: true,
    };
    off = {
      node: unguarded,
      mode: "off",
      adminNode: node,
      keys: testKeys,
      operations: protectedOperations,
      trustsProxy: false,
    };
  });
  afterAll(async () => {
    await Promise.all([node.stop(), unguarded.stop()]);
    await database.drop();
  });

  const titled = (kinds: readonly Kind[]) =>
    kinds.map((kind) => ({
      ...kind,
      result: kind.problemType ? `is rejected as ${kind.problemType}` : "allows what its scopes allow",
    }));

  test("the contract has operations for every scope, and one for any authenticated caller", () => {
    expect(
      [...new Set(protectedOperations.map(({ needs }) => needs[0]?.[0] ?? "authenticated"))].sort(),
    ).toEqual([
      "authenticated",
      "events:read",
      "groups:read",
      "groups:write",
      "keys:manage",
      "schema:manage",
      "users:purge",
      "users:read",
      "users:write",
      "webhooks:manage",
    ]);
  });

  describe("when a key is required", () => {
    test("a request without credentials is unauthenticated", () => expectAccess(required, nothing));

    for (const [way, headers] of Object.entries(ways)) {
      // How a key is sent does not depend on its scopes.
      const kinds =
        headers === bearer ? keyKinds : keyKinds.filter((kind) => !scoped.slice(1).includes(kind));
      test.each(titled(kinds))(`$name, sent ${way}, $result`, (kind) =>
        expectAccess(required, testKeys.key(kind, headers)),
      );
    }

    test.each(titled(sessionKinds))("$name $result", (kind) =>
      expectAccess(required, testKeys.session(kind)),
    );

    test.each(titled(tokenKinds))("$name $result", (kind) => expectAccess(required, testKeys.token(kind)));

    test("a key takes precedence over a session", async () => {
      await expectAccess(required, testKeys.both(environment, revoked));
      for (const kind of [revoked, expired]) await expectAccess(required, testKeys.both(kind, environment));
      for (const kind of scoped.slice(0, 3)) await expectAccess(required, testKeys.both(kind, environment));
    });
  });

  describe("an access token", () => {
    let addresses = 0;
    const ask = async (kind: Kind, { id = 1 }: { readonly id?: number }, headers: Record<string, string>) => {
      const client = { client_id: String(id), client_secret: testKeys.secret(kind) };
      const { method, path, request } = accessTokenOperations.issueAccessToken;
      const response = await node.call(path, {
        method,
        body: new URLSearchParams({ grant_type: "client_credentials", ...client }).toString(),
        headers: {
          "content-type": request.types[0],
          "x-forwarded-for": `10.255.${++addresses}.1`,
          ...headers,
        },
      });
      const { error, access_token: token } = await response.json();
      return { status: response.status, error, hasToken: token !== undefined };
    };

    test.each(keyKinds)("is for the key itself, whatever else a request has: $name", async (kind) => {
      const expected = kind.problemType
        ? { status: 401, error: "invalid_client", hasToken: false }
        : { status: 200, error: undefined, hasToken: true };
      const key = testKeys.key(kind);
      expect(await ask(kind, key, {})).toEqual(expected);
      // A valid credential in a header does not help, and a wrong one does not harm.
      for (const other of [testKeys.key(environment), testKeys.session(environment), testKeys.key(unknown)])
        expect(await ask(kind, key, other.headers)).toEqual(expected);
    });
  });

  describe("an authenticated caller", () => {
    const who = async (on: TestService, headers: Credential["headers"]) =>
      await (await on.call("/api/session", { headers })).json();

    test.each([...scoped, environment])("with $name can read its key's id, name and scopes", async (kind) => {
      const { id, headers } = testKeys.key(kind);
      const name = kind === environment ? "ROSTER_API_KEY" : keyName(kind);
      const key = { id, name };
      expect(await who(node, headers)).toEqual({
        auth: "key",
        key,
        scopes: kind.scopes,
        expiresAt: null,
        deletedDays: 30,
      });
      const session = await who(node, testKeys.session(kind).headers);
      expect(session).toEqual({
        auth: "session",
        key,
        scopes: kind.scopes,
        expiresAt: expect.any(String),
        deletedDays: 30,
      });
      expect(await who(unguarded, headers)).toMatchObject({ auth: "off", key: null });
    });

    test("is identified by Authorization, even if X-API-Key holds another key", async () => {
      const both = (authorization: Kind, apiKey: Kind) => ({
        ...testKeys.key(authorization),
        headers: { ...bearer(testKeys.secret(authorization)), "x-api-key": testKeys.secret(apiKey) },
      });
      await expectAccess(required, both(environment, revoked));
      await expectAccess(required, both(revoked, environment));
    });

    test("needs a key for every spelling of a path", async () => {
      const paths = [
        "/api/users/",
        "/api/%75sers",
        "/api/users/1/",
        "/%61pi/users/1",
        "/api/keys/",
        "/metrics/",
      ];
      for (const path of paths) {
        for (const method of ["GET", "HEAD"]) {
          expect([path, (await node.call(path, { method })).status]).toEqual([path, 401]);
        }
        const { status } = await node.call(path, { headers: testKeys.key(environment).headers });
        expect([path, status]).not.toEqual([path, 401]);
      }
    });
  });

  describe("with ROSTER_AUTH=off", () => {
    test("a request without credentials can do everything except manage keys", () =>
      expectAccess(off, nothing));
    test.each(titled(keyKinds))("$name is ignored", (kind) => expectAccess(off, testKeys.key(kind)));
    test.each(titled(sessionKinds))("$name is ignored", (kind) => expectAccess(off, testKeys.session(kind)));
    test.each(titled(tokenKinds))("$name is ignored", (kind) => expectAccess(off, testKeys.token(kind)));
  });

  test("the logs contain no secret, digest, session or cookie afterwards", () => {
    expectNoSecretsInLog(required);
    expectNoSecretsInLog(off);
  });
});
