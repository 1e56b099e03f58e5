import { describe, expect, test } from "bun:test";
import { constants, zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { ZstdFrames } from "../../src/http/compression/zstd-frames.ts";

const areComplete = (...parts: Uint8Array[]) => {
  const frames = new ZstdFrames();
  for (const part of parts) frames.add(part);
  return frames.areComplete;
};

const settings = [
  {},
  { params: { [constants.ZSTD_c_checksumFlag]: 1 } },
  { params: { [constants.ZSTD_c_contentSizeFlag]: 0 } },
  { params: { [constants.ZSTD_c_contentSizeFlag]: 0, [constants.ZSTD_c_windowLog]: 10 } },
  { params: { [constants.ZSTD_c_compressionLevel]: 19 } },
];
const skippable = Uint8Array.of(0x53, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 9, 9);

describe("the frames of a Zstandard body", () => {
  test("are complete at the end of each frame, and nowhere else", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            content: fc.oneof(
              fc.uint8Array({ maxLength: 2000 }),
              fc.nat(400_000).map((length) => new Uint8Array(length)),
            ),
            options: fc.constantFrom(...settings),
          }),
          { minLength: 1, maxLength: 3 },
        ),
        fc.integer({ min: 1, max: 50 }),
        (contents, size) => {
          const compressed = contents.map(({ content, options }) => zstdCompressSync(content, options));
          const body = Buffer.concat([...compressed, skippable]);
          const ends = new Set<number>();
          let end = 0;
          for (const { length } of [...compressed, skippable]) {
            end += length;
            ends.add(end);
          }
          const frames = new ZstdFrames();
          for (let position = 0; position < body.length; position += size) {
            frames.add(body.subarray(position, position + size));
            expect(frames.areComplete).toBe(ends.has(Math.min(position + size, body.length)));
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  test("are never complete without a frame, or with text after the last one", () => {
    const frame = zstdCompressSync("text");
    expect(areComplete()).toBe(false);
    expect(areComplete(new Uint8Array())).toBe(false);
    expect(areComplete(Buffer.from("text"))).toBe(false);
    expect(areComplete(frame, Buffer.from("text"))).toBe(false);
    expect(areComplete(frame, Buffer.from("t"))).toBe(false);
    expect(areComplete(frame, Buffer.from("text"), frame)).toBe(false);
    expect(areComplete(skippable, frame)).toBe(true);
  });

  test("are read in time that grows with the size, whatever the bytes are", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5000 }), (bytes) => {
        areComplete(Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd), bytes);
      }),
    );
  });
});
