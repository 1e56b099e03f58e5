import { expect, test } from "bun:test";
import { Stream } from "../../src/http/streams/stream.ts";
import { TestClock } from "../support/test-clock.ts";

const PATIENCE_MS = 1000;
const PIECE_BYTES = 65_536;

/** Lets a caller read a piece in this time, again and again. Returns after how many the caller is too slow. */
async function readSlowly(secondsPerPiece: number, pieces: number): Promise<number | undefined> {
  const clock = TestClock.stopped();
  const stream = new Stream("key", PATIENCE_MS, clock, () => undefined);
  for (let piece = 1; piece <= pieces; piece++) {
    stream.waitForReader(5 * PIECE_BYTES, () => undefined);
    await clock.advance(secondsPerPiece * 1000);
    if (stream.isTooSlow(clock.running())) return piece;
    stream.endReaderWait(PIECE_BYTES);
  }
  return undefined;
}

test("a caller that reads less than 4 KiB per second is too slow in the end, and a faster one is not", async () => {
  expect(await readSlowly(15, 500)).toBeUndefined();
  // A piece in 20 s instead of 16 s: the 81 s that the caller may be late are used up by and by.
  expect(await readSlowly(20, 500)).toBe(17);
  expect(await readSlowly(100, 500)).toBe(1);
});

test("a caller that sends less than 64 bytes per second is too slow", async () => {
  const clock = TestClock.stopped();
  const stream = new Stream("key", PATIENCE_MS, clock, () => undefined);
  const waiting = stream.receive(new Promise<{ value?: Uint8Array }>(() => undefined));
  waiting.catch(() => undefined);
  await clock.advance(PATIENCE_MS - 1);
  expect(stream.isTooSlow(clock.running())).toBe(false);
  await clock.advance(2);
  expect(stream.isTooSlow(clock.running())).toBe(true);
  stream.end();
});

test("a caller that sends a little more than 64 bytes per second is not too slow", async () => {
  const clock = TestClock.stopped();
  const stream = new Stream("key", PATIENCE_MS, clock, () => undefined);
  for (let piece = 0; piece < 100; piece++) {
    const { promise, resolve } = Promise.withResolvers<{ value: Uint8Array }>();
    const receiving = stream.receive(promise);
    await clock.advance(900);
    expect(stream.isTooSlow(clock.running())).toBe(false);
    resolve({ value: new Uint8Array(65) });
    await receiving;
  }
  stream.end();
});
