const SETS = 1024;

/** A set of ids of users that were given. Many small sets: to grow a set of 100,000 entries would hold the event loop for too long. */
export class IdSet {
  readonly #sets: (Set<number> | undefined)[] = [];

  add(id: number): void {
    const set = this.#sets[id % SETS];
    if (set) set.add(id);
    else this.#sets[id % SETS] = new Set([id]);
  }

  /** Returns whether the set had the id. */
  delete(id: number): boolean {
    return this.#sets[id % SETS]?.delete(id) ?? false;
  }

  *[Symbol.iterator](): Generator<number> {
    for (const set of this.#sets) if (set) yield* set;
  }
}
