import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { keyLimits } from "../../../src/contract/keys/key.ts";
import {
  type Actor,
  anonymousOrigin,
  commandOrigin as command,
  environmentActor,
  toKeyActor,
} from "../../../src/domain/caller.ts";
import type { KeyDraft, KeyStore, StoredKey } from "../../../src/domain/keys/key-store.ts";
import { ProblemError } from "../../../src/domain/problem-error.ts";
import type { Store } from "../../../src/domain/store.ts";
import { until } from "../../support/until.ts";
import type { OpenStore, StoreUnderTest } from "./store-under-test.ts";

/** The pause between two polls for changes. */
const POLL_MS = 1;

let drafts = 0;
const draft = (changes: Partial<KeyDraft> = {}): KeyDraft => ({
  name: "ci",
  prefix: "roster_abcde",
  digest: `digest ${++drafts}`,
  scopes: ["users:read", "keys:manage"],
  expiresAt: null,
  rateLimit: null,
  quota: null,
  ...changes,
});

async function problemOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "done";
  } catch (error) {
    if (error instanceof ProblemError) return `${error.type}: ${error.errors?.[0]?.pointer}`;
    throw error;
  }
}

/** What every engine must do with keys, their usage and sessions. */
export function keyContract(engine: string, open: OpenStore): void {
  describe(`${engine}: keys`, () => {
    let opened: StoreUnderTest;
    let store: Store;
    /** Another node, or another process on the same file. */
    let other: Store;
    let keys: KeyStore;
    const month = "2026-11";
    const day = "2026-11-16";

    beforeAll(async () => {
      opened = await open();
      [store, other] = [opened.store, await opened.openAnother()];
      keys = store.keys;
    });
    afterAll(async () => {
      await other.close();
      await opened.destroy();
    });

    const stored = async (id: number): Promise<StoredKey> => {
      const key = await keys.read(id, month);
      if (!key) throw new Error(`There is no key ${id}.`);
      return key;
    };

    test("reads a key as it was created, with every limit or none", async () => {
      const plain = draft();
      const full = draft({
        name: "José’s 🔑",
        expiresAt: Date.now() + 60_000,
        rateLimit: { requests: 10, seconds: 60 },
        quota: 1_000_000_000_000,
      });
      for (const keyDraft of [plain, full]) {
        const before = Date.now();
        const created = await keys.create(keyDraft, undefined, { actor: environmentActor });
        const key = await stored(created.id);
        expect(key).toMatchObject({ ...keyDraft, revokedAt: null, lastUsedAt: null, requests: 0 });
        expect(key.createdAt).toBeWithin(before, Date.now() + 1);
        expect(created).toEqual(key);
      }
    });

    test("does not create a key twice when the create is repeated after a lost response", async () => {
      const same = draft();
      const created = await keys.create(same, undefined, command);
      const { last } = await keys.changes(0, month);
      expect(await keys.create(same, undefined, command)).toEqual(created);
      expect((await keys.changes(last, month)).last).toBe(last);
    });

    test("returns the key as it is now when the create is repeated", async () => {
      const same = draft({ expiresAt: Date.now() + 60_000 });
      const { id, revokedAt } = await keys.create(same, undefined, command);
      expect(revokedAt).toBeNull();
      await keys.revoke(id, command);
      const repeated = await other.keys.create(same, undefined, command);
      expect(repeated.revokedAt).not.toBeNull();
      expect(repeated).toEqual(await stored(id));
    });

    test("gives concurrent creates on two nodes consecutive ids without gaps", async () => {
      const { id: first } = await keys.create(draft(), undefined, command);
      const stores = [store, other];
      const created = await Promise.all(
        Array.from({ length: 40 }, (_, i) => stores[i % 2]?.keys.create(draft(), undefined, command)),
      );
      const ids = created.map((key) => key?.id ?? 0);
      expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, i) => first + 1 + i));
    });

    test("returns each change once, while other nodes change keys", async () => {
      let { last } = await keys.changes(0, month);
      const seen: number[] = [];
      let busy = true;
      const watch = async () => {
        while (busy) {
          const found = await keys.changes(last, month);
          seen.push(...found.keys.map(({ id }) => id));
          last = found.last;
          await Bun.sleep(POLL_MS);
        }
      };
      const watching = watch();
      const created = await Promise.all(
        Array.from({ length: 60 }, (_, i) =>
          (i % 2 ? store : other).keys.create(draft(), undefined, command),
        ),
      );
      const ids = created.map(({ id }) => id);
      await Promise.all(ids.slice(0, 20).map((id, i) => (i % 2 ? store : other).keys.revoke(id, command)));
      busy = false;
      await watching;
      seen.push(...(await keys.changes(last, month)).keys.map(({ id }) => id));
      expect(new Set(seen)).toEqual(new Set(ids));
      for (const id of ids.slice(20)) expect(seen.filter((seenId) => seenId === id)).toEqual([id]);
    });

    test("does not count key usage and sign-ins as changes", async () => {
      const { last } = await keys.changes(0, month);
      await keys.count(day, [{ id: 1, requests: 1, lastUsedAt: 1 }]);
      await keys.openSession("a session", { keyDigest: "x", expiresAt: Date.now() + 1000 });
      expect(await keys.changes(last, month)).toEqual({ keys: [], last });
    });

    test("leaves out changes of keys that expired before the retention period", async () => {
      const day = 86_400_000;
      const old = Date.now() - (keyLimits.retentionDays + 1) * day;
      const { last } = await keys.changes(0, month);
      const { id: forgotten } = await keys.create(draft({ expiresAt: old }), undefined, command);
      const { id: remembered } = await keys.create(draft({ expiresAt: old + 2 * day }), undefined, command);
      const changes = await keys.changes(last, month);
      expect(changes.keys.map(({ id }) => id)).toEqual([remembered]);
      expect(changes.last).toBeGreaterThan(last);
      expect((await keys.read(forgotten, month))?.id).toBe(forgotten);
    });

    test("revoke returns whether the key exists, and keeps the first time", async () => {
      const { id } = await keys.create(draft(), undefined, command);
      expect(await keys.revoke(id, { actor: environmentActor })).toBe(true);
      const { revokedAt } = await stored(id);
      expect(revokedAt).toBeNumber();
      await until(() => Date.now() > (revokedAt ?? 0));
      expect(await other.keys.revoke(id, command)).toBe(true);
      expect((await stored(id)).revokedAt).toBe(revokedAt);
      expect(await keys.revoke(1_000_000, command)).toBe(false);
    });

    test("a replaced key expires after its grace period, or at its own expiry if that is earlier", async () => {
      const now = Date.now();
      const { id: lasting } = await keys.create(draft(), undefined, command);
      const { id: ending } = await keys.create(draft({ expiresAt: now + 30_000 }), undefined, command);
      await keys.create(draft(), { id: lasting, expiresAt: now + 60_000 }, command);
      await keys.create(draft(), { id: ending, expiresAt: now + 60_000 }, command);
      expect((await stored(lasting)).expiresAt).toBe(now + 60_000);
      expect((await stored(ending)).expiresAt).toBe(now + 30_000);
      expect((await stored(lasting)).lifetime).toBeNull();
      expect((await stored(ending)).lifetime).toBeWithin(1, 30_001);
    });

    test("a key that is revoked, expired or missing changes no keys, and nobody does without a key", async () => {
      const [first, second] = [
        (await keys.create(draft(), undefined, command)).id,
        (await keys.create(draft(), undefined, command)).id,
      ];
      expect(await keys.revoke(second, { actor: toKeyActor(first) })).toBe(true);
      const { id: expired } = await keys.create(draft({ expiresAt: Date.now() - 1 }), undefined, command);
      const typeOf = async (actor: Actor) => [
        await problemOf(keys.create(draft(), undefined, { actor })),
        await problemOf(other.keys.revoke(first, { actor })),
      ];
      const both = (type: string) => [`${type}: undefined`, `${type}: undefined`];
      expect(await typeOf(toKeyActor(second))).toEqual(both("key-revoked"));
      expect(await typeOf(toKeyActor(expired))).toEqual(both("key-expired"));
      expect(await typeOf(toKeyActor(1_000_000))).toEqual(both("unauthenticated"));
      expect(await typeOf(anonymousOrigin.actor)).toEqual(both("unauthenticated"));
      expect((await stored(first)).revokedAt).toBeNull();
    });

    test("rejects the replacement of an expired, revoked or missing key, and creates nothing", async () => {
      const { id: revoked } = await keys.create(draft(), undefined, command);
      await keys.revoke(revoked, command);
      const { id: expired } = await keys.create(draft({ expiresAt: Date.now() - 1 }), undefined, command);
      const { last } = await keys.changes(0, month);
      for (const id of [revoked, expired, 1_000_000]) {
        const successor = keys.create(draft(), { id, expiresAt: Date.now() }, command);
        expect(await problemOf(successor)).toBe("invalid-key: /replaces");
      }
      expect((await keys.changes(last, month)).last).toBe(last);
    });

    test("adds the usage of two nodes, per month", async () => {
      const { id } = await keys.create(draft(), undefined, command);
      const uses = (requests: number, lastUsedAt: number) => [{ id, requests, lastUsedAt }];
      await Promise.all(
        Array.from({ length: 20 }, (_, i) => (i % 2 ? store : other).keys.count(day, uses(i, 1000))),
      );
      expect(await keys.count(day, uses(10, 2000))).toEqual(new Map([[id, 200]]));
      expect(await keys.count("2026-12-01", uses(1, 3000))).toEqual(new Map([[id, 1]]));
      expect(await keys.read(id, month)).toMatchObject({ requests: 200, lastUsedAt: 3000 });
      expect(await keys.read(id, "2026-12")).toMatchObject({ requests: 1 });
      expect(await keys.read(id, "2027-01")).toMatchObject({ requests: 0, lastUsedAt: 3000 });
    });

    test("adds the usage of two nodes, per day, and removes old days", async () => {
      const { id } = await keys.create(draft(), undefined, command);
      const count = (node: Store, date: string, requests: number) =>
        node.keys.count(date, [{ id, requests, lastUsedAt: 1 }]);
      await Promise.all(
        Array.from({ length: 20 }, (_, i) => count(i % 2 ? store : other, i < 10 ? day : "2026-11-17", i)),
      );
      await count(store, "2026-11-18", 0);
      expect(await keys.readDailyUsage(id, day)).toEqual([
        { date: day, requests: 45 },
        { date: "2026-11-17", requests: 145 },
      ]);
      expect(await other.keys.readDailyUsage(id, "2026-11-17")).toEqual([
        { date: "2026-11-17", requests: 145 },
      ]);
      expect(await keys.read(id, month)).toMatchObject({ requests: 190 });
      while ((await keys.removeDailyUsage("2026-11-17")) > 0);
      expect(await keys.readDailyUsage(id, day)).toEqual([{ date: "2026-11-17", requests: 145 }]);
      expect(await keys.read(id, month)).toMatchObject({ requests: 190 });
    });

    test("counts the usage of many keys in one call", async () => {
      const ids = (await keys.list(0, 1000, month)).map(({ id }) => id);
      const totals = await keys.count(
        "2030-01-31",
        ids.map((id) => ({ id, requests: id, lastUsedAt: 1 })),
      );
      expect(totals).toEqual(new Map(ids.map((id) => [id, id])));
    });

    test("lists keys in pages, in the order of their ids", async () => {
      const all = await keys.list(0, 1000, month);
      const paged: StoredKey[] = [];
      for (;;) {
        const page = await other.keys.list(paged.at(-1)?.id ?? 0, 7, month);
        if (page.length === 0) break;
        paged.push(...page);
      }
      expect(paged).toEqual([...all]);
      expect(all.map(({ id }) => id)).toEqual(all.map((_, i) => i + 1));
    });

    test("finds a session on every node until it is closed, and deletes expired sessions", async () => {
      const session = { keyDigest: "of a key", expiresAt: Date.now() + 60_000 };
      await keys.openSession("open", session);
      await keys.openSession("open", session);
      await keys.openSession("late", { keyDigest: "of a key", expiresAt: 1 });
      expect(await other.keys.readSession("open")).toEqual(session);
      expect(await other.keys.readSession("command's")).toBeUndefined();
      await keys.openSession("next", session);
      // The other store reads in one transaction per turn of the event loop, which two stores in one process share.
      await new Promise(setImmediate);
      expect(await other.keys.readSession("late")).toBeUndefined();
      await other.keys.closeSession("open");
      expect(await keys.readSession("open")).toBeUndefined();
      expect(await keys.readSession("next")).toEqual(session);
    });

    test("closes the oldest sessions above a limit, and no others", async () => {
      const now = Date.now() + 60_000;
      const open = (digest: string, expiresAt: number, prefix: string) =>
        keys.openSession(digest, { keyDigest: "of a key", expiresAt }, { prefix, most: 3 });
      await keys.openSession("7", { keyDigest: "of a key", expiresAt: now });
      await open("70.a", now, "70.");
      await open("6.z", now, "6.");
      for (const [digest, age] of [
        ["7._oldest", 5],
        ["7.zz", 4],
        ["7.-", 3],
        ["7.A", 2],
        ["7.0", 1],
      ] as const) {
        await open(digest, now - age, "7.");
      }
      const remaining = ["7._oldest", "7.zz", "7.-", "7.A", "7.0", "7", "70.a", "6.z"];
      const found: string[] = [];
      for (const digest of remaining) if (await keys.readSession(digest)) found.push(digest);
      expect(found).toEqual(remaining.slice(2));
      // The new session stays, even if it expires before the others.
      await open("7.short", now - 10, "7.");
      expect(await keys.readSession("7.short")).toBeDefined();
      expect(await keys.readSession("7.-")).toBeUndefined();
    });
  });
}
