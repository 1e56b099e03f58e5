import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { newSecret } from "../../src/contract/key-secret.ts";
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
import { deeds } from "./access/deeds.ts";
import { type Door, expectNoSecret, expectRuled } from "./access/door.ts";
import { type Node, startNode } from "./access/node.ts";
import { Wallet } from "./access/wallet.ts";

setDefaultTimeout(20_000);

/** Who may do what: every operation of the contract, with everything that a caller can show. */
onEachEngine((engine) => {
  const wallet = new Wallet(newSecret());
  let database: FreshDatabase;
  /** Where a key is required. */
  let node: Node;
  /** Where none is, though there are some. */
  let unguarded: Node;
  let required: Door;
  let off: Door;

  beforeAll(async () => {
    database = await databaseOn(engine);
    node = await startNode(database.url, {
      ROSTER_AUTH: "required",
      ROSTER_API_KEY: wallet.environmentKey,
      ROSTER_TRUSTED_PROXIES: "127.0.0.1",
    });
    unguarded = await startNode(database.url, { ROSTER_AUTH: "off" });
    await Promise.all([wallet.fill(node), wallet.age(node)]);
    required = { node, mode: "required", desk: node, wallet, deeds, proxied: true };
    off = { node: unguarded, mode: "off", desk: node, wallet, deeds, proxied: false };
  });
  afterAll(async () => {
    await Promise.all([node.stop(), unguarded.stop()]);
    await database.drop();
  });

  const titled = (kinds: readonly Kind[]) =>
    kinds.map((kind) => ({ ...kind, fate: kind.refused ? `is ${kind.refused}` : "may do what it is for" }));

  test("the contract has operations for every scope, and one for whoever is known", () => {
    expect([...new Set(deeds.map(({ access }) => access))].sort()).toEqual([
      "caller",
      "keys:manage",
      "users:read",
      "users:write",
    ]);
  });

  describe("Where a key is required", () => {
    test("whoever shows nothing is unauthenticated", () => expectRuled(required, nothing));

    for (const [way, headers] of Object.entries(ways)) {
      test.each(titled(keyKinds))(`$name, sent ${way}, $fate`, (kind) =>
        expectRuled(required, wallet.key(kind, headers)),
      );
    }

    test.each(titled(sessionKinds))("$name $fate", (kind) => expectRuled(required, wallet.session(kind)));

    test("a key counts, whatever session comes with it", async () => {
      await expectRuled(required, wallet.both(environment, revoked));
      for (const kind of [revoked, expired]) await expectRuled(required, wallet.both(kind, environment));
      for (const kind of scoped) await expectRuled(required, wallet.both(kind, environment));
    });
  });

  describe("Whoever is let in", () => {
    const who = async (on: Node, headers: Credential["headers"]) =>
      JSON.parse((await on.ask({ method: "GET", path: "/api/session", headers })).text);

    test.each([...scoped, environment])("by $name is told its id, its name and its scopes", async (kind) => {
      const { id, headers } = wallet.key(kind);
      const name = kind === environment ? "ROSTER_API_KEY" : `name of ${kind.name}`;
      const key = { id, name };
      expect(await who(node, headers)).toEqual({ auth: "key", key, scopes: kind.scopes, expiresAt: null });
      const session = await who(node, wallet.session(kind).headers);
      expect(session).toEqual({ auth: "session", key, scopes: kind.scopes, expiresAt: expect.any(String) });
      expect(await who(unguarded, headers)).toMatchObject({ auth: "off", key: null });
    });

    test("has shown its key as a bearer, if another came as X-API-Key", async () => {
      const both = (one: Kind, other: Kind) => ({
        ...wallet.key(one),
        headers: { ...bearer(wallet.secret(one)), "x-api-key": wallet.secret(other) },
      });
      await expectRuled(required, both(environment, revoked));
      await expectRuled(required, both(revoked, environment));
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
          expect([path, (await node.ask({ method, path })).status]).toEqual([path, 401]);
        }
        const { status } = await node.ask({ method: "GET", path, headers: wallet.key(environment).headers });
        expect([path, status]).not.toEqual([path, 401]);
      }
    });
  });

  describe("With ROSTER_AUTH=off", () => {
    test("whoever shows nothing may do everything but manage keys", () => expectRuled(off, nothing));
    test.each(titled(keyKinds))("$name makes no difference", (kind) => expectRuled(off, wallet.key(kind)));
    test.each(titled(sessionKinds))("$name makes no difference", (kind) =>
      expectRuled(off, wallet.session(kind)),
    );
  });

  test("after all that neither log has a secret, a digest, a session or a cookie in it", () => {
    expectNoSecret(required);
    expectNoSecret(off);
  });
});
