import { afterAll, beforeAll, expect, test } from "bun:test";
import { SQL } from "bun";
import type { Store } from "../../src/domain/store.ts";
import { openTestStore } from "../support/open-test-store.ts";
import {
  type FreshDatabase,
  freshDatabase,
  startPostgresBeforeTests,
} from "../support/postgres/fresh-database.ts";
import { until } from "../support/until.ts";

startPostgresBeforeTests();

const USERS = 20;

let database: FreshDatabase;
/** Locks a user. */
let sql: SQL;
/** Sees who waits: inside of a transaction, statistics stay as they were first read. */
let watcher: SQL;
let ids: number[];

beforeAll(async () => {
  database = await freshDatabase();
  sql = new SQL(database.url, { max: 1 });
  watcher = new SQL(database.url, { max: 1 });
  const store = await open(3);
  ids = await Promise.all(Array.from({ length: USERS }, (_, index) => create(store, `User ${index}`)));
  await store.close();
});
afterAll(async () => {
  await Promise.all([sql.close({ timeout: 1 }), watcher.close({ timeout: 1 })]);
  await database.drop();
});

const open = (pool: number) => openTestStore(database.url, { waitMs: 60_000, pool });

async function create(store: Store, name: string): Promise<number> {
  const { outcome } = await store.users.create({ record: { name } });
  if ("problem" in outcome) throw new Error(outcome.problem.detail);
  return outcome.user.id;
}

/** Starts a bulk change of these users, which waits for a lock of another program until `release` is called. */
async function startBlockedChange(store: Store) {
  await sql`BEGIN`;
  await sql`SELECT id FROM roster.users WHERE id = ${ids[0]} FOR UPDATE`;
  const changing = store.users.changeMany(ids, { merge: { plan: "team" } });
  await until(async () => (await countWaiting()) > 0);
  return { changing, release: () => sql`ROLLBACK` };
}

async function countWaiting(): Promise<number> {
  const [row] = await sql`SELECT count(*) AS waiting FROM pg_locks l JOIN pg_stat_activity a USING (pid)
              WHERE NOT l.granted AND a.datname = current_database()`;
  return Number(row.waiting);
}

test("a create does not wait for a bulk write that waits for a lock", async () => {
  await using cleanup = new AsyncDisposableStack();
  const store = cleanup.adopt(await open(4), (opened) => opened.close());
  const { changing, release } = await startBlockedChange(store);
  const id = await create(store, "Beside");
  expect((await store.gauges()).queuedWrites).toBe(1);
  await release();
  expect((await changing).users).toEqual(ids.map((each) => ({ id: each })));
  expect(await store.users.read(id)).toMatchObject({ id, version: 1 });
});

test("with the smallest pool, all writes share a connection, and each is made", async () => {
  await using cleanup = new AsyncDisposableStack();
  const store = cleanup.adopt(await open(3), (opened) => opened.close());
  const { changing, release } = await startBlockedChange(store);
  const creating = create(store, "Behind");
  expect((await store.gauges()).queuedWrites).toBe(2);
  await release();
  await changing;
  expect(await store.users.read(await creating)).toMatchObject({ version: 1 });
});

test("closing the store waits for bulk writes too", async () => {
  const store = await open(4);
  const { changing, release } = await startBlockedChange(store);
  const closed = store.close();
  await release();
  await closed;
  expect((await changing).users.length).toBe(USERS);
});
