import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ProblemError } from "../../../src/domain/problem-error.ts";
import type { Store } from "../../../src/domain/store.ts";
import { eventBytesError } from "../../support/consistency/event-bytes.ts";
import { importUsers } from "./import-users.ts";
import type { OpenStore, StoreUnderTest } from "./store-under-test.ts";

/** Something that changes events. `size` chooses how much, and `target` which user. */
const changes = fc.record({
  kind: fc.constantFrom(
    ...([
      "import",
      "edit",
      "remove",
      "purge",
      "rejected",
      "old",
      "max",
      "maxBytes",
      "count",
      "restart",
    ] as const),
  ),
  target: fc.nat(30),
  size: fc.nat(40),
});
type Change = typeof changes extends fc.Arbitrary<infer T> ? T : never;

/** What every engine must do to count the bytes of events, and to limit them. */
export function eventBytesContract(engine: string, open: OpenStore): void {
  describe(`${engine}: the bytes of events`, () => {
    let opened: StoreUnderTest;
    let store: Store;
    /** Another node, which restarts. */
    let other: Store;
    beforeAll(async () => {
      opened = await open();
      [store, other] = [opened.store, await opened.openAnother()];
    });
    afterAll(async () => {
      await other.close();
      await opened.destroy();
    });

    const countError = () => eventBytesError(opened.engine, opened.url);

    async function apply(node: Store, { kind, target, size }: Change): Promise<unknown> {
      const text = "ü".repeat(size ** 2);
      if (kind === "import") return await importUsers(node, size, text);
      if (kind === "edit") return await node.users.edit(target, { merge: { text, level: size } });
      if (kind === "remove") return await node.users.changeMany([target, target + 1], "remove");
      if (kind === "purge") return await node.users.changeMany([target, target + 1], "remove-and-purge");
      if (kind === "rejected") return await node.users.import([{ json: '{"name":""}' }]);
      if (kind === "old") return await node.events.removeOldest({ before: Date.now() - size * 20 });
      if (kind === "max") return await node.events.removeOldest({ max: size * 10 });
      if (kind === "maxBytes") return await node.events.removeOldest({ maxBytes: size * 2000 });
      return await node.events.countBytes();
    }

    test("are counted exactly after any changes by two nodes, and after restarts", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.array(changes, { maxLength: 8 }), { maxLength: 6 }), async (rounds) => {
          for (const round of rounds) {
            if (round.some(({ kind }) => kind === "restart")) {
              await other.close();
              other = await opened.openAnother();
            }
            const work = round.map((change, index) =>
              apply(index % 2 ? other : store, change).catch((error: unknown) => {
                if (!(error instanceof ProblemError) || error.type !== "user-not-found") throw error;
              }),
            );
            await Promise.all(work);
            expect(await countError()).toBe(0);
          }
        }),
        { numRuns: 25 },
      );
      const [row, stats] = [await store.events.bytes(), await store.stats()];
      expect(row).toBe(stats.eventBytes);
    });

    test("stay below the limit: the oldest events go, no more than necessary, in small steps", async () => {
      await store.events.last();
      while ((await store.events.removeOldest({ max: 0 })) > 0);
      await importUsers(store, 500);
      await importUsers(store, 500);
      const { results } = await importUsers(store, 200, "x".repeat(15_000));
      const ids = results.flatMap((user) => ("id" in user ? (user.id ?? []) : []));
      // Each of these events has the text three times.
      for (const letter of "abc")
        await store.users.changeMany(ids, { merge: { text: letter.repeat(15_000) } });
      const before = (await store.events.read({ limit: 10_000 }))?.events ?? [];
      expect(before).toHaveLength(1800);
      const total = await store.events.bytes();
      const maxBytes = 1_000_000;
      const steps: number[] = [];
      for (;;) {
        const removed = await store.events.removeOldest({ maxBytes });
        if (removed === 0) break;
        steps.push(removed);
      }
      expect(total).toBeGreaterThan(600 * 45_000);
      expect(steps.slice(0, 2)).toEqual([500, 500]);
      // 8 MiB of the larger events.
      for (const step of steps.slice(3, -1)) expect(step).toBe(186);
      expect(steps).toHaveLength(6);
      const kept = (await other.events.read({ limit: 10_000 }))?.events ?? [];
      expect(kept).toEqual(before.slice(-kept.length));
      expect(steps.reduce((sum, step) => sum + step)).toBe(before.length - kept.length);
      const bytes = await other.events.bytes();
      expect(bytes).toBeWithin(maxBytes - 46_000, maxBytes + 1);
      expect(await other.events.read({ after: before[0]?.position ?? 0, limit: 1 })).toBeUndefined();
      const last = before.at(-kept.length - 1)?.position ?? 0;
      expect((await other.events.read({ after: last, limit: 10_000 }))?.events).toEqual(kept);
      expect(await countError()).toBe(0);
    });

    test("of a single event that is larger than the limit go too", async () => {
      await importUsers(store, 1, "x".repeat(10_000));
      await store.events.last();
      while ((await store.events.removeOldest({ maxBytes: 1000 })) > 0);
      expect(await store.events.bytes()).toBe(80);
      expect(await store.events.removeOldest({ maxBytes: 1 })).toBe(0);
      await importUsers(store, 1);
      expect((await store.events.read({ limit: 10 }))?.events).toHaveLength(1);
    });
  });
}
