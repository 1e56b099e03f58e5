import { expect, test } from "bun:test";
import type { FollowedEvents } from "../../src/domain/events/event-feed.ts";
import { openEventStream } from "../../src/http/events/event-stream.ts";
import { TestClock } from "../support/test-clock.ts";

const event = (position: number, characters = 10) => ({
  position,
  type: "user.created",
  subjectId: 1,
  actor: null,
  json: JSON.stringify({ id: position, text: "x".repeat(characters) }),
});
const nothing: FollowedEvents = { events: [], position: 5 };

/** Options with a stopped clock. */
const createOptions = () => ({ isAdmitted: () => true, patienceMs: 60_000, clock: TestClock.stopped() });

async function readText(stream: ReadableStream<Uint8Array>, isDone: (text: string) => boolean) {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    if (isDone(text)) break;
  }
  return text;
}

test("sends a comment and the current id every 15 seconds if nothing happens", async () => {
  const clock = TestClock.stopped();
  async function* follow(): AsyncGenerator<FollowedEvents, void> {
    for (;;) {
      await clock.sleep(250);
      yield nothing;
    }
  }
  const heartbeat = ": heartbeat\nid: 00000000005\n\n";
  const stream = openEventStream(nothing, follow(), { ...createOptions(), clock });
  let text = "";
  const reading = readText(stream, (read) => {
    text = read;
    return read.split(heartbeat).length > 3;
  });
  await clock.advance(14_000);
  expect(text).toBe("retry: 1000\nid: 00000000005\n\n");
  await clock.advance(2000);
  expect(text).toBe(`retry: 1000\nid: 00000000005\n\n${heartbeat}`);
  expect(await clock.skipTo(reading, 60_000)).toEndWith(heartbeat.repeat(3));
});

test("does not send an id before the events of the first page", async () => {
  async function* follow(): AsyncGenerator<FollowedEvents, void> {}
  const first = { events: [event(1), event(2)], position: 2 };
  const text = await readText(openEventStream(first, follow(), createOptions()), () => false);
  expect(text).toMatch(/^retry: 1000\n\nid: 00000000001\ndata: .*\n\nid: 00000000002\ndata: .*\n\n$/);
});

test("disconnects a caller that reads nothing, and reads no further events for it", async () => {
  let produced = 0;
  let isEnded = false;
  async function* follow(): AsyncGenerator<FollowedEvents, void> {
    try {
      for (;;) {
        produced++;
        yield { events: [event(produced, 50_000)], position: produced };
      }
    } finally {
      isEnded = true;
    }
  }
  const clock = TestClock.stopped();
  const stream = openEventStream(nothing, follow(), { ...createOptions(), clock, patienceMs: 10_000 });
  const reader = stream.getReader();
  await reader.read();
  await clock.advance(9500);
  expect(isEnded).toBe(false);
  await clock.advance(1500);
  expect(isEnded).toBe(true);
  expect(produced).toBeLessThan(10);
  // The caller notices.
  const rest = async () => {
    while (!(await reader.read()).done);
  };
  expect(await rest().catch(() => "cut off")).toBe("cut off");
});

test("ends when the caller may no longer follow, also while it reads nothing", async () => {
  let isAdmitted = true;
  let isEnded = false;
  async function* follow(): AsyncGenerator<FollowedEvents, void> {
    try {
      for (let i = 1; ; i++) yield { events: [event(i, 100_000)], position: i };
    } finally {
      isEnded = true;
    }
  }
  const clock = TestClock.stopped();
  openEventStream(nothing, follow(), { ...createOptions(), clock, isAdmitted: () => isAdmitted });
  await clock.advance(1000);
  expect(isEnded).toBe(false);
  isAdmitted = false;
  await clock.advance(500);
  expect(isEnded).toBe(true);
});

test("sends no event that comes after the caller may no longer follow", async () => {
  let isAdmitted = true;
  async function* follow(): AsyncGenerator<FollowedEvents, void> {
    yield { events: [event(6)], position: 6 };
    isAdmitted = false;
    yield { events: [event(7)], position: 7 };
  }
  const options = { ...createOptions(), isAdmitted: () => isAdmitted };
  const text = await readText(openEventStream(nothing, follow(), options), () => false);
  expect(text.match(/^id: .*/gm)).toEqual(["id: 00000000005", "id: 00000000006"]);
});

test("ends if the events cannot be read", async () => {
  async function* follow(): AsyncGenerator<FollowedEvents, void> {
    yield nothing;
    throw new Error("The database is unavailable.");
  }
  expect(await readText(openEventStream(nothing, follow(), createOptions()), () => false)).toStartWith(
    "retry:",
  );
});
