/** Numbers that look random, and are the same for the same seed. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
    // Neighbouring seeds begin with similar numbers.
    for (let i = 0; i < 4; i++) this.next();
  }

  /** At least 0, and less than 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** At least `from`, and less than `to`. */
  between(from: number, to: number): number {
    return from + this.next() * (to - from);
  }

  /** At least 0, and less than `end`. */
  integer(end: number): number {
    return Math.floor(this.next() * end);
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.integer(items.length)];
    if (item === undefined) throw new Error("There is nothing to pick from.");
    return item;
  }

  /** Numbers of their own, for a part whose use of them must not change those of others. */
  fork(): Random {
    return new Random(this.integer(2 ** 32));
  }
}
