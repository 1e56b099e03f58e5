import { isUtf8 } from "node:buffer";
import { ProblemError } from "../problem-error.ts";

/** How much is handed on in one go: a hundred rows or so, which take a millisecond to make. */
const BLOCK = 8192;

/**
 * The same bytes in blocks that no character is cut by. Fails with `malformed-json` where they are no UTF-8, once all that
 * comes before has been handed on.
 */
export async function* splitUtf8(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let begun = new Uint8Array();
  for await (const chunk of body) {
    for (let start = 0; start < chunk.length; start += BLOCK) {
      const block = chunk.subarray(start, start + BLOCK);
      const bytes = begun.length > 0 ? Buffer.concat([begun, block]) : block;
      const whole = bytes.subarray(0, endOfCharacters(bytes));
      if (!isUtf8(whole)) {
        yield validPart(whole);
        throw notUtf8();
      }
      yield whole;
      begun = bytes.slice(whole.length);
    }
  }
  if (begun.length > 0) throw notUtf8();
}

function notUtf8(): ProblemError {
  return new ProblemError(
    "malformed-json",
    "The table is not in UTF-8: save it as CSV UTF-8, and send it again.",
  );
}

/** Where the last character ends that has not only begun. */
function endOfCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return back < length ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** As many whole characters as there are before the fault. */
function validPart(bytes: Uint8Array): Uint8Array {
  const upTo = (length: number) => bytes.subarray(0, endOfCharacters(bytes.subarray(0, length)));
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isUtf8(upTo(middle))) good = middle;
    else bad = middle;
  }
  return upTo(good);
}
