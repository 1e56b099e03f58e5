import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { CreatedKey } from "../../../src/contract/keys/key-schemas.ts";
import { bearer, startSession } from "../../support/credentials.ts";
import { onEachEngine } from "../../support/engines.ts";
import { readResponse } from "../../support/responses.ts";
import { until } from "../../support/until.ts";
import { KeyAdmin } from "./support/key-admin.ts";

setDefaultTimeout(120_000);

onEachEngine((engine) => {
  const admin = new KeyAdmin(engine);
  const reader = (more: object = {}, by = admin) =>
    by.createKey({ name: "reader", scopes: ["users:read"], ...more });
  const stateOf = ({ key }: CreatedKey, by = admin) => by.authenticate(bearer(key));

  describe("A revoked key", () => {
    test("is rejected at once while in use, and so are its sessions", async () => {
      const created = await reader();
      const session = await startSession(admin, created.key);
      let isRevoked = false;
      const seen = new Set<string>();
      const use = async (headers: Record<string, string>, end: string) => {
        for (;;) {
          const sentAfter = isRevoked;
          const state = await admin.authenticate(headers);
          seen.add(state);
          if (sentAfter) return expect(state).toBe(end);
        }
      };
      const loops = Array.from({ length: 8 }, (_, n) =>
        n % 2 ? use(session, "unauthenticated") : use(bearer(created.key), "key-revoked"),
      );
      await until(() => seen.size > 0);
      expect([...seen]).toEqual(["good"]);
      expect(await admin.revokeKey(created)).toBe(204);
      isRevoked = true;
      await Promise.all(loops);
    });

    test("does not change when it is revoked again", async () => {
      const created = await reader();
      expect(await admin.revokeKey(created)).toBe(204);
      const record = await admin.readKey(created);
      expect(Date.parse(record.revokedAt ?? "")).toBeWithin(Date.now() - 60_000, Date.now() + 1);
      // The database has the time of the machine.
      await until(() => Date.now() > Date.parse(record.revokedAt ?? ""));
      const again = await Promise.all([
        admin.revokeKey(created),
        admin.revokeKey(created),
        admin.revokeKey(created),
      ]);
      expect(again).toEqual([204, 204, 204]);
      expect(await admin.readKey(created)).toEqual(record);
      expect(await stateOf(created)).toBe("key-revoked");
    });

    test("can revoke itself", async () => {
      const { id, key } = await admin.createKey({ name: "self-revoking", scopes: ["keys:manage"] });
      expect((await admin.call(`/api/keys/${id}`, { method: "DELETE", headers: bearer(key) })).status).toBe(
        204,
      );
      expect(await admin.authenticate(bearer(key))).toBe("key-revoked");
    });

    test("cannot sign in", async () => {
      const created = await reader();
      await admin.revokeKey(created);
      const { status, problem, headers } = await readResponse(
        admin.call("/api/session", { method: "POST", json: { key: created.key }, headers: {} }),
      );
      expect([status, problem?.type]).toEqual([401, "/problems/key-revoked"]);
      expect(headers.get("set-cookie")).toBeNull();
    });
  });

  describe("A replaced key", () => {
    test("expires at once without a grace period, and cannot be replaced again", async () => {
      const old = await reader();
      const replacement = await admin.createKey({ replaces: old.id, graceSeconds: 0 });
      expect([await stateOf(old), await stateOf(replacement)]).toEqual(["key-expired", "good"]);
      for (const ended of [old, await revoked()]) {
        const before = await admin.listKeys();
        const body = { replaces: ended.id, graceSeconds: 0 };
        const { status, problem } = await readResponse(
          admin.call("/api/keys", { method: "POST", json: body }),
        );
        expect([status, problem?.type]).toEqual([422, "/problems/invalid-key"]);
        expect(problem?.errors).toMatchObject([{ pointer: "/replaces" }]);
        expect((await admin.listKeys()).length).toBe(before.length);
      }
    });

    test("never expires later because of a grace period", async () => {
      const expiresAt = new Date(admin.clock.now() + 60_000).toISOString();
      const old = await reader({ expiresAt });
      await admin.createKey({ replaces: old.id, graceSeconds: 3600 });
      expect((await admin.readKey(old)).expiresAt).toBe(expiresAt);
    });

    test("can still be revoked during its grace period", async () => {
      const old = await reader();
      const replacement = await admin.createKey({ replaces: old.id, graceSeconds: 3600 });
      expect(await stateOf(old)).toBe("good");
      expect(await admin.revokeKey(old)).toBe(204);
      expect([await stateOf(old), await stateOf(replacement)]).toEqual(["key-revoked", "good"]);
    });
  });

  describe("A key with an expiry", () => {
    /** A node whose clock these tests move. */
    const later = new KeyAdmin(engine);
    const jumpTo = (time: string | null) => later.clock.jump(Date.parse(time ?? "") - later.clock.now());

    test("works until it expires, and so do its sessions", async () => {
      const expiresAt = new Date(later.clock.now() + 60_000).toISOString();
      const created = await reader({ expiresAt }, later);
      const session = await startSession(later, created.key);
      using _ = later.clock.stop();
      jumpTo(new Date(Date.parse(expiresAt) - 1).toISOString());
      expect([await stateOf(created, later), await later.authenticate(session)]).toEqual(["good", "good"]);
      jumpTo(expiresAt);
      expect([await stateOf(created, later), await later.authenticate(session)]).toEqual([
        "key-expired",
        "unauthenticated",
      ]);
      const { problem } = await readResponse(
        later.call("/api/session", { method: "POST", json: { key: created.key }, headers: {} }),
      );
      expect(problem?.type).toBe("/problems/key-expired");
      expect(await later.revokeKey(created)).toBe(204);
      expect(await stateOf(created, later)).toBe("key-revoked");
    });

    test("that is replaced works beside its replacement during the grace period", async () => {
      const old = await reader({}, later);
      const session = await startSession(later, old.key);
      using _ = later.clock.stop();
      const replacement = await later.createKey({ replaces: old.id, graceSeconds: 60 });
      const { expiresAt } = await later.readKey(old);
      expect(Date.parse(expiresAt ?? "")).toBe(later.clock.now() + 60_000);
      later.clock.jump(59_999);
      for (const headers of [bearer(old.key), bearer(replacement.key), session])
        expect(await later.authenticate(headers)).toBe("good");
      jumpTo(expiresAt);
      expect(await stateOf(old, later)).toBe("key-expired");
      expect(await later.authenticate(session)).toBe("unauthenticated");
      expect(await stateOf(replacement, later)).toBe("good");
    });
  });

  const revoked = async () => {
    const created = await reader();
    await admin.revokeKey(created);
    return created;
  };
});
