import { describe, expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { chooseStreamCoding, compressStream } from "../../src/http/compression/compress-stream.ts";

const decoders = { br: brotliDecompressSync, gzip: gunzipSync, zstd: zstdDecompressSync } as const;

/** In fewer turns, a stream that takes parts early takes the next one. */
const EVENT_LOOP_TURNS = 100;

describe.each(["br", "gzip", "zstd"] as const)("a stream of %s", (coding) => {
  test("sends each part at once, even a single byte", async () => {
    let taken = 0;
    const parts = (async function* () {
      for (const byte of Buffer.from("roster")) {
        taken++;
        yield Uint8Array.of(byte);
      }
    })();
    const takenAtOutput: number[] = [];
    const output: Uint8Array[] = [];
    for await (const bytes of compressStream(parts, coding)) {
      takenAtOutput.push(taken);
      output.push(bytes);
    }
    expect(takenAtOutput.slice(0, 6)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(decoders[coding](Buffer.concat(output)).toString()).toBe("roster");
  });

  test("takes the next part only when the consumer has read the output of the last one", async () => {
    let taken = 0;
    const parts = (async function* () {
      for (; taken < 100; ) {
        taken++;
        yield crypto.getRandomValues(Buffer.alloc(60_000));
      }
    })();
    const stream = compressStream(parts, coding);
    await stream.next();
    for (let turn = 0; turn < EVENT_LOOP_TURNS; turn++) await new Promise(setImmediate);
    expect(taken).toBe(1);
    await stream.return();
    expect(taken).toBe(1);
  });

  test("ends its source when the consumer stops", async () => {
    let ended = false;
    const parts = (async function* () {
      try {
        for (;;) yield Buffer.from("part");
      } finally {
        ended = true;
      }
    })();
    for await (const _ of compressStream(parts, coding)) break;
    expect(ended).toBe(true);
  });

  test("fails with the error of its source", async () => {
    const parts = (async function* () {
      yield Buffer.from("part");
      throw new Error("the database is gone");
    })();
    const read = async () => {
      for await (const _ of compressStream(parts, coding));
    };
    await expect(read()).rejects.toThrow("the database is gone");
  });
});

test("a stream is compressed whatever its size, and only if the caller accepts that", () => {
  const coding = (header?: string) =>
    chooseStreamCoding(new Request("http://x/", header ? { headers: { "accept-encoding": header } } : {}));
  expect(coding("gzip, deflate, br, zstd")).toBe("zstd");
  expect(coding("gzip, deflate")).toBe("gzip");
  expect(coding("deflate")).toBeUndefined();
  expect(coding()).toBeUndefined();
});
