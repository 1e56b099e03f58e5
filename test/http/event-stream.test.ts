import { describe, expect, test } from "bun:test";
import { anonymousOrigin } from "../../src/domain/caller.ts";
import { type FollowedEvents, Follower } from "../../src/domain/events/follower.ts";
import { openEventStream } from "../../src/http/events/event-stream.ts";
import { UnreadBytes } from "../../src/http/events/unread-bytes.ts";
import { FollowerMetrics } from "../../src/telemetry/follower-metrics.ts";
import { TestClock } from "../support/test-clock.ts";

const event = (position: number, characters = 10) => ({
  position,
  type: "user.created",
  subjectId: 1,
  actor: anonymousOrigin.actor,
  requestId: null,
  json: JSON.stringify({ id: position, text: "x".repeat(characters) }),
});
const nothing: FollowedEvents = { events: [], position: 5, purges: 0 };

/** A stream with a stopped clock, whose follower gets what the test gives it. */
function openStream({
  first = nothing,
  clock = TestClock.stopped(),
  metrics = new FollowerMetrics(),
  unread = new UnreadBytes(clock, metrics),
  isAdmitted = (): boolean => true,
  onRequest = (_: Follower): void => undefined,
  patienceMs = 60_000,
  purges = (): number => 0,
} = {}) {
  const state: { connection: "kept" | "closed" | undefined; requests: number } = {
    connection: undefined,
    requests: 0,
  };
  let isWaiting = false;
  const follower = new Follower({}, first, {
    request() {
      isWaiting = true;
      state.requests++;
      onRequest(follower);
    },
    withdraw() {
      const wasWaiting = isWaiting;
      isWaiting = false;
      return wasWaiting;
    },
    end: () => undefined,
  });
  // As the feed does.
  clock.every(250, () => follower.check());
  const stream = openEventStream(follower, {
    isAdmitted,
    patienceMs,
    purges,
    unread,
    metrics,
    clock,
    onEnd(connection) {
      state.connection = connection;
    },
  });
  return { stream, follower, clock, state };
}

async function readText(stream: ReadableStream<Uint8Array>, isDone: (text: string) => boolean) {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    if (isDone(text)) break;
  }
  return text;
}

