import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Cleanup, purgeOldUsers, removeOldEvents } from "../../../src/domain/cleanup.ts";
import { systemClock } from "../../../src/domain/clock.ts";
import type { Store } from "../../../src/domain/store.ts";
import type { OpenStore, StoreUnderTest } from "./store-under-test.ts";

const DAY_MS = 86_400_000;
const CHUNK = 500;

/** What every engine must do when nodes remove old events and deleted users. */
export function retentionContract(engine: string, open: OpenStore): void {
  describe(`${engine}: the retention of events and deleted users`, () => {
    let opened: StoreUnderTest;
    let one: Store;
    let two: Store;
    beforeAll(async () => {
      opened = await open();
      [one, two] = [opened.store, await opened.openAnother()];
    });
    afterAll(async () => {
      await two.close();
      await opened.destroy();
    });

    const append = async (chunks: number) => {
      await Promise.all(
        Array.from({ length: chunks }, () =>
          one.users.import(Array.from({ length: CHUNK }, (_, i) => ({ json: `{"name":"User ${i}"}` }))),
        ),
      );
      // Every service does so many times a second.
      await one.events.last();
    };
    const count = async (store: Store) => (await store.events.read({ limit: 10_000 }))?.events.length;
    const cleanup = (store: Store, days: number, max?: number, now = Date.now()) =>
      new Cleanup([removeOldEvents(store.events, { days, max })], { ...systemClock, now: () => now });
    /** Like `Cleanup.run`, without the pauses between the steps: two nodes meet more often. */
    const runWithoutPauses = async (removeSome: (now: number) => Promise<number>) => {
      const now = Date.now() + 1;
      let total = 0;
      for (let removed = await removeSome(now); removed > 0; removed = await removeSome(now))
        total += removed;
      return total;
    };

    test("keeps events for the given number of days", async () => {
      await append(2);
      const now = Date.now();
      expect(await cleanup(one, 30, undefined, now + 29 * DAY_MS).run()).toBe(0);
      expect(await count(two)).toBe(2 * CHUNK);
      expect(await cleanup(one, 30, undefined, now + 31 * DAY_MS).run()).toBe(2 * CHUNK);
      expect(await count(two)).toBe(0);
    });

    test("removes each event once if two nodes clean up at the same time, while changes go on", async () => {
      await append(4);
      const nodes = [one, two, one, two].map((store) =>
        runWithoutPauses(removeOldEvents(store.events, { days: 30, max: CHUNK })),
      );
      const [removed] = await Promise.all([Promise.all(nodes), append(1)]);
      removed.push(await cleanup(one, 30, CHUNK).run());
      expect(removed.reduce((sum, number) => sum + number)).toBe(4 * CHUNK);
      expect(await count(one)).toBe(CHUNK);
    });

    /** Creates and deletes users, and returns their ids. */
    const deleteSome = async (users: number) => {
      const lines = Array.from({ length: users }, (_, i) => ({ json: `{"name":"Deleted ${i}"}` }));
      const imported = await one.users.import(lines);
      const ids = imported.results.flatMap((user) => ("id" in user ? (user.id ?? []) : []));
      await one.users.changeMany(ids, "remove");
      return ids;
    };
    const purge = (store: Store, days: number, now: number) =>
      new Cleanup([purgeOldUsers(store.deletedUsers, days)], { ...systemClock, now: () => now });

    test("keeps deleted users for the given number of days", async () => {
      const ids = await deleteSome(3);
      const now = Date.now();
      expect(await purge(one, 30, now + 29 * DAY_MS).run()).toBe(0);
      expect((await two.deletedUsers.measure(ids)).size).toBe(3);
      expect(await purge(one, 30, now + 31 * DAY_MS).run()).toBe(3);
      expect((await two.deletedUsers.measure(ids)).size).toBe(0);
    });

    test("purges each user once if two nodes clean up at the same time, while users are restored", async () => {
      const ids = await deleteSome(450);
      const nodes = [one, two, one, two].map((store) =>
        runWithoutPauses(purgeOldUsers(store.deletedUsers, 0)),
      );
      const restored = ids.slice(-20);
      const [purged, restores] = await Promise.all([
        Promise.all(nodes),
        two.users.changeMany(restored, "restore"),
      ]);
      purged.push(await purge(one, 0, Date.now() + 1).run());
      const back = restores.users.filter(({ problem }) => !problem).map(({ id }) => id);
      expect(purged.reduce((sum, number) => sum + number)).toBe(450 - back.length);
      expect((await one.deletedUsers.measure(ids)).size).toBe(0);
      expect((await one.users.find(ids, [])).map(({ id }) => id).sort()).toEqual(back.sort());
      const purges = await one.events.read({ limit: 10_000, types: ["user.purged"] });
      const subjects = (purges?.events ?? [])
        .map(({ subjectId }) => subjectId)
        .filter((id) => ids.includes(id));
      expect(subjects).toHaveLength(450 - back.length);
      expect(new Set(subjects).size).toBe(450 - back.length);
      expect(purges?.events.at(-1)?.json).toContain('"actor":{"type":"system"}');
      await Promise.all(back.map((id) => one.users.remove(id, undefined, undefined, true)));
      await one.events.last();
      await runWithoutPauses(removeOldEvents(one.events, { days: 30, max: CHUNK }));
    });

    test("stops between two steps", async () => {
      const stopped = cleanup(one, 30, 1);
      await stopped.stop();
      expect(await stopped.run()).toBe(0);
      expect(await count(one)).toBe(CHUNK);
    });
  });
}
