/** Records that a batch changed. */
export interface ChangedRecords<Indexed> {
  readonly removed: readonly Indexed[];
  readonly updated: readonly { readonly before: Indexed; readonly after: Indexed }[];
  readonly inserted: readonly Indexed[];
}

interface Entry<Indexed> {
  /** The record in the database; undefined if it does not exist there. */
  readonly before: Indexed | undefined;
  /** The record after the batch; undefined if the batch removed it. */
  readonly after: Indexed | undefined;
}

/** The records that the writes of a batch change, each before and after the batch. */
export class BatchEntries<Indexed> {
  readonly #entries = new Map<number, Entry<Indexed>>();

  get size(): number {
    return this.#entries.size;
  }

  /** A write changes a record. */
  set(id: number, before: Indexed | undefined, after: Indexed | undefined): void {
    const earlier = this.#entries.get(id);
    this.#entries.set(id, { before: earlier ? earlier.before : before, after });
  }

  [Symbol.iterator](): IterableIterator<[id: number, entry: Entry<Indexed>]> {
    return this.#entries.entries();
  }

  changes(): ChangedRecords<Indexed> {
    const removed: Indexed[] = [];
    const updated: { before: Indexed; after: Indexed }[] = [];
    const inserted: Indexed[] = [];
    for (const { before, after } of this.#entries.values()) {
      if (before && after) updated.push({ before, after });
      else if (before) removed.push(before);
      else if (after) inserted.push(after);
    }
    return { removed, updated, inserted };
  }
}
