import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Scope, scopes } from "../../../src/contract/key.ts";
import type { Key } from "../../../src/contract/key-schemas.ts";
import { onEachEngine } from "../../support/engines.ts";
import { bearer, cookie, subsets } from "./credentials.ts";
import { KeyAdmin } from "./key-admin.ts";

setDefaultTimeout(120_000);

const managers = subsets
  .filter((set) => set.includes("keys:manage"))
  .map((set) => ({ set, name: set.join(" and ") }));

/** Nobody can give a scope that they lack. */
const mayGive = (own: readonly Scope[], given: readonly Scope[]) =>
  given.every((scope) => own.includes(scope));

onEachEngine((engine) => {
  const admin = new KeyAdmin(engine);

  /** Tries to make a key, and expects one with these scopes, or that nothing has changed. */
  async function expectGiven(own: readonly Scope[], secret: string, given: readonly Scope[], body: object) {
    const before = (await admin.listKeys()).map(lasting);
    const { status, text, problem } = await admin.request("POST", "/api/keys", body, bearer(secret));
    const after = (await admin.listKeys()).map(lasting);
    if (mayGive(own, given)) {
      expect({ given, status }).toEqual({ given, status: 201 });
      const { key, ...made } = JSON.parse(text);
      expect(made.scopes).toEqual(given);
      const who = await admin.request("GET", "/api/session", undefined, bearer(key));
      expect(JSON.parse(who.text).scopes).toEqual(given);
      expect(after).toHaveLength(before.length + 1);
    } else {
      expect({
        given,
        status,
        type: problem?.type,
        pointers: problem?.errors?.map((e) => e.pointer),
      }).toEqual({ given, status: 403, type: "/problems/insufficient-scope", pointers: ["/scopes"] });
      for (const scope of given) expect(problem?.detail.includes(scope)).toBe(!own.includes(scope));
      expect(after).toEqual(before);
    }
  }

  describe("Nobody can give a scope that they lack:", () => {
    test.each(managers)("a key for $name, when it makes a key", async ({ set }) => {
      const { key } = await admin.createKey({ name: "maker", scopes: set });
      for (const given of subsets) await expectGiven(set, key, given, { name: "made", scopes: given });
    });

    test.each(managers)("a key for $name, when it replaces one as it is", async ({ set }) => {
      const { key } = await admin.createKey({ name: "maker", scopes: set });
      for (const given of subsets) {
        const old = await admin.createKey({ name: "old", scopes: given });
        await expectGiven(set, key, given, { replaces: old.id, graceSeconds: 0 });
        const state = mayGive(set, given) ? "key-expired" : "good";
        expect([given, await admin.authenticate(bearer(old.key))]).toEqual([given, state]);
      }
    });

    test.each(managers)("a key for $name, when it replaces one by another kind", async ({ set }) => {
      const { key } = await admin.createKey({ name: "maker", scopes: set });
      for (const given of subsets) {
        for (const had of [["users:read"], scopes]) {
          const old = await admin.createKey({ name: "old", scopes: had });
          await expectGiven(set, key, given, { replaces: old.id, scopes: given, graceSeconds: 0 });
        }
      }
    });

    test("not even to itself, nor by a session", async () => {
      const own: Scope[] = ["keys:manage"];
      const { id, key } = await admin.createKey({ name: "climber", scopes: own });
      await expectGiven(own, key, scopes, { replaces: id, scopes, graceSeconds: 3600 });
      const headers = cookie(await admin.signIn(key));
      const { problem } = await admin.request("POST", "/api/keys", { name: "more", scopes }, headers);
      expect(problem?.type).toBe("/problems/insufficient-scope");
      expect(await admin.authenticate(headers)).toBe("good");
    });
  });
});

/** A key without what is counted of its use. */
function lasting({ lastUsedAt: _, usage: __, ...key }: Key) {
  return key;
}
