import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { SQL } from "bun";
import { anonymousOrigin } from "../../src/domain/caller.ts";
import type { Store } from "../../src/domain/store.ts";
import { appendPostgresEvents, PUBLISH_ALL } from "../../src/store/events/postgres-events.ts";
import { type FollowedEvent, findEventErrors } from "../support/consistency/check-events.ts";
import { EventWriters } from "../support/consistency/event-writers.ts";
import { listAllUsers } from "../support/consistency/list-checks.ts";
import { openTestStore } from "../support/open-test-store.ts";
import {
  type FreshDatabase,
  freshDatabase,
  pooler,
  startPostgresBeforeTests,
} from "../support/postgres/fresh-database.ts";
import { type Roster, startRoster, stopAll } from "../support/process/roster.ts";

setDefaultTimeout(180_000);
startPostgresBeforeTests();

/** For a long run that prints its counts: `EVENT_ROUNDS=50 npm test -- test/nodes/event-order.full.ts`. */
const roundsSetting = process.env.EVENT_ROUNDS;
const rounds = Number(roundsSetting ?? 2);

let database: FreshDatabase;
let stores: Store[] = [];
let admin: SQL;

beforeAll(async () => {
  database = await freshDatabase();
  stores = [await openTestStore(database.url), await openTestStore(database.url)];
  admin = new SQL(database.url, { max: 4, prepare: pooler === "none" });
});
afterEach(stopAll);
afterAll(async () => {
  await admin.close();
  for (const store of stores) await store.close();
  await database.drop();
});

function storeAt(index: number): Store {
  const store = stores[index];
  if (!store) throw new Error(`There is no store ${index}.`);
  return store;
}

/** Follows the feed until `stop`, which waits for the last event. */
function follow(store: Store, after: number) {
  const seen: FollowedEvent[] = [];
  let lastPosition = Number.POSITIVE_INFINITY;
  const run = async () => {
    let position = after;
    while (position < lastPosition) {
      const page = await store.events.read({ after: position, limit: 20 });
      if (!page) throw new Error("The feed lost the cursor of the follower.");
      seen.push(...page.events.map(({ json }) => JSON.parse(json)));
      position = page.events.at(-1)?.position ?? position;
      if (page.events.length === 0) await Bun.sleep(1);
    }
    return seen;
  };
  const running = run();
  return {
    seen,
    async stop() {
      lastPosition = await store.events.last();
      return await running;
    },
  };
}

test("a transaction that has appended an event holds back no other, and its event comes after its commit", async () => {
  const [one, two] = [storeAt(0), storeAt(1)];
  const after = await one.events.last();
  const typesAfter = async (store: Store) =>
    (await store.events.read({ after, limit: 10 }))?.events.map(({ type }) => type);
  const creates = ["user.created", "user.created"];
  for (const [end, expected] of [
    ["ROLLBACK", creates],
    ["COMMIT", [...creates, ...creates, "key.created"]],
  ] as const) {
    const transaction = await admin.reserve();
    await transaction`BEGIN`;
    const draft = { subjectId: 1_000_000, version: null, by: anonymousOrigin, changes: "{}", record: "{}" };
    const { text, values } = appendPostgresEvents([{ ...draft, type: "key.created" }]);
    await transaction.unsafe(text, values);
    for (const store of [one, two]) await store.users.create({ record: { name: end } });
    expect(await typesAfter(two)).toEqual(expected.filter((type) => type === "user.created"));
    await transaction.unsafe(end);
    transaction.release();
    expect(await typesAfter(two)).toEqual([...expected]);
  }
});

test("a reader sees what was committed before, also while another node publishes", async () => {
  const [one, two] = [storeAt(0), storeAt(1)];
  const after = await one.events.last();
  const transaction = await admin.reserve();
  await one.users.create({ record: { name: "First" } });
  await transaction`BEGIN`;
  await transaction.unsafe(PUBLISH_ALL);
  await one.users.create({ record: { name: "Second" } });
  const reading = Promise.resolve(two.events.read({ after, limit: 10 }));
  // The feed does not wait, and nobody has seen the first event yet.
  expect(await two.events.publish()).toBe(after);
  await transaction`COMMIT`;
  transaction.release();
  expect((await reading)?.events.map(({ json }) => JSON.parse(json).record.name)).toEqual([
    "First",
    "Second",
  ]);
});