/** Reads until the stream ends. Returns how it ended. */
async function readToEnd(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<"complete" | "cut off"> {
  try {
    while (!(await reader.read()).done);
    return "complete";
  } catch {
    return "cut off";
  }
}

test("sends a comment and the current id every 15 seconds if nothing happens", async () => {
  const { stream, clock } = openStream();
  const heartbeat = ": heartbeat\nid: 00000000005\n\n";
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
  const first = { events: [event(1), event(2)], position: 2, purges: 0 };
  const { stream } = openStream({ first, onRequest: (follower) => follower.end() });
  const text = await readText(stream, () => false);
  expect(text).toMatch(/^retry: 1000\n\nid: 00000000001\ndata: .*\n\nid: 00000000002\ndata: .*\n\n$/);
});

test("sends followers of the same events the same bytes", async () => {
  const batch = { events: [event(6), event(7)], position: 7, purges: 0 };
  const onRequest = (follower: Follower) => follower.give(batch);
  const readers = [openStream({ onRequest }), openStream({ onRequest })].map(({ stream }) =>
    stream.getReader(),
  );
  const buffers: unknown[] = [];
  for (const reader of readers) {
    await reader.read();
    buffers.push((await reader.read()).value);
  }
  expect(buffers[0]).toBeInstanceOf(Uint8Array);
  expect(buffers[0]).toBe(buffers[1]);
});

test("reads no further events for a caller that reads nothing, and closes its connection", async () => {
  const give = (follower: Follower) => follower.give({ events: [event(6, 50_000)], position: 6, purges: 0 });
  const { stream, follower, clock, state } = openStream({ onRequest: give, patienceMs: 10_000 });
  const reader = stream.getReader();
  await reader.read();
  await reader.read();
  await clock.advance(9500);
  expect(follower.isEnded).toBe(false);
  await clock.advance(1500);
  expect(follower.isEnded).toBe(true);
  expect(state).toEqual({ connection: "closed", requests: 1 });
  expect(await readToEnd(reader)).toBe("cut off");
});

test("frees the place of a caller that never reads anything", async () => {
  const { follower, clock, state } = openStream({ patienceMs: 10_000 });
  await clock.advance(11_000);
  expect([follower.isEnded, state.connection]).toEqual([true, "closed"]);
});

test("keeps the connection of a caller that has read everything and may no longer follow", async () => {
  let isAdmitted = true;
  const { stream, clock, state } = openStream({ isAdmitted: () => isAdmitted });
  const reader = stream.getReader();
  await reader.read();
  const ended = readToEnd(reader);
  await clock.advance(1000);
  expect(state.connection).toBeUndefined();
  isAdmitted = false;
  await clock.advance(500);
  expect(state.connection).toBe("kept");
  expect(await ended).toBe("complete");
});

test("closes the connection of a caller that reads nothing and may no longer follow", async () => {
  let isAdmitted = true;
  const { stream, clock, state } = openStream({ isAdmitted: () => isAdmitted });
  const reader = stream.getReader();
  await reader.read();
  isAdmitted = false;
  await clock.advance(500);
  expect(state.connection).toBe("closed");
  expect(await readToEnd(reader)).toBe("cut off");
});

test("goes on if the check of the caller fails, and decides at the next one", async () => {
  let check = (): boolean => true;
  const { stream, clock, state } = openStream({ isAdmitted: () => check() });
  const reader = stream.getReader();
  await reader.read();
  check = () => {
    throw new Error("The database cannot be read.");
  };
  await clock.advance(500);
  expect(state.connection).toBeUndefined();
  check = () => false;
  await clock.advance(500);
  expect(state.connection).toBe("closed");
});

test.each([
  ["kept", true],
  ["closed", false],
] as const)(
  "when the service stops, the connection is %s if 'the caller reads' is %p",
  async (connection, reads) => {
    const { stream, follower, clock, state } = openStream();
    const reader = stream.getReader();
    await reader.read();
    const ended = reads ? readToEnd(reader) : undefined;
    await clock.advance(0);
    // As the feed does.
    follower.end();
    follower.check();
    await (ended ?? readToEnd(reader));
    expect(state.connection).toBe(connection);
  },
);

test("frees the place of a caller that disconnects, also while there is no room for its bytes", async () => {
  const clock = TestClock.stopped();
  const unread = new UnreadBytes(clock, new FollowerMetrics(), 100);
  const others = openStream({ clock, unread, first: { events: [event(1, 80)], position: 1, purges: 0 } });
  const reader = others.stream.getReader();
  await reader.read();
  const { stream, follower, state } = openStream({ clock, unread });
  const waiting = stream.getReader();
  const reading = waiting.read();
  await clock.advance(0);
  await waiting.cancel();
  expect((await reading).done).toBe(true);
  expect([follower.isEnded, state.connection]).toEqual([true, undefined]);
});

describe("an event that had to wait for room", () => {
  /** Reads a stream to the end. There is no room for its first event until the test makes room. */
  async function readWithoutRoom(options: { isAdmitted?: () => boolean; purges?: () => number }) {
    const clock = TestClock.stopped();
    const unread = new UnreadBytes(clock, new FollowerMetrics(), 200);
    const first = { events: [event(1, 80)], position: 1, purges: 3 };
    const known = { purges: () => first.purges };
    const others = openStream({ ...known, clock, unread, first }).stream.getReader();
    await others.read();
    const { stream, follower, state } = openStream({ ...known, ...options, clock, unread, first });
    let text = "";
    const reading = readText(stream, (read) => {
      text = read;
      return false;
    });
    await clock.advance(250);
    expect(text).toBe("");
    const makeRoom = async () => {
      void others.read();
      await clock.advance(250);
      return text;
    };
    return { reading, makeRoom, clock, follower, state };
  }

  test("is sent then", async () => {
    const { makeRoom, follower } = await readWithoutRoom({});
    expect(await makeRoom()).toContain("id: 00000000001\ndata: ");
    expect(follower.isEnded).toBe(false);
  });

  test("is not sent to a caller that may no longer follow", async () => {
    let isAdmitted = true;
    const { reading, makeRoom, clock } = await readWithoutRoom({ isAdmitted: () => isAdmitted });
    isAdmitted = false;
    // It ends before there is room.
    await clock.advance(250);
    expect(await reading).toBe("");
    expect(await makeRoom()).toBe("");
  });

  test("is not sent if a purge erased data while the event waited: the stream ends, and the caller can resume", async () => {
    let purges = 3;
    const { reading, makeRoom, follower, state } = await readWithoutRoom({ purges: () => purges });
    purges++;
    expect(await makeRoom()).toBe("");
    expect([follower.isEnded, state.connection]).toEqual([true, "kept"]);
    expect(await reading).toBe("");
  });
});

test("sends no event that comes after the caller may no longer follow", async () => {
  let isAdmitted = true;
  const { stream } = openStream({
    isAdmitted: () => isAdmitted,
    onRequest(follower) {
      const position = follower.position + 1;
      isAdmitted = position < 7;
      follower.give({ events: [event(position)], position, purges: 0 });
    },
  });
  const text = await readText(stream, () => false);
  expect(text.match(/^id: .*/gm)).toEqual(["id: 00000000005", "id: 00000000006"]);
});

test("ends if the events cannot be read", async () => {
  const { stream, state } = openStream({
    onRequest: (follower) => follower.fail(new Error("The database is unavailable.")),
  });
  expect(await readText(stream, () => false)).toStartWith("retry:");
  expect(state.connection).toBe("kept");
});
