/**
 * A queue in which owners take turns: what one owner adds waits behind each other, and not in front of what others add. Items differ
 * from each other.
 */
export class FairQueue<Item> {
  /** The items of each owner, in order. The owner whose turn is next comes first. */
  readonly #items = new Map<string, Set<Item>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(owner: string, item: Item): void {
    const items = this.#items.get(owner);
    if (items) items.add(item);
    else this.#items.set(owner, new Set([item]));
    this.#size++;
  }

  /** Removes and returns the next item. Undefined if the queue is empty. */
  take(): Item | undefined {
    for (const [owner, items] of this.#items) {
      for (const item of items) {
        this.delete(owner, item);
        // The others are next.
        if (this.#items.delete(owner)) this.#items.set(owner, items);
        return item;
      }
    }
    return undefined;
  }

  /**
   * Makes room for one more item of this owner: removes and returns the last item of the owner that has most. Undefined if that one
   * would then have fewer items than this owner.
   */
  displace(owner: string): Item | undefined {
    let [longest, most] = [owner, (this.#items.get(owner)?.size ?? 0) + 1];
    for (const [other, { size }] of this.#items) if (size > most) [longest, most] = [other, size];
    const last = longest === owner ? undefined : [...(this.#items.get(longest) ?? [])].at(-1);
    if (last !== undefined) this.delete(longest, last);
    return last;
  }

  /** Removes an item. Returns false if it is no longer in the queue. */
  delete(owner: string, item: Item): boolean {
    const items = this.#items.get(owner);
    if (!items?.delete(item)) return false;
    if (items.size === 0) this.#items.delete(owner);
    this.#size--;
    return true;
  }

  /** Removes and returns all items. */
  takeAll(): Item[] {
    const all = [...this.#items.values()].flatMap((items) => [...items]);
    this.#items.clear();
    this.#size = 0;
    return all;
  }
}
