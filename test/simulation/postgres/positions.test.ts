import { expect, test } from "bun:test";
import { simulate } from "./postgres-simulation.ts";

/** Writes on three nodes, and counts the events that became visible after one with a higher position. */
function countLateEvents(seed: number, holdsPublishLock: boolean): Promise<{ events: number; late: number }> {
  return simulate(
    seed,
    async (simulation) => {
      const { server, machine } = simulation;
      const nodes = [await simulation.openNode(), await simulation.openNode(), await simulation.openNode()];
      const seen = new Set<unknown>();
      let [last, late] = [0, 0];
      const look = () => {
        const rows = server.storage.query("SELECT position FROM events ORDER BY position").values();
        const added = rows.map(([position]) => Number(position)).filter((position) => !seen.has(position));
        for (const position of added) {
          seen.add(position);
          if (position < last) late++;
        }
        last = Math.max(last, ...added);
      };
      const work = nodes.map(async ({ store }, node) => {
        for (let i = 0; i < 10; i++) {
          await machine.sleep(machine.random.between(0, 20));
          await store.users.create({ record: { name: `User ${node} ${i}` } });
          await store.events.last();
          const settings = { url: "https://hooks.example/", types: ["*"], description: "", filter: null };
          const draft = { ...settings, active: true, secret: `whsec_${node}-${i}` };
          if (i % 3 === 0) await store.webhooks.create(draft, { actor: { type: "command" } });
        }
      });
      await simulation.settle(Promise.all(work), look);
      look();
      return { events: seen.size, late };
    },
    { holdsPublishLock, commitMs: [1, 50] },
  );
}

test("events become visible in the order of their positions", async () => {
  for (let seed = 1; seed <= 5; seed++)
    expect(await countLateEvents(seed, true)).toEqual({ events: 42, late: 0 });
});

test("without the lock of publishing, events become visible out of order", async () => {
  let late = 0;
  for (let seed = 1; seed <= 5; seed++) late += (await countLateEvents(seed, false)).late;
  expect(late).toBeGreaterThan(0);
});
