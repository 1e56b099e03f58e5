import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { ProblemError } from "../../../src/domain/problem-error.ts";
import type { Store } from "../../../src/domain/store.ts";
import type { OpenStore, StoreUnderTest } from "./store-under-test.ts";

const DAY_MS = 86_400_000;
/** Before every change. */
const FIRST_DAY = "2000-01-01";

/** What every engine must do with the daily counts of users. */
export function statisticsContract(engine: string, open: OpenStore): void {
  describe(`${engine}: daily counts`, () => {
    let opened: StoreUnderTest;
    let store: Store;
    /** Another node. */
    let other: Store;
    beforeEach(async () => {
      opened = await open();
      [store, other] = [opened.store, await opened.openAnother()];
    });
    afterEach(async () => {
      await other.close();
      await opened.destroy();
    });

    const create = async (node: Store, name: string, email?: string): Promise<number> => {
      const { outcome } = await node.users.create({
        record: email === undefined ? { name } : { name, email },
      });
      if ("problem" in outcome) throw ProblemError.of(outcome.problem);
      return outcome.user.id;
    };
    const createSome = (count: number) =>
      Promise.all(Array.from({ length: count }, (_, i) => create(i % 2 ? store : other, `User ${i}`)));
    /** The sums of all days: a test may run over midnight. */
    const readSums = async (node: Store) => {
      const { total, changes } = await node.statistics.readUsers(FIRST_DAY);
      const add = (count: "created" | "deleted" | "restored") =>
        changes.reduce((sum, day) => sum + day[count], 0);
      return { total, created: add("created"), deleted: add("deleted"), restored: add("restored") };
    };

    test("have no days before the first change", async () => {
      expect(await store.statistics.readUsers(FIRST_DAY)).toEqual({ total: 0, changes: [] });
    });

    test("have each user that two nodes create, import, remove and restore once", async () => {
      const ids = await createSome(20);
      const lines = ["A", "", "C"].map((name) => ({ json: JSON.stringify({ name }) }));
      await other.users.import(lines);
      const [first = 0, second = 0, third = 0, ...rest] = ids;
      await Promise.all([store.users.remove(first), other.users.remove(second)]);
      await store.users.remove(third, undefined, undefined, true);
      await other.users.changeMany(rest.slice(0, 3), "remove");
      await store.users.changeMany(rest.slice(3, 5), "remove-and-purge");
      await store.deletedUsers.restore(first);
      await other.users.changeMany(rest.slice(0, 1), "restore");
      await store.deletedUsers.purge(second);
      const sums = { total: 16, created: 22, deleted: 8, restored: 2 };
      expect([await readSums(store), await readSums(other)]).toEqual([sums, sums]);
    });

    test("do not have edits, dry runs and failed writes", async () => {
      const id = await create(store, "Ada", "ada@example.com");
      const before = await readSums(store);
      await store.users.edit(id, { merge: { name: "Ada L" } });
      using dryRun = store.users.startDryRun();
      await dryRun.import([{ json: '{"name":"Dry"}' }]);
      await expect(create(other, "Bob", "ADA@example.com")).rejects.toThrow("email-taken");
      await expect(other.users.remove(id + 1)).rejects.toThrow("user-not-found");
      await store.users.changeMany([id + 1], "restore");
      expect(await readSums(other)).toEqual(before);
    });

    test("are left out before the given day, and the total stays the same", async () => {
      await createSome(3);
      const tomorrow = new Date(Date.now() + DAY_MS).toISOString().slice(0, 10);
      const later = new Date(Date.now() + 2 * DAY_MS).toISOString().slice(0, 10);
      expect(await store.statistics.readUsers(later)).toEqual({ total: 3, changes: [] });
      const { changes } = await store.statistics.readUsers(FIRST_DAY);
      for (const { date } of changes) expect(date < tomorrow).toBe(true);
    });
  });
}
