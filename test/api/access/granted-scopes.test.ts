import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Scope, scopes } from "../../../src/contract/keys/key.ts";
import type { Key } from "../../../src/contract/keys/key-schemas.ts";
import { bearer, startSession } from "../../support/credentials.ts";
import { onAnyEngine } from "../../support/engines.ts";
import { readResponse } from "../../support/responses.ts";
import { subsets } from "./support/credential-kinds.ts";
import { KeyAdmin } from "./support/key-admin.ts";

setDefaultTimeout(120_000);

/** A key with no other scope, a key with all but one, and a key with all. */
const managers = subsets
  .filter(
    (set) =>
      set.includes("keys:manage") && (set.length !== scopes.length - 1 || !set.includes("users:write")),
  )
  .map((set) => ({ set, name: set.join(" and ") }));

/** Callers can only grant scopes that they have. */
const canGrant = (callerScopes: readonly Scope[], granted: readonly Scope[]) =>
  granted.every((scope) => callerScopes.includes(scope));

onAnyEngine((engine) => {
  const admin = new KeyAdmin(engine);

  /** Tries to create a key. Expects a key with these scopes, or no change. */
  async function expectGranted(
    callerScopes: readonly Scope[],
    secret: string,
    granted: readonly Scope[],
    body: object,
  ) {
    const before = (await admin.listKeys()).map(withoutUsage);
    const { status, text, problem } = await readResponse(
      admin.call("/api/keys", { method: "POST", json: body, headers: bearer(secret) }),
    );
    const after = (await admin.listKeys()).map(withoutUsage);
    if (canGrant(callerScopes, granted)) {
      expect({ granted, status }).toEqual({ granted, status: 201 });
      const { key, ...created } = JSON.parse(text);
      expect(created.scopes).toEqual(granted);
      const who = await readResponse(admin.call("/api/session", { headers: bearer(key) }));
      expect(JSON.parse(who.text).scopes).toEqual(granted);
      expect(after).toHaveLength(before.length + 1);
    } else {
      expect({
        granted,
        status,
        type: problem?.type,
        pointers: problem?.errors?.map((e) => e.pointer),
      }).toEqual({ granted, status: 403, type: "/problems/insufficient-scope", pointers: ["/scopes"] });
      for (const scope of granted)
        expect(problem?.detail.includes(scope)).toBe(!callerScopes.includes(scope));
      expect(after).toEqual(before);
    }
  }

  describe("A key can only grant scopes that it has:", () => {
    test.each(managers)("a key for $name, when it creates a key", async ({ set }) => {
      const { key } = await admin.createKey({ name: "creator", scopes: set });
      for (const granted of subsets)
        await expectGranted(set, key, granted, { name: "created", scopes: granted });
    });

    test.each(managers)("a key for $name, when it replaces a key without changes", async ({ set }) => {
      const { key } = await admin.createKey({ name: "creator", scopes: set });
      for (const granted of subsets) {
        const old = await admin.createKey({ name: "old", scopes: granted });
        await expectGranted(set, key, granted, { replaces: old.id, graceSeconds: 0 });
        const state = canGrant(set, granted) ? "key-expired" : "good";
        expect([granted, await admin.authenticate(bearer(old.key))]).toEqual([granted, state]);
      }
    });

    test.each(managers)("a key for $name, when it replaces a key with other scopes", async ({ set }) => {
      const { key } = await admin.createKey({ name: "creator", scopes: set });
      for (const granted of subsets) {
        for (const oldScopes of [["users:read"], scopes]) {
          const old = await admin.createKey({ name: "old", scopes: oldScopes });
          await expectGranted(set, key, granted, { replaces: old.id, scopes: granted, graceSeconds: 0 });
        }
      }
    });

    test("also when it replaces itself, and in a session", async () => {
      const callerScopes: Scope[] = ["keys:manage"];
      const { id, key } = await admin.createKey({ name: "climber", scopes: callerScopes });
      await expectGranted(callerScopes, key, scopes, { replaces: id, scopes, graceSeconds: 3600 });
      const session = await startSession(admin, key);
      const create = (headers: Record<string, string>) =>
        readResponse(admin.call("/api/keys", { method: "POST", json: { name: "more", scopes }, headers }));
      expect((await create(session)).problem?.type).toBe("/problems/key-required");
      expect((await create({ ...session, ...bearer(key) })).problem?.type).toBe(
        "/problems/insufficient-scope",
      );
      expect(await admin.authenticate(session)).toBe("good");
    });
  });
});

/** The key without its usage. */
function withoutUsage({ lastUsedAt: _, usage: __, ...key }: Key) {
  return key;
}
