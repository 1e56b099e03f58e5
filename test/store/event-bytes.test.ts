import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { SQL } from "bun";
import fc from "fast-check";
import { parseDatabase } from "../../src/config/database-url.ts";
import { ProblemError } from "../../src/domain/problem-error.ts";
import type { Store } from "../../src/domain/store.ts";
import { defaultRecordRules } from "../../src/domain/users/record-rules.ts";
import { COUNT_STEP } from "../../src/store/events/postgres-events.ts";
import { openStore } from "../../src/store/open-store.ts";
import { listPlanSettings } from "../../src/store/postgres/connection-pools.ts";
import { migrations } from "../../src/store/postgres/migrations/index.ts";
import { eventBytesError } from "../support/consistency/event-bytes.ts";
import { databaseOn, onEachEngine } from "../support/engines.ts";
import {
  emptyDatabase,
  type FreshDatabase,
  pooler,
  startPostgresBeforeTests,
} from "../support/postgres/fresh-database.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

function open(url: string): Promise<Store> {
  const options = {
    ...{ batch: 512, queue: 1000, waitMs: 60_000, recordRules: defaultRecordRules },
    ...{ pool: 6, dedicatedSessions: pooler === "none", migrate: true },
  };
  return openStore(parseDatabase(url), options, { committed: () => undefined });
}

const importUsers = (store: Store, count: number, text = "") =>
  store.users.import(
    Array.from({ length: count }, (_, i) => ({ json: JSON.stringify({ name: `User ${i}`, text }) })),
  );

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

onEachEngine((engine) => {
  describe("the bytes of events", () => {
    let database: FreshDatabase;
    let stores: Store[];
    beforeAll(async () => {
      database = await databaseOn(engine);
      stores = [await open(database.url), await open(database.url)];
    });
    afterAll(async () => {
      for (const store of stores) await store.close();
      await database.drop();
    });

    async function apply(store: Store, { kind, target, size }: Change): Promise<unknown> {
      const text = "ü".repeat(size ** 2);
      if (kind === "import") return await importUsers(store, size, text);
      if (kind === "edit") return await store.users.edit(target, { merge: { text, level: size } });
      if (kind === "remove") return await store.users.changeMany([target, target + 1], "remove");
      if (kind === "purge") return await store.users.changeMany([target, target + 1], "remove-and-purge");
      if (kind === "rejected") return await store.users.import([{ json: '{"name":""}' }]);
      if (kind === "old") return await store.events.removeOldest({ before: Date.now() - size * 20 });
      if (kind === "max") return await store.events.removeOldest({ max: size * 10 });
      if (kind === "maxBytes") return await store.events.removeOldest({ maxBytes: size * 2000 });
      return await store.events.countBytes();
    }

    test("are counted exactly after any changes by two nodes, and after restarts", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.array(changes, { maxLength: 8 }), { maxLength: 6 }), async (rounds) => {
          for (const round of rounds) {
            if (round.some(({ kind }) => kind === "restart")) {
              await stores.pop()?.close();
              stores.push(await open(database.url));
            }
            const work = round.map((change, index) => {
              const store = stores[index % 2];
              if (!store) throw new Error("There is no store.");
              return apply(store, change).catch((error: unknown) => {
                if (!(error instanceof ProblemError) || error.type !== "user-not-found") throw error;
              });
            });
            await Promise.all(work);
            expect(await eventBytesError(engine, database.url)).toBe(0);
          }
        }),
        { numRuns: 25 },
      );
      const [store] = stores;
      const [row, stats] = [await store?.events.bytes(), await store?.stats()];
      expect(row).toBe(stats?.eventBytes);
    });

    test("stay below the limit: the oldest events go, no more than necessary, in small steps", async () => {
      const [store, other] = stores;
      if (!store || !other) throw new Error("There is no store.");
      while ((await store.events.removeOldest({ max: 0 })) > 0);
      await importUsers(store, 500);
      await importUsers(store, 500);
      const { users } = await importUsers(store, 200, "x".repeat(15_000));
      const ids = users.flatMap((user) => ("id" in user ? (user.id ?? []) : []));
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
      expect(await eventBytesError(engine, database.url)).toBe(0);
    });

    test("of a single event that is larger than the limit go too", async () => {
      const [store] = stores;
      if (!store) throw new Error("There is no store.");
      await importUsers(store, 1, "x".repeat(10_000));
      while ((await store.events.removeOldest({ maxBytes: 1000 })) > 0);
      expect(await store.events.bytes()).toBe(80);
      expect(await store.events.removeOldest({ maxBytes: 1 })).toBe(0);
      await importUsers(store, 1);
      expect((await store.events.read({ limit: 10 }))?.events).toHaveLength(1);
    });
  });
});

