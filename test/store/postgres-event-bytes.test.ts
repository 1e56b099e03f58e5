import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { SQL } from "bun";
import { anonymousOrigin } from "../../src/domain/caller.ts";
import type { Store } from "../../src/domain/store.ts";
import { appendPostgresEvents, COUNT_STEP } from "../../src/store/events/postgres-events.ts";
import { listPlanSettings } from "../../src/store/postgres/connection-pools.ts";
import { migrations } from "../../src/store/postgres/migrations/index.ts";
import { eventBytesError } from "../support/consistency/event-bytes.ts";
import { openTestStore } from "../support/open-test-store.ts";
import {
  emptyDatabase,
  type FreshDatabase,
  startPostgresBeforeTests,
} from "../support/postgres/fresh-database.ts";
import { until } from "../support/until.ts";
import { importUsers } from "./support/import-users.ts";

setDefaultTimeout(60_000);

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
         GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA roster TO ${role};
         GRANT USAGE, UPDATE ON ALL SEQUENCES IN SCHEMA roster TO ${role}`,
      )
      .simple();
    const owner = await openTestStore(database.url);
    await sql.unsafe(`SET ROLE ${role}`);
    await sql.unsafe(
      "INSERT INTO roster.events SELECT position + 100000, 'user', 1, 'updated', 1, NULL, NULL, '{}', '{}' FROM roster.events",
    );
    await sql.unsafe("DELETE FROM roster.events WHERE position BETWEEN 20000 AND 110000");
    // What was appended without a position is published by their next write.
    const { text, values } = appendPostgresEvents([
      { type: "key.created", subjectId: 1, version: null, by: anonymousOrigin, changes: "{}", record: "{}" },
    ]);
    await sql.unsafe(text, values);
    await sql.unsafe("SELECT roster.lock_events(-1)");
    expect(await sql.unsafe("SELECT 1 FROM roster.new_events").values()).toEqual([]);
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
    const first = await openTestStore(database.url);
    expect(await first.events.bytes()).toBe(0);
    await importUsers(first, 1);
    expect(await eventBytesError("postgres", database.url)).toBe(0);
    expect(await first.events.countBytes()).toBe(5000);
    expect(await eventBytesError("postgres", database.url)).toBe(0);
    await first.close();
    const second = await openTestStore(database.url);
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
    const store = await openTestStore(database.url);
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
    const [one, two] = [await openTestStore(database.url), await openTestStore(database.url)];
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
    const store = await openTestStore(database.url);
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
