import { beforeEach, expect, test } from "bun:test";
import { EventPublisher } from "../../src/store/events/event-publisher.ts";
import { MAX_PUBLISHED } from "../../src/store/events/postgres-events.ts";
import { TestClock } from "../support/test-clock.ts";

/** A database with the keys of unpublished events, in the order of their commits. */
let keys: number[];
let lastKey: number;
/** The last position. */
let last: number;
/** What publishers asked: after which key. */
let looks: number[];
/** Ends the statements that publish, if it is set. */
let held: Promise<void> | undefined;
let isReadOnly: boolean;
let clock: TestClock;

beforeEach(() => {
  [keys, lastKey, last, looks, held, isReadOnly] = [[], 0, 0, [], undefined, false];
  clock = TestClock.stopped();
});

function append(count: number): void {
  for (let i = 0; i < count; i++) keys.push(++lastKey);
}

function openPublisher(readWrite = true): EventPublisher {
  const unexpected = () => {
    throw new Error("The publisher calls nothing else.");
  };
  const engine: ConstructorParameters<typeof EventPublisher>[0] = {
    read: (method, args) => {
      if (method === "last") return last;
      if (method !== "findUnpublished") return unexpected();
      const [afterKey = 0] = args;
      looks.push(Number(afterKey));
      return { found: keys.some((key) => key > Number(afterKey)), last, lastKey, isReadOnly };
    },
    readLong: unexpected,
    write: unexpected,
    async writeRepeatable(_, args) {
      const [afterKey = 0] = args;
      const taken = keys.filter((key) => key > Number(afterKey)).slice(0, MAX_PUBLISHED);
      await held;
      keys = keys.filter((key) => !taken.includes(key));
      last += taken.length;
      return taken.length === MAX_PUBLISHED;
    },
  };
  return new EventPublisher(engine, { waitMs: 5000, database: { readWrite }, clock });
}

test("publishes all events, in several transactions if there are many", async () => {
  append(2 * MAX_PUBLISHED + 1);
  await openPublisher().publishAll();
  expect(keys).toEqual([]);
});

test("returns the last position, with and without events to publish", async () => {
  const publisher = openPublisher();
  expect(await publisher.publishSome()).toBe(0);
  append(3);
  expect(await publisher.publishSome()).toBe(3);
  expect(await publisher.publishSome()).toBe(3);
});

test("a caller that comes during a round gets what was committed before, in the next one", async () => {
  const publisher = openPublisher();
  const release = Promise.withResolvers<void>();
  held = release.promise;
  append(1);
  const first = publisher.publishAll();
  await clock.advance(0);
  append(1);
  const others = [publisher.publishAll(), publisher.publishAll()];
  expect(await publisher.publishSome()).toBe(0);
  expect(keys).toEqual([1, 2]);
  held = undefined;
  release.resolve();
  await first;
  expect(keys).toEqual([2]);
  await Promise.all(others);
  expect(keys).toEqual([]);
  expect(looks).toHaveLength(2);
});

test("looks at all keys only every ten seconds, and skips those that were given before the last such look", async () => {
  const publisher = openPublisher();
  for (let second = 0; second < 40; second++) {
    append(10);
    await publisher.publishSome();
    await clock.advance(1000);
  }
  const seconds = (afterKey: number) => Array<number>(9).fill(afterKey);
  expect(looks).toEqual([0, ...seconds(0), 0, ...seconds(10), 0, ...seconds(110), 0, ...seconds(210)]);
});

test("finds an event whose commit took very long", async () => {
  const publisher = openPublisher();
  append(1);
  const [late = 0] = keys;
  keys = [];
  for (let second = 0; second < 30; second++) {
    append(1);
    await publisher.publishSome();
    await clock.advance(1000);
  }
  keys.push(late);
  for (let second = 0; second < 11; second++) {
    await publisher.publishSome();
    await clock.advance(1000);
  }
  expect(keys).toEqual([]);
});

test("looks at all keys if keys are given again, as after a failover that lost transactions", async () => {
  const publisher = openPublisher();
  for (let second = 0; second < 30; second++) {
    append(10);
    await publisher.publishAll();
    await clock.advance(1000);
  }
  lastKey = 5;
  append(1);
  await publisher.publishAll();
  expect(keys).toEqual([]);
});

test("a standby publishes nothing, unless the node requires a primary", async () => {
  isReadOnly = true;
  append(1);
  await openPublisher(false).publishAll();
  expect(keys).toEqual([1]);
  await openPublisher().publishAll();
  expect(keys).toEqual([]);
});
