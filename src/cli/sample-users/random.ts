/**
 * Numbers that look random and are the same for the same seed and place: sfc32, small and quick. Each place has a
 * sequence of its own, so that what is made there does not depend on how many came before it.
 */
export class Random {
  #a = 0;
  #b = 0;
  #c = 0;
  #counter = 1;

  /** Begins the sequence of a place. */
  begin(seed: number, place: number): this {
    this.#a = seed >>> 0;
    this.#b = place >>> 0;
    // A place may be beyond 32 bits.
    this.#c = (0x9e3779b9 ^ Math.floor(place / 2 ** 32)) >>> 0;
    this.#counter = 1;
    // Neighbouring places begin alike, until they have been stirred.
    for (let i = 0; i < 12; i++) this.next();
    return this;
  }

  /** From 0 up to 2³². */
  next(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    return sum >>> 0;
  }

  /** From 0 up to, but without, `limit`. */
  below(limit: number): number {
    return Math.floor((this.next() / 2 ** 32) * limit);
  }

  /** True so many times in a hundred. */
  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[this.below(choices.length)] ?? choices[0];
  }
}
