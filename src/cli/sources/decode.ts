import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";

/** The start of the source that `sniff` reads. */
const HEAD_BYTES = 512;

export interface Decoded {
  /** UTF-8, without a byte order mark. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** The beginning of the text. */
  readonly head: string;
}

/** Decompresses gzip, and converts UTF-16 with a byte order mark to UTF-8. */
export async function decodeSource(source: AsyncIterable<Uint8Array>): Promise<Decoded> {
  const { head, bytes } = await peek(source);
  if (head[0] === 0x1f && head[1] === 0x8b) return await decodeSource(gunzip(bytes));
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)) {
    const encoding = head[0] === 0xff ? "utf-16le" : "utf-16be";
    return await decodeSource(fromUtf16(bytes, encoding));
  }
  const hasMark = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf;
  const text = new TextDecoder().decode(head);
  return { bytes: hasMark ? skip(bytes, 3) : bytes, head: text };
}

/** Reads the first bytes, and returns all of them again. */
async function peek(source: AsyncIterable<Uint8Array>) {
  const parts = source[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  let size = 0;
  while (size < HEAD_BYTES) {
    const { done, value } = await parts.next();
    if (done) break;
    first.push(value);
    size += value.length;
  }
  async function* all(): AsyncGenerator<Uint8Array, void> {
    try {
      yield* first;
      for (let part = await parts.next(); !part.done; part = await parts.next()) yield part.value;
    } finally {
      await parts.return?.();
    }
  }
  return { head: Buffer.concat(first).subarray(0, HEAD_BYTES), bytes: all() };
}

function gunzip(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  // Errors reach the reader of the result.
  return pipeline(Readable.from(bytes), createGunzip(), () => undefined);
}

async function* fromUtf16(
  bytes: AsyncIterable<Uint8Array>,
  encoding: "utf-16le" | "utf-16be",
): AsyncGenerator<Uint8Array, void> {
  // Removes the byte order mark, too.
  const decoder = new TextDecoder(encoding);
  const encoder = new TextEncoder();
  for await (const part of bytes) yield encoder.encode(decoder.decode(part, { stream: true }));
  yield encoder.encode(decoder.decode());
}

async function* skip(bytes: AsyncIterable<Uint8Array>, count: number): AsyncGenerator<Uint8Array, void> {
  let left = count;
  for await (const part of bytes) {
    const skipped = Math.min(left, part.length);
    left -= skipped;
    yield part.subarray(skipped);
  }
}