test("a long transaction of another program stalls neither writers nor readers", async () => {
  const transaction = await admin.reserve();
  await transaction`BEGIN ISOLATION LEVEL REPEATABLE READ`;
  await transaction`CREATE TABLE public.long_transaction (id integer)`;
  const after = await storeAt(0).events.last();
  const follower = follow(storeAt(1), after);
  for (let i = 0; i < 20; i++) await storeAt(i % 2).users.create({ record: { name: `During ${i}` } });
  expect(await follower.stop()).toHaveLength(20);
  await transaction`ROLLBACK`;
  transaction.release();
});

/** Makes some commits slow, so that transactions of two nodes overtake each other wherever they can. */
async function slowDownCommits(): Promise<void> {
  await admin`CREATE FUNCTION public.pause_commit() RETURNS trigger LANGUAGE plpgsql AS
              'BEGIN IF random() < 0.2 THEN PERFORM pg_sleep(random() * 0.02); END IF; RETURN NULL; END'`;
  for (const table of ["events", "new_events"])
    await admin.unsafe(`CREATE CONSTRAINT TRIGGER pause_commit AFTER INSERT ON roster.${table} DEFERRABLE INITIALLY DEFERRED
                        FOR EACH ROW EXECUTE FUNCTION public.pause_commit()`);
}

test("followers get every committed change once while nodes are killed and transactions end in mid-air", async () => {
  const [one, two] = [storeAt(0), storeAt(1)];
  await slowDownCommits();
  const flags = ["--database-wait=5000", `--database-pooler=${pooler}`];
  const start = () => startRoster(database.url, { flags });
  const nodes: Roster[] = await Promise.all([start(), start()]);
  const first = await one.events.last();
  const followers = [follow(one, first), follow(two, first), follow(two, first)];
  const writers = new EventWriters(() => nodes);

  for (let round = 0; round < rounds; round++) {
    const goal = writers.acknowledged + 50;
    await Promise.all(nodes.map((node) => node.until(() => writers.acknowledged > goal)));
    // Ends transactions of the nodes wherever they are: before, during and after their COMMIT.
    for (let i = 0; i < 5; i++) {
      await admin`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND state <> 'idle'
                  AND pid <> pg_backend_pid() AND query LIKE '%roster.%' AND random() < 0.5`;
      await Bun.sleep(20 + Math.random() * 50);
    }
    const victim = round % 2;
    nodes[victim]?.kill("SIGKILL");
    await nodes[victim]?.exited;
    nodes[victim] = await start();
  }
  await writers.stop();
  // A transaction of a killed node may still commit.
  for (const store of stores) await store.users.create({ record: { name: "Last" } });
  const seen = await Promise.all(followers.map((follower) => follower.stop()));

  const feed: FollowedEvent[] = [];
  for (let after: number | undefined = first; after !== undefined; ) {
    const page = await one.events.read({ after, limit: 1000 });
    feed.push(...(page?.events ?? []).map(({ json }) => JSON.parse(json)));
    after = page?.next;
  }
  const [node] = nodes;
  if (!node) throw new Error("There is no node.");
  const known = new Set(feed.map(({ subject }) => subject.id));
  const { users } = await listAllUsers(node);
  const { writes, acknowledged, uncertain } = writers;
  const history = { feed, followers: seen, writes, users: users.filter(({ id }) => known.has(id)) };
  expect(findEventErrors(history)).toEqual([]);
  expect(feed.length).toBeGreaterThanOrEqual(acknowledged);
  if (roundsSetting)
    console.log({ rounds, events: feed.length, acknowledged, uncertain, writes: writes.length });
});
