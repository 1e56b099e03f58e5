import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { UserRecord } from "../../../src/contract/users/user.ts";
import { parseExpression } from "../../../src/domain/filter/parse-expression.ts";
import { foldCase } from "../../../src/domain/fold.ts";
import { ProblemError } from "../../../src/domain/problem-error.ts";
import type { StoredRecord } from "../../../src/domain/records/record.ts";
import type { Store } from "../../../src/domain/store.ts";
import type { UserListQuery } from "../../../src/domain/users/user-list-fields.ts";
import {
  allUsers,
  ifMatch,
  type OpenStore,
  outcomeOf,
  rowsOf,
  type StoreUnderTest,
} from "./store-under-test.ts";

export function writeContract(engine: string, open: OpenStore): void {
  describe(`${engine}: writes`, () => {
    let opened: StoreUnderTest;
    let store: Store;
    beforeAll(async () => {
      opened = await open();
      store = opened.store;
    });
    afterAll(() => opened.destroy());

    const create = async (record: UserRecord): Promise<StoredRecord> => {
      const { outcome } = await store.users.create({ record });
      if ("problem" in outcome) throw ProblemError.of(outcome.problem);
      return outcome.user;
    };

    test("reads a created user exactly as the create returned it", async () => {
      const user = await create({ name: "Ada", email: "ada@example.com", tags: ["x", { y: null }] });
      expect(await store.users.read(user.id)).toEqual(user);
      expect(JSON.parse(user.json)).toMatchObject({ id: user.id, name: "Ada", version: 1 });
      expect(await store.users.read(user.id + 1000)).toBeUndefined();
    });

    test("lets one of several concurrent creates with the same email succeed", async () => {
      const outcomes = await Promise.all(
        Array.from({ length: 64 }, (_, i) =>
          store.users.create({ record: { name: `R${i}`, email: i % 2 ? "r@x.io" : "R@X.io" } }),
        ),
      );
      const failed = outcomes.filter(({ outcome }) => "problem" in outcome);
      expect(failed).toHaveLength(63);
      expect(failed[0]?.outcome).toMatchObject({ problem: { type: "email-taken" } });
    });

    test("gives concurrent creates distinct ids, higher than every earlier id", async () => {
      const { id: before } = await create({ name: "Before" });
      const users = await Promise.all(Array.from({ length: 100 }, (_, i) => create({ name: `D${i}` })));
      expect(new Set(users.map(({ id }) => id)).size).toBe(100);
      expect(Math.min(...users.map(({ id }) => id))).toBeGreaterThan(before);
    });

    test("applies each edit to the current user, in one batch or in several", async () => {
      const { id } = await create({ name: "Counter" });
      await Promise.all(
        Array.from({ length: 50 }, (_, i) => store.users.edit(id, { merge: { [`k${i}`]: i } })),
      );
      const user = await store.users.read(id);
      expect(user?.version).toBe(51);
      expect(Object.keys(JSON.parse(user?.json ?? "{}"))).toHaveLength(55);
    });

    test("skips the users that no longer meet the condition of a bulk change, and stores all results", async () => {
      const users = await Promise.all(["A", "B", "C", "D"].map((name) => create({ name, level: 1 })));
      const ids = users.map(({ id }) => id).sort((a, b) => a - b);
      const [kept = 0, moved = 0, removed = 0, changed = 0] = ids;
      await store.users.edit(moved, { merge: { level: 2 } });
      await store.users.remove(removed);
      await store.users.edit(changed, { merge: { plan: "pro" } });
      const condition = {
        expression: parseExpression("level eq 1"),
        versions: ids.map(() => 1),
        memberships: [],
      };
      const key = { caller: "", key: "condition", fingerprint: "f" };
      const change = () => store.users.changeMany(ids, { merge: { level: 0 } }, key, undefined, condition);
      const results = [
        { id: kept },
        { id: moved, skipped: true as const },
        { id: removed, skipped: true as const },
        { id: changed },
      ];
      expect(await change()).toEqual({ users: results, replayed: false });
      const others = store.users.changeMany([], { merge: { level: 0 } }, key, undefined, {
        ...condition,
        versions: [],
      });
      expect(await others).toEqual({ users: results, replayed: true });
      expect((await store.users.read(kept))?.version).toBe(2);
      expect((await store.users.read(moved))?.version).toBe(2);
      expect((await store.users.read(changed))?.version).toBe(3);
    });

    test("measures users, and leaves out those that do not exist", async () => {
      const long = await create({ name: "Long", note: "é".repeat(5000) });
      const short = await create({ name: "Short" });
      const bytesOf = ({ json }: StoredRecord) => Buffer.byteLength(json);
      const sizes = await store.users.measure([short.id, 1e9, long.id, short.id]);
      expect(new Map(sizes)).toEqual(
        new Map([
          [short.id, bytesOf(short)],
          [long.id, bytesOf(long)],
        ]),
      );
    });

    test("repeats a bulk change with its stored results, also for other ids", async () => {
      const [first, second] = [await create({ name: "First" }), await create({ name: "Second" })];
      const key = { caller: "", key: "other ids", fingerprint: "f" };
      const change = (ids: readonly number[]) => store.users.changeMany(ids, { merge: { level: 1 } }, key);
      const { users } = await change([first.id, 1e9]);
      expect(users).toMatchObject([{ id: first.id }, { id: 1e9, problem: { type: "user-not-found" } }]);
      expect(await change([first.id, 1e9, second.id])).toEqual({ users, replayed: true });
      expect(await change([first.id])).toEqual({ users, replayed: true });
      expect((await store.users.read(second.id))?.version).toBe(1);
    });

    test("lets one of several concurrent edits with the same precondition succeed", async () => {
      const { id } = await create({ name: "Once" });
      const results = await Promise.allSettled(
        Array.from({ length: 30 }, (_, i) =>
          store.users.edit(id, { replace: { name: `N${i}` } }, ifMatch(1)),
        ),
      );
      expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      for (const result of results) {
        if (result.status === "rejected") expect(result.reason.type).toBe("version-mismatch");
      }
    });

    test("rejects an edit to an email already in use, and changes nothing", async () => {
      await create({ name: "Has", email: "has@example.com" });
      const user = await create({ name: "Wants", level: 1 });
      const edit = store.users.edit(user.id, { merge: { email: "Has@Example.com", level: 2 } });
      expect(await outcomeOf(edit)).toBe("email-taken");
      expect(await store.users.read(user.id)).toEqual(user);
    });

    test("fails with user-not-found for an edit or removal of a missing user", async () => {
      expect(await outcomeOf(store.users.edit(1e9, { merge: {} }))).toBe("user-not-found");
      expect(await outcomeOf(store.users.remove(1e9, ifMatch(1)))).toBe("user-not-found");
    });

    test("removes a user from reads, lists and counts, and frees the email", async () => {
      const { id } = await create({ name: "Zephyrine Quux", email: "zq@example.com", colour: "mauve" });
      const before = (await store.stats()).users;
      expect(await outcomeOf(store.users.remove(id, ifMatch(2)))).toBe("version-mismatch");
      await store.users.remove(id);
      expect(await store.users.read(id)).toBeUndefined();
      expect((await store.stats()).users).toBe(before - 1);
      const list = async (query: Partial<UserListQuery>) =>
        rowsOf(await store.users.list({ ...allUsers, ...query }));
      expect(await list({ search: ["zephyrine"] })).toEqual([]);
      expect(await list({ filters: [{ kind: "custom", field: "colour", values: ["mauve"] }] })).toEqual([]);
      expect(
        await list({ filters: [{ kind: "column", field: "email", values: ["zq@example.com"] }] }),
      ).toEqual([]);
      expect((await create({ name: "Heir", email: "zq@example.com" })).id).toBeGreaterThan(id);
    });

    test("finds an edited user by its new values only", async () => {
      const { id } = await create({ name: "Olivier Before", email: "before@example.com", mood: "old" });
      await store.users.edit(id, { replace: { name: "Après Moi", email: "after@example.com", mood: "new" } });
      const list = async (query: Partial<UserListQuery>) =>
        rowsOf(await store.users.list({ ...allUsers, ...query })).map(({ id }) => id);
      expect(await list({ search: ["olivier"] })).toEqual([]);
      expect(await list({ search: ["apres m"] })).toEqual([id]);
      expect(await list({ search: ["ap"] })).toEqual([id]);
      const value = (field: string, text: string) =>
        list({ filters: [{ kind: "custom", field, values: [text] }] });
      expect(await value("mood", "old")).toEqual([]);
      expect(await value("mood", "new")).toEqual([id]);
      const name = (text: string) =>
        list({ filters: [{ kind: "column", field: "name", values: [foldCase(text)] }] });
      expect(await name("olivier before")).toEqual([]);
      expect(await name("Apres Moi")).toEqual([]);
      expect(await name("APRÈS MOI")).toEqual([id]);
    });

    test("replays a create with the same idempotency key, and rejects another request body", async () => {
      const idempotencyKey = { caller: "c", key: "k1", fingerprint: "f" };
      const first = await store.users.create({ record: { name: "Once" } }, idempotencyKey);
      const users = (await store.stats()).users;
      const again = await store.users.create({ record: { name: "Once" } }, idempotencyKey);
      expect(again).toEqual({ ...first, replayed: true });
      expect((await store.stats()).users).toBe(users);
      const other = store.users.create(
        { record: { name: "Other" } },
        { ...idempotencyKey, fingerprint: "g" },
      );
      expect(await outcomeOf(other)).toBe("idempotency-mismatch");
      expect(
        (await store.users.create({ record: { name: "Once" } }, { ...idempotencyKey, caller: "d" })).replayed,
      ).toBe(false);
    });

    test("replays problems too: an email already in use, and a problem found before the store", async () => {
      await create({ name: "Owner", email: "owner@example.com" });
      const idempotencyKey = { caller: "c", key: "k2", fingerprint: "f" };
      const attempt = { record: { name: "Thief", email: "owner@example.com" } };
      const first = await store.users.create(attempt, idempotencyKey);
      expect(first.outcome).toMatchObject({ problem: { type: "email-taken" } });
      expect(await store.users.create(attempt, idempotencyKey)).toEqual({ ...first, replayed: true });
      const problem = {
        type: "invalid-user",
        detail: "d",
        errors: [{ pointer: "/name", detail: "x" }],
      } as const;
      const stored = await store.users.create({ problem }, { ...idempotencyKey, key: "k3" });
      expect(stored).toEqual({ outcome: { problem }, replayed: false });
      expect(await store.users.create({ problem }, { ...idempotencyKey, key: "k3" })).toEqual({
        ...stored,
        replayed: true,
      });
    });

    test("creates one user for concurrent creates with one idempotency key", async () => {
      const idempotencyKey = { caller: "c", key: "k4", fingerprint: "f" };
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, () => store.users.create({ record: { name: "Same" } }, idempotencyKey)),
      );
      expect(outcomes.filter(({ replayed }) => !replayed)).toHaveLength(1);
      expect(new Set(outcomes.map(({ outcome }) => JSON.stringify(outcome))).size).toBe(1);
    });
  });
}