describe("a PostgreSQL database with events from before they were counted", () => {
  startPostgresBeforeTests();
  const EVENTS = 12_000;

  /** A database of the version before, with events of 100 users. */
  async function previousDatabase(): Promise<FreshDatabase> {
    const database = await emptyDatabase();
    await using sql = new SQL(database.url, { max: 1 });
    const previous = migrations.slice(
      0,
      migrations.findIndex(({ name }) => name === "0003_limits"),
    );
    await sql
      .unsafe(
        `CREATE SCHEMA roster;
         CREATE TABLE roster.about (only_row integer PRIMARY KEY CHECK (only_row = 1), schema integer NOT NULL);
         CREATE TABLE roster.migrations (name text COLLATE "C" PRIMARY KEY, digest text NOT NULL, applied_at bigint);
         INSERT INTO roster.about VALUES (1, ${previous.length})`,
      )
      .simple();
    for (const { name, digest, sql: text } of previous) {
      await sql.unsafe(text).simple();
      await sql.unsafe("INSERT INTO roster.migrations VALUES ($1, $2, 0)", [name, digest]);
    }
    await sql.unsafe(
      `INSERT INTO roster.events SELECT 1000 + 3 * n, 'user', n % 100, 'updated', n, NULL, NULL, '{}', repeat('x', n % 50)
       FROM generate_series(1, ${EVENTS}) AS n`,
    );
    return database;
  }

  async function total(sql: SQL): Promise<number> {
    const [row] = await sql
      .unsafe("SELECT sum(octet_length(changes) + octet_length(record) + 80) FROM roster.events")
      .values();
    return Number(row?.[0]);
  }

  test("lets nodes that have a role of their own write events, without further privileges", async () => {
    const database = await previousDatabase();
    const role = `node_${crypto.randomUUID().slice(0, 8)}`;
    const sql = new SQL(database.url, { max: 1 });
    await sql
      .unsafe(
        `CREATE ROLE ${role}; GRANT USAGE ON SCHEMA roster TO ${role};
         GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA roster TO ${role}`,
      )
      .simple();
    const owner = await open(database.url);
    await sql.unsafe(`SET ROLE ${role}`);
    await sql.unsafe(
      "INSERT INTO roster.events SELECT position + 100000, 'user', 1, 'updated', 1, NULL, NULL, '{}', '{}' FROM roster.events",
    );
    await sql.unsafe("DELETE FROM roster.events WHERE position BETWEEN 20000 AND 110000");
    expect(await owner.events.bytes()).toBeGreaterThan(0);
    expect(await eventBytesError("postgres", database.url)).toBe(0);
    await owner.close();
    await sql.unsafe(`RESET ROLE`);
    await sql.unsafe(`DROP OWNED BY ${role}; DROP ROLE ${role}`).simple();
    await sql.close();
    await database.drop();
  });

  test("counts them in steps that another start continues", async () => {
    const database = await previousDatabase();
    const first = await open(database.url);
    expect(await first.events.bytes()).toBe(0);
    await importUsers(first, 1);
    expect(await eventBytesError("postgres", database.url)).toBe(0);
    expect(await first.events.countBytes()).toBe(5000);
    expect(await eventBytesError("postgres", database.url)).toBe(0);
    await first.close();
    const second = await open(database.url);
    expect([await second.events.countBytes(), await second.events.countBytes()]).toEqual([5000, 2000]);
    expect([await second.events.countBytes(), await second.events.countBytes()]).toEqual([0, 0]);
    await using sql = new SQL(database.url, { max: 1 });
    expect(await second.events.bytes()).toBe(await total(sql));
    expect((await sql.unsafe("SELECT count(*)::int FROM roster.event_usage").values())[0]?.[0]).toBe(1);
    await second.close();
    await database.drop();
  });

  test("reads in each step only the events that it counts", async () => {
    const database = await previousDatabase();
    const store = await open(database.url);
    expect(await store.events.countBytes()).toBe(5000);
    await using sql = new SQL(database.url, { max: 1 });
    for (const [name, value] of Object.entries(listPlanSettings))
      await sql.unsafe(`SELECT set_config('${name}', '${value}', false)`);
    const step = COUNT_STEP.replace("?", "5000");
    const plan = (await sql.unsafe(`EXPLAIN ANALYZE ${step}`).values()).join("\n");
    expect(plan).toMatch(/Index Scan using events_pkey on events .* rows=5000\b.*\n.*Index Cond: .*>.*<=/);
    expect(plan).not.toContain("Sort");
    await store.close();
    await database.drop();
  });

  test("counts each event once while others are added, erased and removed", async () => {
    const database = await previousDatabase();
    const [one, two] = [await open(database.url), await open(database.url)];
    await using sql = new SQL(database.url, { max: 1 });
    const counting = async (store: Store) => {
      for (let none = 0; none < 20; ) none = (await store.events.countBytes()) === 0 ? none + 1 : 0;
    };
    const removing = async () => {
      for (let step = 0; step < 8; step++) await two.events.removeOldest({ max: EVENTS - step * 700 });
    };
    const erasing = async () => {
      for (let user = 0; user < 100; user++)
        await sql.unsafe("UPDATE roster.events SET record = '{}' WHERE subject_id = $1", [String(user)]);
    };
    const adding = async () => {
      for (let chunk = 0; chunk < 10; chunk++) await importUsers(one, 50, "x".repeat(chunk * 10));
    };
    await Promise.all([counting(one), counting(two), removing(), erasing(), adding()]);
    while ((await one.events.countBytes()) > 0);
    expect(await one.events.bytes()).toBe(await total(sql));
    expect(await eventBytesError("postgres", database.url)).toBe(0);
    await one.close();
    await two.close();
    await database.drop();
  });

  test("waits with the next step until changes of events are committed", async () => {
    const database = await previousDatabase();
    const store = await open(database.url);
    await using sql = new SQL(database.url, { max: 1 });
    const [connection, observer] = [await sql.reserve(), new SQL(database.url, { max: 1 })];
    await connection.unsafe("BEGIN");
    await connection.unsafe("UPDATE roster.events SET record = '' WHERE subject_id = 7");
    await connection.unsafe("DELETE FROM roster.events WHERE subject_id = 8");
    const counted = store.events.countBytes();
    await until(async () => {
      const waiting = `SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
      return (await observer.unsafe(waiting).values())[0]?.[0] === 1;
    });
    await connection.unsafe("COMMIT");
    connection.release();
    expect(await counted).toBe(5000);
    while ((await store.events.countBytes()) > 0);
    expect(await store.events.bytes()).toBe(await total(observer));
    await observer.close();
    await store.close();
    await database.drop();
  });
});
