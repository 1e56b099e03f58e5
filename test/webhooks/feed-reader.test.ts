import { afterEach, beforeEach, expect, test } from "bun:test";
import { anonymousOrigin } from "../../src/domain/caller.ts";
import type { StoredEvent } from "../../src/domain/events/event.ts";
import { EventFeed } from "../../src/domain/events/event-feed.ts";
import type { EventPage, EventStore } from "../../src/domain/events/event-store.ts";
import type { Store } from "../../src/domain/store.ts";
import { EventMatchers } from "../../src/webhooks/event-matcher.ts";
import { type EventTaker, FeedReader } from "../../src/webhooks/feed-reader.ts";
import { databaseOn } from "../support/engines.ts";
import { openTestStore } from "../support/open-test-store.ts";
import type { FreshDatabase } from "../support/postgres/fresh-database.ts";
import { TestClock } from "../support/test-clock.ts";
import { until } from "../support/until.ts";

/** Notes what the reader gives and tells it. */
class NotingTaker implements EventTaker {
  readonly matcher = new EventMatchers().of({ types: ["user.created", "user.updated"], filter: null });
  readonly hasRoom = true;
  readonly taken: StoredEvent[] = [];
  readonly forgotten: (number | undefined)[] = [];
  position: number;

  constructor(position: number) {
    this.position = position;
  }

  take(events: readonly StoredEvent[], position: number): void {
    this.taken.push(...events.filter((event) => event.position > this.position));
    this.position = position;
  }

  forgetEvents(userId?: number): void {
    this.forgotten.push(userId);
  }

  onExpired(): void {
    throw new Error("No event expires in this test.");
  }
}

let database: FreshDatabase;
let store: Store;
let feed: EventFeed;
let reader: FeedReader;
let running: Promise<void>;
/** While it is set, the reader waits for the page that the store has read. */
let held: PromiseWithResolvers<void> | undefined;
let reads = 0;
const failures: unknown[] = [];

beforeEach(async () => {
  database = await databaseOn("sqlite");
  store = await openTestStore(database.url);
  held = undefined;
  reads = 0;
  const clock = new TestClock();
  const monitor = { failed: (error: unknown) => failures.push(error), readSucceeded: () => undefined };
  const events: EventStore = {
    async read(query): Promise<EventPage | undefined> {
      const page = await store.events.read(query);
      reads++;
      await held?.promise;
      return page;
    },
    readLines: (query) => store.events.readLines(query),
    publish: () => store.events.publish(),
    last: () => store.events.last(),
    bytes: () => store.events.bytes(),
    countBytes: () => store.events.countBytes(),
    removeOldest: (retention) => store.events.removeOldest(retention),
  };
  feed = new EventFeed(store.events, clock);
  await feed.start(monitor);
  reader = new FeedReader({ events, feed, monitor, clock });
  await createUser();
  // The reader keeps no events from before it follows the feed.
  const isFollowing = reader.waitForEvents(60_000);
  reader.follow({ isNeeded: true });
  await isFollowing;
  running = reader.run();
});
afterEach(async () => {
  reader.stop();
  await feed.stop();
  await running;
  await store.close();
  await database.drop();
  expect(failures.splice(0)).toEqual([]);
});

/** The first user. */
const id = 1;

async function createUser(): Promise<void> {
  await store.users.create({ record: { name: "Ada" } });
  await store.users.edit(id, { merge: { note: "secret" } });
}

const recordsOf = ({ taken }: NotingTaker) => taken.map(({ json }): object | null => JSON.parse(json).record);

test("tells every webhook which user was purged, also if the webhook gets no purges", async () => {
  const last = await store.events.last();
  const takers = [new NotingTaker(0), new NotingTaker(last)];
  for (const taker of takers) reader.add(taker);
  await until(() => takers[0]?.taken.length === 2);
  // A user that can be restored has not been purged.
  await store.users.create({ record: { name: "Grace" } });
  await store.users.remove(2);
  await store.users.remove(id, undefined, anonymousOrigin, true);
  await until(() => takers.every(({ position }) => position === feed.last) && feed.purges === 1);
  expect(takers.map(({ forgotten }) => forgotten)).toEqual([[id], [id]]);
});

test("reads events again that it had read, but not given, when their user was purged", async () => {
  const taker = new NotingTaker(0);
  held = Promise.withResolvers();
  reader.add(taker);
  await until(() => reads === 1);
  expect(taker.taken).toEqual([]);
  await store.users.remove(id, undefined, anonymousOrigin, true);
  await until(() => taker.forgotten.length === 1);
  held.resolve();
  held = undefined;
  await until(() => taker.position === feed.last);
  expect(recordsOf(taker)).toEqual([null, null]);
});
