import { afterAll, beforeAll, describe, setDefaultTimeout, test } from "bun:test";
import { scopes } from "../../../src/contract/key.ts";
import { createSecret } from "../../../src/contract/key-secret.ts";
import { databaseOn, onEachEngine } from "../../support/engines.ts";
import type { FreshDatabase } from "../../support/postgres/fresh-database.ts";
import { expectedMode, type ServiceSetup } from "./access-rules.ts";
import {
  type Credential,
  environment,
  nothing,
  revoked,
  scoped,
  sessionKinds,
  unknown,
} from "./credentials.ts";
import { expectAccess, expectNoSecretsInLog } from "./expect-access.ts";
import { protectedOperations } from "./protected-operations.ts";
import { TestKeys } from "./test-keys.ts";
import { startNode, type TestNode } from "./test-node.ts";

setDefaultTimeout(120_000);

const auths = ["auto", "required", "off"] as const;
const places = {
  "on loopback": {},
  "on loopback behind a proxy": { ROSTER_TRUSTED_PROXIES: "127.0.0.1" },
  "for other machines": { HOST: "0.0.0.0" },
} as const;
const held = ["no key exists", "keys exist", "the environment's is the only key"] as const;

/** Every situation that there can be: a key of the environment beside ROSTER_AUTH=off is refused at the start. */
const situations = auths.flatMap((auth) =>
  (["on loopback", "on loopback behind a proxy", "for other machines"] as const).flatMap((place) =>
    held
      .filter((keys) => auth !== "off" || keys !== "the environment's is the only key")
      .map((keys) => ({ auth, place, keys, mode: expectedMode({ auth, place, keys }) })),
  ),
);

const everything = scopes.join();
/** That HEAD is as GET is seen elsewhere. */
const operations = protectedOperations.filter(({ method }) => method !== "HEAD");
const stranger = { ...environment, refused: "unauthenticated" } as const;

onEachEngine((engine) => {
  /** A database with keys and one without, and beside each a node to look after it. */
  const sides = { full: new TestKeys(createSecret()), empty: new TestKeys(createSecret()) };
  const databases: FreshDatabase[] = [];
  const ends: Promise<void>[] = [];
  const adminNodes = new Map<TestKeys, { adminNode: TestNode; url: string }>();

  beforeAll(async () => {
    for (const testKeys of Object.values(sides)) {
      const database = await databaseOn(engine);
      databases.push(database);
      const adminNode = await startNode(database.url, {
        ROSTER_AUTH: "required",
        ROSTER_API_KEY: testKeys.environmentKey,
      });
      adminNodes.set(testKeys, { adminNode, url: database.url });
    }
    const full = adminNodes.get(sides.full);
    if (full) await sides.full.createKeys(full.adminNode);
  });
  afterAll(async () => {
    await Promise.all([...ends, ...[...adminNodes.values()].map(({ adminNode }) => adminNode.stop())]);
    await Promise.all(databases.map((database) => database.drop()));
  });

  describe("ROSTER_AUTH", () => {
    test.each(situations)("$auth, listening $place while $keys, is $mode", async (situation) => {
      const { keys, mode } = situation;
      const testKeys = keys === "keys exist" ? sides.full : sides.empty;
      const { adminNode, url } = adminNodes.get(testKeys) ?? {};
      if (!adminNode || !url) throw new Error("There is no database.");
      const node = await startNode(url, environmentOf(situation, testKeys));
      const trustsProxy = situation.place === "on loopback behind a proxy";
      const scenario = { node, mode, adminNode, keys: testKeys, operations, trustsProxy };
      const shown = [
        nothing,
        testKeys.key(unknown),
        testKeys.session(sessionKinds[0] ?? nothing),
        ...(keys === "keys exist" ? shownWhereKeysExist(testKeys) : []),
        // One node's environment is not another's.
        testKeys.key(keys === "the environment's is the only key" ? environment : stranger),
      ];
      try {
        for (const credential of shown) await expectAccess(scenario, credential);
        expectNoSecretsInLog(scenario);
      } finally {
        ends.push(node.stop());
      }
    });
  });
});

function shownWhereKeysExist(testKeys: TestKeys): Credential[] {
  const good = scoped.filter(({ scopes }) => ["users:read", everything].includes(scopes.join()));
  const sessions = sessionKinds.filter(({ name }) =>
    good.some((kind) => name === `a session of ${kind.name}`),
  );
  return [
    ...[revoked, ...good].map((kind) => testKeys.key(kind)),
    ...sessions.map((kind) => testKeys.session(kind)),
  ];
}

function environmentOf({ auth, place, keys }: ServiceSetup, testKeys: TestKeys): Record<string, string> {
  return {
    ROSTER_AUTH: auth,
    ...places[place],
    ...(keys === "the environment's is the only key" && { ROSTER_API_KEY: testKeys.environmentKey }),
  };
}
