import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { toKeyActor } from "../../../src/domain/caller.ts";
import { parseExpression } from "../../../src/domain/filter/parse-expression.ts";
import { ProblemError } from "../../../src/domain/problem-error.ts";
import type { StoredRecord } from "../../../src/domain/records/record.ts";
import type { Store } from "../../../src/domain/store.ts";
import type { DeletedListQuery } from "../../../src/domain/users/deleted-user-store.ts";
import type { UserListQuery } from "../../../src/domain/users/user-list-fields.ts";
import { type Change, changes, UserModel } from "./deleted-model.ts";
import { allUsers, type OpenStore, outcomeOf, rowsOf, type StoreUnderTest } from "./store-under-test.ts";

export function deletedContract(engine: string, open: OpenStore): void {
  describe(`${engine}: deleted users`, () => {
    let opened: StoreUnderTest;
    let store: Store;
    beforeAll(async () => {
      opened = await open();
      store = opened.store;
    });
    afterAll(() => opened.destroy());

    const create = async (record: { name: string; email?: string; [field: string]: string | number }) => {
      const { outcome } = await store.users.create({ record });
      if ("problem" in outcome) throw ProblemError.of(outcome.problem);
      return outcome.user;
    };
    const parse = (user: StoredRecord | undefined) => (user ? JSON.parse(user.json) : undefined);
    const idsOf = async (query: Partial<DeletedListQuery>) => {
      const { users } = await store.deletedUsers.list({ order: "newest", limit: 100, ...query });
      return users.map(({ id }) => id);
    };
    const listIds = async (query: Partial<UserListQuery>) =>
      rowsOf(await store.users.list({ ...allUsers, ...query })).map(({ id }) => id);
    const typesOf = async (id: number) => {
      const page = await store.events.read({ limit: 100, subject: { type: "user", id } });
      return page?.events.map(({ json }) => JSON.parse(json)) ?? [];
    };

    test("keeps a deleted user, frees its email, and restores it with all its indexes", async () => {
      const user = await create({ name: "Ada Lovelace", email: "ada@kept.org", level: 7 });
      const { id } = user;
      await store.users.remove(id);
      expect(await store.users.read(id)).toBeUndefined();
      const kept = parse(await store.deletedUsers.read(id));
      expect(kept).toEqual({ ...parse(user), deletedAt: kept.deletedAt });
      expect(Date.parse(kept.deletedAt)).toBeGreaterThanOrEqual(Date.parse(kept.updatedAt));

      const other = await create({ name: "Other", email: "ADA@kept.org" });
      expect(await outcomeOf(store.deletedUsers.restore(id))).toBe("email-taken");
      await store.users.remove(other.id);
      const restored = await store.deletedUsers.restore(id);
      expect(restored.version).toBe(2);
      expect(parse(restored)).toEqual({
        ...parse(user),
        version: 2,
        updatedAt: parse(restored).updatedAt,
      });
      expect(await store.users.read(id)).toEqual(restored);
      expect(await store.deletedUsers.read(id)).toBeUndefined();
      expect(await listIds({ search: ["lovelace"] })).toEqual([id]);
      expect(await listIds({ expression: parseExpression("level eq 7") })).toEqual([id]);
      expect(
        await listIds({ filters: [{ kind: "column", field: "email", values: ["ada@kept.org"] }] }),
      ).toEqual([id]);
      const createdAt = Date.parse(parse(user).createdAt);
      const created = { kind: "column", field: "createdAt", values: [createdAt] } as const;
      expect(await listIds({ filters: [created] })).toContain(id);
      expect(await outcomeOf(store.deletedUsers.restore(id))).toBe("user-not-found");
      expect((await typesOf(id)).map(({ type, version }) => `${type} ${version}`)).toEqual([
        "user.created 1",
        "user.deleted 1",
        "user.restored 2",
      ]);
    });

    test("restores a user with another email, or without one", async () => {
      const first = await create({ name: "First", email: "taken@kept.org" });
      await store.users.remove(first.id);
      await create({ name: "Second", email: "taken@kept.org" });
      const restored = await store.deletedUsers.restore(first.id, { email: "free@kept.org" });
      expect(parse(restored).email).toBe("free@kept.org");
      expect((await typesOf(first.id)).at(-1).changes).toEqual({
        email: { from: "taken@kept.org", to: "free@kept.org" },
      });
      await store.users.remove(first.id);
      expect(parse(await store.deletedUsers.restore(first.id, { email: null }))).not.toHaveProperty("email");
    });

    test("checks preconditions against the last version", async () => {
      const { id } = await create({ name: "Versioned" });
      await store.users.remove(id);
      const ifMatch = (version: number) => ({ match: [version], noneMatch: undefined });
      expect(await outcomeOf(store.deletedUsers.restore(id, undefined, ifMatch(2)))).toBe("version-mismatch");
      expect(await outcomeOf(store.deletedUsers.purge(id, ifMatch(2)))).toBe("version-mismatch");
      expect((await store.deletedUsers.restore(id, undefined, ifMatch(1))).version).toBe(2);
    });

    test("lists deleted users page by page, the last deletion first, with a search and a filter", async () => {
      const users = await Promise.all(
        Array.from({ length: 150 }, (_, i) => create({ name: `Paged ${i % 2 ? "Odd" : "Even"}`, level: i })),
      );
      for (const { id } of users.slice(0, 5)) await store.users.remove(id);
      await store.users.changeMany(
        users.slice(5).map(({ id }) => id),
        "remove",
      );
      const all: DeletedListQuery = { order: "newest", limit: 40, search: ["paged"] };
      const found: { id: number; deletedAt: string; level: number }[] = [];
      let after: DeletedListQuery["after"];
      do {
        const page = await store.deletedUsers.list({ ...all, after });
        expect(page.users.length).toBeLessThanOrEqual(40);
        found.push(...page.users.map(parse));
        after = page.next;
      } while (after);
      const order = found.map(({ deletedAt, id }) => [Date.parse(deletedAt), id] as const);
      expect(order).toEqual([...order].sort(([a, i], [b, j]) => b - a || j - i));
      expect(found.map(({ id }) => id).sort((a, b) => a - b)).toEqual(
        users.map(({ id }) => id).sort((a, b) => a - b),
      );
      const expression = parseExpression('level lt 10 and name co "odd" and deletedAt gt "2020-01-01"');
      const byLevel = new Map(found.map(({ id, level }) => [id, level]));
      const levels = (await idsOf({ expression, order: "id" })).map((id) => byLevel.get(id));
      expect(levels.sort()).toEqual([1, 3, 5, 7, 9]);
      expect(await idsOf({ ...all, limit: 1, order: "-id" })).toEqual([
        Math.max(...users.map(({ id }) => id)),
      ]);
      expect((await store.deletedUsers.measure(users.map(({ id }) => id))).size).toBe(150);
    });

    test("erases the record, the changes and the outcomes of a purged user, and keeps its history", async () => {
      const idempotencyKey = { caller: "", key: "purged", fingerprint: "f" };
      const record = { name: "Traceable Person", email: "traceable@kept.org", level: 1 };
      const { outcome } = await store.users.create({ record }, idempotencyKey);
      if (!("user" in outcome)) throw new Error("The user was not created.");
      const { id } = outcome.user;
      await store.users.edit(id, { merge: { name: "Traceable Again" } });
      await store.users.remove(id);
      await store.deletedUsers.purge(id, undefined, { actor: toKeyActor(3), requestId: "r" });
      expect(await store.deletedUsers.read(id)).toBeUndefined();
      expect(await outcomeOf(store.deletedUsers.purge(id))).toBe("user-not-found");
      const events = await typesOf(id);
      expect(
        events.map(({ type, version, changes, record }) => ({ type, version, changes, record })),
      ).toEqual(
        ["created 1", "updated 2", "deleted 2", "purged 2"].map((text) => {
          const [action, version] = text.split(" ");
          return { type: `user.${action}`, version: Number(version), changes: {}, record: null };
        }),
      );
      expect(events.at(-1).actor).toMatchObject({ type: "key", id: 3 });
      const replay = await store.users.create({ record }, idempotencyKey);
      expect(replay).toEqual({
        outcome: { problem: { type: "user-not-found", detail: expect.any(String) } },
        replayed: true,
      });
    });

    test("erases many events in steps, between which other writes are committed", async () => {
      const { id } = await create({ name: "Busy Person" });
      const edits = Array.from({ length: 2400 }, (_, level) => store.users.edit(id, { merge: { level } }));
      await Promise.all(edits);
      await store.users.remove(id);
      const { deletedUsers } = store;
      const user = await deletedUsers.read(id);
      if (!user) throw new Error("The user was not deleted.");
      const stale = deletedUsers.eraseHistory(user, { match: [1], noneMatch: undefined });
      expect(await outcomeOf(stale)).toBe("version-mismatch");
      const read = () => store.events.read({ limit: 3000, subject: { type: "user", id } });
      const kept = (await read())?.events ?? [];
      expect(kept).toHaveLength(2402);
      expect(kept.every(({ json }) => json.includes("Busy Person"))).toBe(true);

      let isPurged = false;
      const purge = async () => {
        await deletedUsers.eraseHistory(user);
        await deletedUsers.purge(id);
        isPurged = true;
      };
      const purging = purge();
      let created = 0;
      for (; !isPurged; created++) await create({ name: "Other" });
      await purging;
      expect(created).toBeGreaterThan(3);
      const erased = (await read())?.events ?? [];
      expect(erased).toHaveLength(2403);
      expect(erased.filter(({ json }) => json.includes("Busy Person"))).toEqual([]);
    });

    test("erases everything of a user that one batch creates, changes, deletes and purges", async () => {
      const before = await create({ name: "Before" });
      const idempotencyKey = { caller: "", key: "one batch", fingerprint: "f" };
      const id = before.id + 1;
      await Promise.all([
        store.users.create({ record: { name: "Secret Name" } }, idempotencyKey),
        store.users.edit(id, { merge: { level: 2 } }),
        store.users.remove(id, undefined, undefined, true),
      ]);
      expect(await store.users.read(id)).toBeUndefined();
      expect(await store.deletedUsers.read(id)).toBeUndefined();
      expect(JSON.stringify(await typesOf(id))).not.toContain("Secret");
      const replay = await store.users.create({ record: { name: "Secret Name" } }, idempotencyKey);
      expect(JSON.stringify(replay)).not.toContain("Secret");
    });

    test("agrees with a model about random creates, edits, deletes, restores and purges", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(changes, { maxLength: 12 }), { maxLength: 6 }),
          async (batches) => {
            const model = new UserModel(`${crypto.randomUUID()}.org`);
            for (const batch of batches) {
              const apply = (change: Change) => model.submit(store, change);
              // Writes that are submitted together apply in this order, mostly in one transaction.
              const outcomes = batch.map(apply);
              for (const outcome of outcomes) await outcome();
              await model.verify(store);
            }
          },
        ),
        { numRuns: 25 },
      );
    });
  });
}
