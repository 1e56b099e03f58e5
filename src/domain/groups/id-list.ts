const FIRST_LENGTH = 1024;

/** A growing list of ids. A million ids take 8 MB outside of the heap: garbage collections do not look at them. */
export class IdList {
  #ids = new Float64Array(FIRST_LENGTH);
  #length = 0;

  add(id: number): void {
    if (this.#length === this.#ids.length) {
      const larger = new Float64Array(2 * this.#length);
      larger.set(this.#ids);
      this.#ids = larger;
    }
    this.#ids[this.#length++] = id;
  }

  get length(): number {
    return this.#length;
  }

  /** The ids so far, to read and to sort. */
  get values(): Float64Array<ArrayBuffer> {
    return this.#ids.subarray(0, this.#length);
  }

  [Symbol.iterator](): Iterator<number> {
    return this.values[Symbol.iterator]();
  }
}
