import type { Membership } from "../../domain/groups/group-store.ts";
import { BatchEntries, type ChangedRecords } from "./batch-entries.ts";
import { OutOfIdsError } from "./out-of-ids-error.ts";
import { StaleLookupError } from "./stale-lookup-error.ts";
import type { GroupRow, GroupTransaction, IndexedGroup } from "./write-transaction.ts";

/** What a batch reads of groups before its writes are applied. */
export interface GroupLookup {
  /** The groups to change, locked for this transaction. */
  readonly rows: readonly GroupRow[];
  /** The requested names that are already in use, folded, with the ids of their groups. */
  readonly names: ReadonlyMap<string, number>;
  /** New ids, one per create that can succeed. */
  readonly ids: readonly number[];
  /** The number of all creates. More of them succeed if an earlier write frees their name. */
  readonly maxCreates: number;
  /** The users to add, as far as they exist: they stay until the end of this transaction. */
  readonly userIds: readonly number[];
  readonly memberships: readonly Membership[];
}

/** The combined changes of a batch. Each group appears once. */
export type GroupChanges = ChangedRecords<IndexedGroup>;

export const noGroups: GroupLookup = {
  rows: [],
  names: new Map(),
  ids: [],
  maxCreates: 0,
  userIds: [],
  memberships: [],
};

/** The groups of a batch, in memory. */
export class InMemoryGroups implements GroupTransaction {
  readonly #rows: Map<number, GroupRow>;
  readonly #names: Map<string, number>;
  readonly #ids: readonly number[];
  readonly #treatAsTaken: boolean;
  readonly #entries = new BatchEntries<IndexedGroup>();
  #usedIds = 0;

  /** `treatAsTaken` is that of the batch. */
  constructor({ rows, names, ids }: GroupLookup, treatAsTaken: boolean) {
    this.#rows = new Map(rows.map((row) => [row.id, row]));
    this.#names = new Map(names);
    this.#ids = ids;
    this.#treatAsTaken = treatAsTaken;
  }

  get nextId(): number {
    const id = this.#ids[this.#usedIds];
    if (id === undefined) throw new OutOfIdsError();
    return id;
  }

  read(id: number): GroupRow | undefined {
    return this.#rows.get(id);
  }

  findByName(uniqueName: string): GroupRow | undefined {
    const id = this.#names.get(uniqueName);
    if (id === undefined) return undefined;
    const row = this.#rows.get(id);
    if (!row) throw new StaleLookupError();
    return row;
  }

  insert(group: IndexedGroup): boolean {
    if (!this.#isFree(group)) return false;
    this.#usedIds++;
    this.#set(group.row.id, undefined, group);
    return true;
  }

  update(before: IndexedGroup, after: IndexedGroup): boolean {
    if (after.terms.uniqueName !== before.terms.uniqueName && !this.#isFree(after)) return false;
    this.#set(after.row.id, before, after);
    return true;
  }

  remove(group: IndexedGroup): void {
    this.#set(group.row.id, group, undefined);
  }

  changes(): GroupChanges {
    return this.#entries.changes();
  }

  #isFree({ terms: { uniqueName } }: IndexedGroup): boolean {
    return !this.#treatAsTaken && !this.#names.has(uniqueName);
  }

  #set(id: number, before: IndexedGroup | undefined, after: IndexedGroup | undefined): void {
    if (before) this.#names.delete(before.terms.uniqueName);
    if (after) this.#names.set(after.terms.uniqueName, id);
    this.#entries.set(id, before, after);
    if (after) this.#rows.set(id, after.row);
    else this.#rows.delete(id);
  }
}
