import { ByteBuffer } from "../byte-buffer.ts";

const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;

/** Collects the first bytes of a CSV body until the header row is complete. */
export class HeaderBuffer {
  readonly #buffer = new ByteBuffer();
  #hasStarted = false;
  #isQuoted = false;
  #headerEnd: number | undefined;

  add(bytes: Uint8Array): void {
    const offset = this.#buffer.length;
    this.#buffer.add(bytes);
    for (let i = 0; i < bytes.length && this.#headerEnd === undefined; i++) {
      const byte = bytes[i];
      const isLineEnd = byte === LF || byte === CR;
      if (byte === QUOTE) this.#isQuoted = !this.#isQuoted;
      // Empty lines before the header are not part of it.
      else if (isLineEnd && this.#hasStarted && !this.#isQuoted) this.#headerEnd = offset + i;
      if (!isLineEnd) this.#hasStarted = true;
    }
  }

  /** Everything collected, which may include rows after the header. */
  get bytes(): Uint8Array {
    return this.#buffer.bytes;
  }

  get isComplete(): boolean {
    return this.#headerEnd !== undefined;
  }

  /** The header row, or as much of it as has arrived. */
  get header(): Uint8Array {
    return this.bytes.subarray(0, this.#headerEnd);
  }
}
