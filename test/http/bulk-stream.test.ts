import { expect, test } from "bun:test";
import { runningTime } from "../../src/domain/running-time.ts";
import { BulkStream } from "../../src/http/bulk/bulk-stream.ts";
import { FrozenClock } from "../support/frozen-clock.ts";

const PATIENCE_MS = 1000;
const PIECE_BYTES = 65_536;

/** Lets a caller read a piece in this time, again and again. Returns after how many the caller is too slow. */
function readSlowly(secondsPerPiece: number, pieces: number): number | undefined {
  using clock = new FrozenClock();
  const stream = new BulkStream("key", PATIENCE_MS, () => undefined);
  for (let piece = 1; piece <= pieces; piece++) {
    stream.waitForReader(5 * PIECE_BYTES, () => undefined);
    // In short steps: a longer one would count as a suspension of the process.
    for (let elapsed = 0; elapsed < secondsPerPiece; elapsed += 0.5) {
      clock.advance(0.5);
      runningTime();
    }
    if (stream.isTooSlow(runningTime())) return piece;
    stream.endReaderWait(PIECE_BYTES);
  }
  return undefined;
}

test("a caller that reads less than 4 KiB per second is too slow in the end, and a faster one is not", () => {
  expect(readSlowly(15, 500)).toBeUndefined();
  // A piece in 20 s instead of 16 s: the 81 s that the caller may be late are used up by and by.
  expect(readSlowly(20, 500)).toBe(17);
  expect(readSlowly(100, 500)).toBe(1);
});

test("a caller that sends less than 64 bytes per second is too slow", async () => {
  const stream = new BulkStream("key", PATIENCE_MS, () => undefined);
  const waiting = stream.receive(new Promise<{ value?: Uint8Array }>(() => undefined));
  waiting.catch(() => undefined);
  expect(stream.isTooSlow(runningTime() + PATIENCE_MS - 100)).toBe(false);
  expect(stream.isTooSlow(runningTime() + PATIENCE_MS + 100)).toBe(true);
  stream.end();
});
