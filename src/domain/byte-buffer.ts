/** Bytes that arrive in pieces, in one growing array. The pieces of a slow body would take a hundred times the memory. */
export class ByteBuffer {
  #memory: Uint8Array;
  #length = 0;

  /** There is room for `capacity` bytes; more make room for themselves. */
  constructor(capacity = 0) {
    this.#memory = new Uint8Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  /** A view that is valid until the next `add`. */
  get bytes(): Uint8Array {
    return this.#memory.subarray(0, this.#length);
  }

  add(bytes: Uint8Array): void {
    const length = this.#length + bytes.length;
    if (length > this.#memory.length) this.#grow(length);
    this.#memory.set(bytes, this.#length);
    this.#length = length;
  }

  /** Adds a few bytes of many: a loop takes less time than a view of them. */
  addRange(bytes: Uint8Array, start: number, end: number): void {
    const length = this.#length + end - start;
    if (length > this.#memory.length) this.#grow(length);
    const memory = this.#memory;
    for (let from = start, to = this.#length; from < end; from++, to++) memory[to] = bytes[from] ?? 0;
    this.#length = length;
  }

  #grow(length: number): void {
    const memory = new Uint8Array(Math.max(length, 2 * this.#memory.length));
    memory.set(this.bytes);
    this.#memory = memory;
  }

  clear(): void {
    this.#length = 0;
  }
}
