/** Ids of one part: 8 KB. */
const PART = 1024;

/** Ids of which the number is known. */
export type Ids = Iterable<number> & { readonly length: number };

/**
 * A growing list of ids. A million ids take 8 MB outside of the heap: garbage collections do not look at them. The list grows by parts:
 * a larger copy would take milliseconds.
 */
export class IdList {
  readonly #parts: Float64Array[] = [];
  #last = new Float64Array(0);
  #length = 0;

  add(id: number): void {
    const index = this.#length++ % PART;
    if (index === 0) {
      this.#last = new Float64Array(PART);
      this.#parts.push(this.#last);
    }
    this.#last[index] = id;
  }

  get length(): number {
    return this.#length;
  }

  *[Symbol.iterator](): Generator<number, void> {
    for (let start = 0; start < this.#length; start += PART) {
      const part = this.#parts[start / PART] ?? [];
      const count = Math.min(PART, this.#length - start);
      for (let index = 0; index < count; index++) yield part[index] ?? 0;
    }
  }
}
