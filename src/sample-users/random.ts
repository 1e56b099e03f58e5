/**
 * Deterministic pseudorandom numbers (sfc32). Each pair of seed and stream number has its own sequence, so a user does
 * not depend on the users before it.
 */
export class Random {
  #a = 0;
  #b = 0;
  #c = 0;
  #counter = 1;

  /** Starts the sequence of a stream. */
  begin(seed: number, stream: number): this {
    this.#a = seed >>> 0;
    this.#b = stream >>> 0;
    // A stream number may exceed 32 bits.
    this.#c = (0x9e3779b9 ^ Math.floor(stream / 2 ** 32)) >>> 0;
    this.#counter = 1;
    // Sequences of adjacent streams start alike: mix them first.
    for (let i = 0; i < 12; i++) this.next();
    return this;
  }

  /** From 0 to 2³² - 1. */
  next(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    return sum >>> 0;
  }

  /** From 0 to `limit` - 1. */
  below(limit: number): number {
    return Math.floor((this.next() / 2 ** 32) * limit);
  }

  /** True with this probability. */
  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[this.below(choices.length)] ?? choices[0];
  }
}
