import { isUtf8 } from "node:buffer";
import { ProblemError } from "../problem-error.ts";

/** Checked at once, in microseconds. */
const BLOCK_BYTES = 8192;

/**
 * Splits a body into blocks of whole characters. At the first byte that is not UTF-8, yields the bytes before it and
 * then fails with `malformed-json`.
 */
export async function* splitUtf8(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let rest = new Uint8Array();
  for await (const chunk of body) {
    for (let start = 0; start < chunk.length; start += BLOCK_BYTES) {
      const block = chunk.subarray(start, start + BLOCK_BYTES);
      const bytes = rest.length > 0 ? Buffer.concat([rest, block]) : block;
      const characters = bytes.subarray(0, endOfLastCharacter(bytes));
      if (!isUtf8(characters)) {
        yield validStart(characters);
        throw notUtf8();
      }
      yield characters;
      rest = bytes.slice(characters.length);
    }
  }
  if (rest.length > 0) throw notUtf8();
}

function notUtf8(): ProblemError {
  return new ProblemError(
    "malformed-json",
    "The CSV is not encoded in UTF-8. Save it as CSV UTF-8 and send it again.",
  );
}

/** The index after the last complete character. */
function endOfLastCharacter(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return back < length ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** The complete characters before the first invalid byte, by binary search. */
function validStart(bytes: Uint8Array): Uint8Array {
  const upTo = (length: number) => bytes.subarray(0, endOfLastCharacter(bytes.subarray(0, length)));
  let valid = 0;
  let invalid = bytes.length;
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >> 1;
    if (isUtf8(upTo(middle))) valid = middle;
    else invalid = middle;
  }
  return upTo(valid);
}
