import { afterAll, beforeAll, describe, setDefaultTimeout, test } from "bun:test";
import { scopes } from "../../../src/contract/key.ts";
import { newSecret } from "../../../src/contract/key-secret.ts";
import { databaseOn, onEachEngine } from "../../support/engines.ts";
import type { FreshDatabase } from "../../support/postgres/fresh-database.ts";
import {
  type Credential,
  environment,
  nothing,
  revoked,
  scoped,
  sessionKinds,
  unknown,
} from "./credentials.ts";
import { deeds } from "./deeds.ts";
import { expectNoSecret, expectRuled } from "./door.ts";
import { type Node, startNode } from "./node.ts";
import { modeOf, type Situation } from "./rule.ts";
import { Wallet } from "./wallet.ts";

setDefaultTimeout(20_000);

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
      .map((keys) => ({ auth, place, keys, mode: modeOf({ auth, place, keys }) })),
  ),
);

const everything = scopes.join();
/** That HEAD is as GET is seen elsewhere. */
const plainDeeds = deeds.filter(({ method }) => method !== "HEAD");
const stranger = { ...environment, refused: "unauthenticated" } as const;

onEachEngine((engine) => {
  /** A database with keys and one without, and beside each a node to look after it. */
  const sides = { full: new Wallet(newSecret()), empty: new Wallet(newSecret()) };
  const databases: FreshDatabase[] = [];
  const ends: Promise<void>[] = [];
  const desks = new Map<Wallet, { desk: Node; url: string }>();

  beforeAll(async () => {
    for (const wallet of Object.values(sides)) {
      const database = await databaseOn(engine);
      databases.push(database);
      const desk = await startNode(database.url, {
        ROSTER_AUTH: "required",
        ROSTER_API_KEY: wallet.environmentKey,
      });
      desks.set(wallet, { desk, url: database.url });
    }
    const full = desks.get(sides.full);
    if (full) await sides.full.fill(full.desk);
  });
  afterAll(async () => {
    await Promise.all([...ends, ...[...desks.values()].map(({ desk }) => desk.stop())]);
    await Promise.all(databases.map((database) => database.drop()));
  });

  describe("ROSTER_AUTH", () => {
    test.each(situations)("$auth, listening $place while $keys, is $mode", async (situation) => {
      const { keys, mode } = situation;
      const wallet = keys === "keys exist" ? sides.full : sides.empty;
      const { desk, url } = desks.get(wallet) ?? {};
      if (!desk || !url) throw new Error("There is no database.");
      const node = await startNode(url, environmentOf(situation, wallet));
      const proxied = situation.place === "on loopback behind a proxy";
      const door = { node, mode, desk, wallet, deeds: plainDeeds, proxied };
      const shown = [
        nothing,
        wallet.key(unknown),
        wallet.session(sessionKinds[0] ?? nothing),
        ...(keys === "keys exist" ? shownWhereKeysExist(wallet) : []),
        // One node's environment is not another's.
        wallet.key(keys === "the environment's is the only key" ? environment : stranger),
      ];
      try {
        for (const credential of shown) await expectRuled(door, credential);
        expectNoSecret(door);
      } finally {
        ends.push(node.stop());
      }
    });
  });
});

function shownWhereKeysExist(wallet: Wallet): Credential[] {
  const good = scoped.filter(({ scopes }) => ["users:read", everything].includes(scopes.join()));
  const sessions = sessionKinds.filter(({ name }) =>
    good.some((kind) => name === `a session of ${kind.name}`),
  );
  return [
    ...[revoked, ...good].map((kind) => wallet.key(kind)),
    ...sessions.map((kind) => wallet.session(kind)),
  ];
}

function environmentOf({ auth, place, keys }: Situation, wallet: Wallet): Record<string, string> {
  return {
    ROSTER_AUTH: auth,
    ...places[place],
    ...(keys === "the environment's is the only key" && { ROSTER_API_KEY: wallet.environmentKey }),
  };
}
