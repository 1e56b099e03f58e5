import { afterAll, beforeAll, describe, setDefaultTimeout, test } from "bun:test";
import { scopes } from "../../../src/contract/keys/key.ts";
import { createSecret } from "../../../src/contract/keys/key-secret.ts";
import { databaseOn, onAnyEngine } from "../../support/engines.ts";
import type { FreshDatabase } from "../../support/postgres/fresh-database.ts";
import type { Settings, TestService } from "../../support/service.ts";
import { expectedMode, type ServiceSetup } from "./support/access-rules.ts";
import {
  type Credential,
  environment,
  nothing,
  revoked,
  scoped,
  sessionKinds,
  unknown,
} from "./support/credential-kinds.ts";
import { expectAccess, expectNoSecretsInLog } from "./support/expect-access.ts";
import { protectedOperations } from "./support/protected-operations.ts";
import { TestKeys } from "./support/test-keys.ts";
import { startNode } from "./support/test-node.ts";

setDefaultTimeout(120_000);

const auths = ["auto", "required", "off"] as const;
const places = {
  "on loopback": {},
  "on loopback behind a proxy": { trustedProxies: "127.0.0.1" },
  "for other machines": { host: "0.0.0.0" },
} as const;
const keyStates = ["no key exists", "keys exist", "the environment's is the only key"] as const;

/** Every combination, except ROSTER_API_KEY with ROSTER_AUTH=off: the service does not start with both. */
const setups = auths.flatMap((auth) =>
  (["on loopback", "on loopback behind a proxy", "for other machines"] as const).flatMap((place) =>
    keyStates
      .filter((keys) => auth !== "off" || keys !== "the environment's is the only key")
      .map((keys) => ({ auth, place, keys, mode: expectedMode({ auth, place, keys }) })),
  ),
);

const allScopes = scopes.join();
/** One operation of each method and scope. access.test.ts calls the others. */
const operations = protectedOperations.filter(
  ({ method, needs, resource }, index, all) =>
    method !== "HEAD" &&
    index ===
      all.findIndex(
        (other) =>
          other.method === method && other.needs[0]?.[0] === needs[0]?.[0] && other.resource === resource,
      ),
);
const foreignEnvironmentKey = { ...environment, problemType: "unauthenticated" } as const;

onAnyEngine((engine) => {
  /** A database with keys and one without, each with an admin node. */
  const testKeySets = { full: new TestKeys(createSecret()), empty: new TestKeys(createSecret()) };
  const databases: FreshDatabase[] = [];
  const stopping: Promise<void>[] = [];
  const adminNodes = new Map<TestKeys, { adminNode: TestService; url: string }>();

  beforeAll(async () => {
    for (const testKeys of Object.values(testKeySets)) {
      const database = await databaseOn(engine);
      databases.push(database);
      const adminNode = await startNode(database.url, {
        auth: "required",
        apiKey: testKeys.environmentKey,
      });
      adminNodes.set(testKeys, { adminNode, url: database.url });
    }
    const full = adminNodes.get(testKeySets.full);
    if (full) await testKeySets.full.createKeys(full.adminNode);
  });
  afterAll(async () => {
    await Promise.all([...stopping, ...[...adminNodes.values()].map(({ adminNode }) => adminNode.stop())]);
    await Promise.all(databases.map((database) => database.drop()));
  });

  describe("ROSTER_AUTH", () => {
    test.each(setups)("$auth, listening $place while $keys, is $mode", async (setup) => {
      const { keys, mode } = setup;
      const testKeys = keys === "keys exist" ? testKeySets.full : testKeySets.empty;
      const { adminNode, url } = adminNodes.get(testKeys) ?? {};
      if (!adminNode || !url) throw new Error("The admin node has not started.");
      const node = await startNode(url, toSettings(setup, testKeys));
      const trustsProxy = setup.place === "on loopback behind a proxy";
      const scenario = { node, mode, adminNode, keys: testKeys, operations, trustsProxy };
      const credentials = [
        nothing,
        testKeys.key(unknown),
        testKeys.session(sessionKinds[0] ?? nothing),
        ...(keys === "keys exist" ? listCredentials(testKeys) : []),
        // The ROSTER_API_KEY of the admin node is not valid here, unless this node has the same.
        testKeys.key(keys === "the environment's is the only key" ? environment : foreignEnvironmentKey),
      ];
      try {
        for (const credential of credentials) await expectAccess(scenario, credential);
        expectNoSecretsInLog(scenario);
      } finally {
        stopping.push(node.stop());
      }
    });
  });
});

function listCredentials(testKeys: TestKeys): Credential[] {
  const good = scoped.filter(({ scopes }) => ["users:read", allScopes].includes(scopes.join()));
  const sessions = sessionKinds.filter(({ name }) =>
    good.some((kind) => name === `a session of ${kind.name}`),
  );
  return [
    ...[revoked, ...good].map((kind) => testKeys.key(kind)),
    ...sessions.map((kind) => testKeys.session(kind)),
  ];
}

function toSettings({ auth, place, keys }: ServiceSetup, testKeys: TestKeys): Settings {
  return {
    auth: auth,
    ...places[place],
    ...(keys === "the environment's is the only key" && { apiKey: testKeys.environmentKey }),
  };
}
