/** Random numbers that depend only on the seed (the sfc32 generator). */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: string) {
    [this.#a, this.#b, this.#c] = [hash(seed, 0x9e3779b9), hash(seed, 0x85ebca6b), hash(seed, 0xc2b2ae35)];
    for (let round = 0; round < 12; round++) this.#next();
  }

  #next(): number {
    const result = (this.#a + this.#b + this.#counter++) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + result;
    return result >>> 0;
  }

  /** A whole number from 0 to `count` − 1. */
  below(count: number): number {
    return Math.floor((this.#next() / 2 ** 32) * count);
  }

  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  chance(probability: number): boolean {
    return this.#next() / 2 ** 32 < probability;
  }

  pick<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[this.below(items.length)] ?? items[0];
  }

  /** Picks a key with a probability in proportion to its weight. */
  weighted<Key extends string>(weights: Readonly<Record<Key, number>>): Key {
    const entries = Object.entries<number>(weights);
    let rest = this.below(entries.reduce((sum, [, weight]) => sum + weight, 0));
    for (const key in weights) {
      rest -= weights[key];
      if (rest < 0) return key;
    }
    throw new Error("The weights are empty.");
  }

  /** Up to `most` results of `create`, at least `least`. */
  several<Item>(least: number, most: number, create: () => Item): Item[] {
    return Array.from({ length: this.between(least, most) }, create);
  }
}

/** FNV-1a, from a start of its own. */
function hash(text: string, start: number): number {
  let value = start;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return value | 0;
}
