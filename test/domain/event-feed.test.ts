import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { EventFeed } from "../../src/domain/events/event-feed.ts";
import type { EventStore } from "../../src/domain/events/event-store.ts";
import type { FollowedEvents, Follower } from "../../src/domain/events/follower.ts";
import type { Store } from "../../src/domain/store.ts";
import { databaseOn } from "../support/engines.ts";
import { openTestStore } from "../support/open-test-store.ts";
import type { FreshDatabase } from "../support/postgres/fresh-database.ts";
import { TestClock } from "../support/test-clock.ts";
import { until } from "../support/until.ts";

let database: FreshDatabase;
let store: Store;
let feed: EventFeed;
const failures: unknown[] = [];

async function startFeed(events: EventStore): Promise<void> {
  feed = new EventFeed(events, new TestClock());
  await feed.start({ failed: (error) => failures.push(error), readSucceeded: () => undefined });
}

beforeEach(async () => {
  database = await databaseOn("sqlite");
  store = await openTestStore(database.url);
  await startFeed(store.events);
});

afterEach(async () => {
  await feed.stop();
  await store.close();
  await database.drop();
  expect(failures.splice(0)).toEqual([]);
});

async function createUsers(count: number, characters = 1): Promise<void> {
  const record = { name: "Ada", note: "x".repeat(characters) };
  const created = await Promise.all(Array.from({ length: count }, () => store.users.create({ record })));
  expect(created.filter(({ outcome }) => "problem" in outcome)).toEqual([]);
}

/** Followers that have seen every event. */
async function openFollowers(count: number): Promise<Follower[]> {
  const followers = await Promise.all(Array.from({ length: count }, () => feed.open({})));
  for (const follower of followers) expect((await follower.next())?.events).toEqual([]);
  return followers;
}

test("many followers get an event in slices that leave turns to others", async () => {
  const followers = await openFollowers(1000);
  const got: FollowedEvents[] = [];
  for (const follower of followers) void follower.next().then((followed) => followed && got.push(followed));
  const perTurn: number[] = [];
  const creating = createUsers(1);
  for (let before = 0; got.length < followers.length; before = got.length) {
    await new Promise(setImmediate);
    perTurn.push(got.length - before);
  }
  await creating;
  // This loop may see two slices at once.
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(2 * 50);
  // The same object, which is encoded once.
  expect(new Set(got).size).toBe(1);
  expect(got[0]?.events).toHaveLength(1);
});

test("a follower that waits for nothing else gets every event once, beside many others", async () => {
  const [first] = await openFollowers(300);
  const positions: number[] = [];
  const following = (async () => {
    for (let next = await first?.next(); next; next = await first?.next()) {
      positions.push(...next.events.map(({ position }) => position));
    }
  })();
  for (let i = 0; i < 10; i++) await createUsers(30);
  await until(() => positions.length === 300);
  expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b));
  await feed.stop();
  await following;
});

describe("a batch", () => {
  const events = 10;

  async function sizeOfBatch(followers: number): Promise<number | undefined> {
    const [first] = await openFollowers(followers);
    await createUsers(events, 15_000);
    // All events are there.
    await until(async () => (await store.events.last()) === feed.last);
    return (await first?.next())?.events.length;
  }

  test("has several large events for one follower", async () => {
    expect(await sizeOfBatch(1)).toBe(4);
  });

  test("has one large event if there are so many followers that their batches would fill the memory", async () => {
    expect(await sizeOfBatch(4000)).toBe(1);
  });
});

test("few followers at a time read the store", async () => {
  await feed.stop();
  let [reading, most] = [0, 0];
  const events: EventStore = {
    read: async (query) => {
      most = Math.max(most, ++reading);
      await new Promise(setImmediate);
      reading--;
      return store.events.read(query);
    },
    readLines: (query) => store.events.readLines(query),
    publish: () => store.events.publish(),
    last: () => store.events.last(),
    bytes: () => store.events.bytes(),
    countBytes: () => store.events.countBytes(),
    removeOldest: (retention) => store.events.removeOldest(retention),
  };
  await startFeed(events);
  await createUsers(1);
  const followers = await Promise.all(Array.from({ length: 100 }, () => feed.open({ after: 0 })));
  for (const follower of followers) expect((await follower.next())?.events).toHaveLength(1);
  expect(most).toBeLessThanOrEqual(8);
});

test("a follower wakes up without an event, and ends with the feed", async () => {
  const [woken, stopped] = await openFollowers(2);
  const waking = woken?.next();
  const stopping = stopped?.next();
  woken?.wake();
  expect(await waking).toMatchObject({ events: [], position: feed.last });
  await createUsers(1);
  expect((await woken?.next())?.events).toHaveLength(1);
  expect((await stopping)?.events).toHaveLength(1);
  const last = stopped?.next();
  await feed.stop();
  expect(await last).toBeUndefined();
  expect(await woken?.next()).toBeUndefined();
});

test("the feed counts the purges that it sees, and no other changes", async () => {
  const [follower] = await openFollowers(1);
  const types: string[] = [];
  const seen = async (type: string) => {
    while (!types.includes(type)) {
      types.push(...((await follower?.next())?.events ?? []).map((event) => event.type));
    }
  };
  // Their ids are 1 and 2.
  await createUsers(2);
  await store.users.remove(1);
  await seen("user.deleted");
  expect(feed.purges).toBe(0);
  await store.users.remove(2, undefined, undefined, true);
  await seen("user.purged");
  expect(feed.purges).toBe(1);
});
