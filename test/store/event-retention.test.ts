import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { parseDatabase } from "../../src/config/database-url.ts";
import { EventCleanup } from "../../src/domain/event-cleanup.ts";
import { defaultRecordRules } from "../../src/domain/record-rules.ts";
import type { Store } from "../../src/domain/store.ts";
import { openStore } from "../../src/store/open-store.ts";
import { databaseOn, onEachEngine } from "../support/engines.ts";
import { type FreshDatabase, pooler } from "../support/postgres/fresh-database.ts";

const DAY_MS = 86_400_000;
const CHUNK = 500;

onEachEngine((engine) => {
  describe("the retention of events", () => {
    let database: FreshDatabase;
    let one: Store;
    let two: Store;
    beforeAll(async () => {
      database = await databaseOn(engine);
      const options = {
        ...{ batch: 512, queue: 1000, waitMs: 10_000, recordRules: defaultRecordRules },
        ...{ pool: 6, dedicatedSessions: pooler === "none", migrate: true },
      };
      const open = () => openStore(parseDatabase(database.url), options, { committed: () => undefined });
      [one, two] = [await open(), await open()];
    });
    afterAll(async () => {
      await one.close();
      await two.close();
      await database.drop();
    });

    const append = (chunks: number) =>
      Promise.all(
        Array.from({ length: chunks }, () =>
          one.import(Array.from({ length: CHUNK }, (_, i) => ({ json: `{"name":"User ${i}"}` }))),
        ),
      );
    const count = async (store: Store) => (await store.events.read({ limit: 10_000 }))?.events.length;
    const cleanup = (store: Store, days: number, max?: number, now = Date.now()) =>
      new EventCleanup(store.events, { days, max }, () => now);

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
      const nodes = [one, two, one, two].map((store) => cleanup(store, 30, CHUNK));
      const [removed] = await Promise.all([Promise.all(nodes.map((node) => node.run())), append(1)]);
      removed.push(await cleanup(one, 30, CHUNK).run());
      expect(removed.reduce((sum, number) => sum + number)).toBe(4 * CHUNK);
      expect(await count(one)).toBe(CHUNK);
    });

    test("stops between two steps", async () => {
      const stopped = cleanup(one, 30, 1);
      await stopped.stop();
      expect(await stopped.run()).toBe(0);
      expect(await count(one)).toBe(CHUNK);
    });
  });
});
