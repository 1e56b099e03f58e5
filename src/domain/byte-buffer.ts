/**
 * Bytes that have come so far, in one piece of memory, and not one for each piece that came: of pieces of one byte, those
 * took a hundred times as much.
 */
export class ByteBuffer {
  #memory = new Uint8Array();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** They are no longer these after the next `add`. */
  get bytes(): Uint8Array {
    return this.#memory.subarray(0, this.#length);
  }

  add(bytes: Uint8Array): void {
    const length = this.#length + bytes.length;
    if (length > this.#memory.length) {
      const memory = new Uint8Array(Math.max(length, 2 * this.#memory.length));
      memory.set(this.bytes);
      this.#memory = memory;
    }
    this.#memory.set(bytes, this.#length);
    this.#length = length;
  }

  clear(): void {
    this.#length = 0;
  }
}
