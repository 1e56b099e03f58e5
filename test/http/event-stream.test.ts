import { afterEach, expect, jest, test } from "bun:test";
import type { FollowedEvents } from "../../src/domain/events/event-feed.ts";
import { openEventStream } from "../../src/http/events/event-stream.ts";
import { until } from "../support/until.ts";

const event = (position: number, characters = 10) => ({
  position,
  type: "user.created",
  subjectId: 1,
  actor: null,
  json: JSON.stringify({ id: position, text: "x".repeat(characters) }),
});
const nothing: FollowedEvents = { events: [], position: 5 };
/** A caller that has this much to read gets nothing more until it reads. */
const MAX_UNREAD_BYTES = 65_536;
const options = { isAdmitted: () => true, patienceMs: 60_000 };

async function readText(stream: ReadableStream<Uint8Array>, isDone: (text: string) => boolean) {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    if (isDone(text)) break;
  }
  return text;
}

afterEach(() => void jest.useRealTimers());

test("sends a comment and the current id if nothing happens for some time", async () => {
  jest.useFakeTimers();
  const POLL_MS = 5;
  let polls = 0;
  async function* follow(): AsyncGenerator<FollowedEvents, void> {
    for (;;) {
      jest.advanceTimersByTime(POLL_MS);
      polls++;
      yield nothing;
    }
  }
  const stream = openEventStream(nothing, follow(), { ...options, heartbeatMs: 20 });
  const heartbeat = ": heartbeat\nid: 00000000005\n\n";
  const text = await readText(stream, (read) => read.split(": heartbeat").length > 3);
  expect(text).toBe(`retry: 1000\nid: 00000000005\n\n${heartbeat.repeat(3)}`);
  expect(polls).toBeGreaterThanOrEqual((3 * 20) / POLL_MS);
});

test("does not send an id before the events of the first page", async () => {
  async function* follow(): AsyncGenerator<FollowedEvents, void> {}
  const first = { events: [event(1), event(2)], position: 2 };
  const text = await readText(openEventStream(first, follow(), options), () => false);
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
  const stream = openEventStream(nothing, follow(), { ...options, patienceMs: 100 });
  const reader = stream.getReader();
  await reader.read();
  await until(() => isEnded);
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
  let produced = 0;
  async function* follow(): AsyncGenerator<FollowedEvents, void> {
    try {
      for (;;) {
        produced++;
        yield { events: [event(produced, 2 * MAX_UNREAD_BYTES)], position: produced };
      }
    } finally {
      isEnded = true;
    }
  }
  openEventStream(nothing, follow(), { ...options, isAdmitted: () => isAdmitted });
  await until(() => produced > 0);
  isAdmitted = false;
  await until(() => isEnded);
});

test("ends if the events cannot be read", async () => {
  async function* follow(): AsyncGenerator<FollowedEvents, void> {
    yield nothing;
    throw new Error("The database is unavailable.");
  }
  expect(await readText(openEventStream(nothing, follow(), options), () => false)).toStartWith("retry:");
});
