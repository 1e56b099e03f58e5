import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createSecret } from "../../src/contract/key-secret.ts";
import { databaseOn, onEachEngine } from "../support/engines.ts";
import type { FreshDatabase } from "../support/postgres/fresh-database.ts";
import {
  bearer,
  type Credential,
  environment,
  expired,
  type Kind,
  keyKinds,
  nothing,
  revoked,
  scoped,
  sessionKinds,
  ways,
} from "./access/credentials.ts";
import { type AccessScenario, expectAccess, expectNoSecretsInLog } from "./access/expect-access.ts";
import { protectedOperations } from "./access/protected-operations.ts";
import { TestKeys } from "./access/test-keys.ts";
import { startNode, type TestNode } from "./access/test-node.ts";

setDefaultTimeout(120_000);

/** Who may do what: every operation of the contract, with everything that a caller can show. */
onEachEngine((engine) => {
  const testKeys = new TestKeys(createSecret());
  let database: FreshDatabase;
  /** Where a key is required. */
  let node: TestNode;
  /** Where none is, though there are some. */
  let unguarded: TestNode;
  let required: AccessScenario;
  let off: AccessScenario;

  beforeAll(async () => {
    database = await databaseOn(engine);
    node = await startNode(database.url, {
      ROSTER_AUTH: "required",
      ROSTER_API_KEY: testKeys.environmentKey,
      ROSTER_TRUSTED_PROXIES: "127.0.0.1",
    });
    unguarded = await startNode(database.url, { ROSTER_AUTH: "off" });
    await Promise.all([testKeys.createKeys(node), testKeys.createExpiredKeys(node)]);
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
    kinds.map((kind) => ({ ...kind, fate: kind.refused ? `is ${kind.refused}` : "may do what it is for" }));

  test("the contract has operations for every scope, and one for whoever is known", () => {
    expect([...new Set(protectedOperations.map(({ access }) => access))].sort()).toEqual([
      "authenticated",
      "keys:manage",
      "users:read",
      "users:write",
    ]);
  });

  describe("Where a key is required", () => {
    test("whoever shows nothing is unauthenticated", () => expectAccess(required, nothing));

    for (const [way, headers] of Object.entries(ways)) {
      test.each(titled(keyKinds))(`$name, sent ${way}, $fate`, (kind) =>
        expectAccess(required, testKeys.key(kind, headers)),
      );
    }

    test.each(titled(sessionKinds))("$name $fate", (kind) => expectAccess(required, testKeys.session(kind)));

    test("a key counts, whatever session comes with it", async () => {
      await expectAccess(required, testKeys.both(environment, revoked));
      for (const kind of [revoked, expired]) await expectAccess(required, testKeys.both(kind, environment));
      for (const kind of scoped) await expectAccess(required, testKeys.both(kind, environment));
    });
  });

  describe("Whoever is let in", () => {
    const who = async (on: TestNode, headers: Credential["headers"]) =>
      JSON.parse((await on.request({ method: "GET", path: "/api/session", headers })).text);

    test.each([...scoped, environment])("by $name is told its id, its name and its scopes", async (kind) => {
      const { id, headers } = testKeys.key(kind);
      const name = kind === environment ? "ROSTER_API_KEY" : `name of ${kind.name}`;
      const key = { id, name };
      expect(await who(node, headers)).toEqual({ auth: "key", key, scopes: kind.scopes, expiresAt: null });
      const session = await who(node, testKeys.session(kind).headers);
      expect(session).toEqual({ auth: "session", key, scopes: kind.scopes, expiresAt: expect.any(String) });
      expect(await who(unguarded, headers)).toMatchObject({ auth: "off", key: null });
    });

    test("has shown its key as a bearer, if another came as X-API-Key", async () => {
      const both = (one: Kind, other: Kind) => ({
        ...testKeys.key(one),
        headers: { ...bearer(testKeys.secret(one)), "x-api-key": testKeys.secret(other) },
      });
      await expectAccess(required, both(environment, revoked));
      await expectAccess(required, both(revoked, environment));
    });

    test("has not come by another spelling of the path", async () => {
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
          expect([path, (await node.request({ method, path })).status]).toEqual([path, 401]);
        }
        const { status } = await node.request({
          method: "GET",
          path,
          headers: testKeys.key(environment).headers,
        });
        expect([path, status]).not.toEqual([path, 401]);
      }
    });
  });

  describe("With ROSTER_AUTH=off", () => {
    test("whoever shows nothing may do everything but manage keys", () => expectAccess(off, nothing));
    test.each(titled(keyKinds))("$name makes no difference", (kind) => expectAccess(off, testKeys.key(kind)));
    test.each(titled(sessionKinds))("$name makes no difference", (kind) =>
      expectAccess(off, testKeys.session(kind)),
    );
  });

  test("after all that neither log has a secret, a digest, a session or a cookie in it", () => {
    expectNoSecretsInLog(required);
    expectNoSecretsInLog(off);
  });
});
