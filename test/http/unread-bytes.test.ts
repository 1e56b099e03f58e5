import { expect, test } from "bun:test";
import { UnreadBytes } from "../../src/http/events/unread-bytes.ts";
import { FollowerMetrics } from "../../src/telemetry/follower-metrics.ts";
import { TestClock } from "../support/test-clock.ts";
import { until } from "../support/until.ts";

const MAX = 1000;
/** The service needs this long to close a connection. */
const CLOSE_MS = 5000;

/** Streams of a stopped clock that write down what happens to them. */
function createStreams() {
  const clock = TestClock.stopped();
  const metrics = new FollowerMetrics();
  const unread = new UnreadBytes(clock, metrics, MAX);
  const happened: string[] = [];
  const createStream = (name: string) => {
    const stream = {
      abort() {
        happened.push(`${name} closed`);
        unread.close(stream);
      },
      send(bytes: number): void {
        const waiting = unread.add(stream, bytes);
        if (!waiting) return void happened.push(`${name} sent`);
        void waiting.then(() => happened.push(`${name} sent later`));
      },
      read: () => unread.remove(stream),
    };
    return stream;
  };
  const take = () => happened.splice(0);
  return { clock, metrics, createStream, take };
}

test("followers send at once while all together have little to read", async () => {
  const { clock, metrics, createStream, take } = createStreams();
  for (const name of ["a", "b", "c"]) createStream(name).send(300);
  await clock.advance(60_000);
  expect(take()).toEqual(["a sent", "b sent", "c sent"]);
  expect([metrics.unreadBytes, metrics.closed.room]).toEqual([900, 0]);
});

test("the follower that has not read for longest is closed first, and no more than needed", async () => {
  const { clock, metrics, createStream, take } = createStreams();
  const [a, b, c, d] = ["a", "b", "c", "d"].map(createStream);
  for (const stream of [a, b, c]) {
    stream?.send(300);
    await clock.advance(1000);
  }
  // Now b has not read for longest.
  a?.read();
  a?.send(300);
  await clock.advance(2000);
  take();
  d?.send(300);
  await clock.advance(0);
  expect(take()).toEqual(["b closed"]);
  // The bytes of a connection count until it is closed.
  expect(metrics.unreadBytes).toBe(600);
  await clock.advance(CLOSE_MS);
  expect(take()).toEqual(["d sent later"]);
  expect([metrics.unreadBytes, metrics.closed.room]).toEqual([900, 1]);
});

test("a follower that reads makes room: nobody is closed, and those who wait go on in order", async () => {
  const { clock, createStream, take } = createStreams();
  const [a, b, c, d] = ["a", "b", "c", "d"].map(createStream);
  a?.send(600);
  b?.send(400);
  c?.send(500);
  d?.send(100);
  await clock.advance(500);
  expect(take()).toEqual(["a sent", "b sent"]);
  b?.read();
  await clock.advance(0);
  expect(take()).toEqual([]);
  a?.read();
  await clock.advance(0);
  expect(take()).toEqual(["c sent later", "d sent later"]);
});

test("a follower that was sent something a moment ago is not closed", async () => {
  const { clock, createStream, take } = createStreams();
  createStream("a").send(MAX);
  createStream("b").send(MAX);
  await clock.advance(999);
  expect(take()).toEqual(["a sent"]);
  await clock.advance(250);
  expect(take()).toEqual(["a closed"]);
  await clock.advance(CLOSE_MS);
  expect(take()).toEqual(["b sent later"]);
});

test("bytes for which there is never room are sent alone", async () => {
  const { clock, createStream, take } = createStreams();
  createStream("a").send(5 * MAX);
  createStream("b").send(1);
  await clock.advance(2000 + CLOSE_MS);
  expect(take()).toEqual(["a sent", "a closed", "b sent later"]);
});

test("a follower that disconnects while it waits leaves its turn to the next one", async () => {
  const { clock, createStream, take } = createStreams();
  const [a, b, c] = ["a", "b", "c"].map(createStream);
  a?.send(900);
  b?.send(900);
  c?.send(100);
  await clock.advance(0);
  b?.read();
  await clock.advance(0);
  expect(take()).toEqual(["a sent", "b sent later", "c sent later"]);
});

test("many followers are closed, and many go on, in slices that leave turns to others", async () => {
  const { clock, createStream, take } = createStreams();
  for (let i = 0; i < MAX; i++) createStream(`old ${i}`).send(1);
  await clock.advance(1000);
  take();
  for (let i = 0; i < MAX; i++) createStream(`new ${i}`).send(1);
  const perTurn: number[] = [];
  let isRunning = true;
  const recording = (async () => {
    while (isRunning) {
      await new Promise(setImmediate);
      perTurn.push(take().length);
    }
  })();
  const count = () => perTurn.reduce((sum, each) => sum + each, 0);
  await until(() => count() === MAX);
  await clock.advance(CLOSE_MS);
  await until(() => count() === 2 * MAX);
  isRunning = false;
  await recording;
  // The recording may see two slices at once.
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(2 * 50);
});
