/** Bytes that arrive in pieces, in one growing array. The pieces of a slow body would take a hundred times the memory. */
export class ByteBuffer {
  #memory = new Uint8Array();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** A view that is valid until the next `add`. */
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
