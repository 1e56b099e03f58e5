import type { Membership } from "../../domain/groups/group-store.ts";
import type { MembershipTransaction } from "./write-transaction.ts";

/** The combined changes of a batch. */
export interface MembershipChanges {
  readonly removed: readonly Membership[];
  readonly added: readonly Membership[];
}

/** The memberships of a batch, in memory. */
export class InMemoryMemberships implements MembershipTransaction {
  /** The groups of each user, as far as the batch needs them. */
  readonly #groups = new Map<number, Set<number>>();
  /** Memberships that have changed: whether the database has them. */
  readonly #changed = new Map<string, Membership & { readonly isStored: boolean }>();

  /** All memberships in the database that the writes may change. */
  constructor(stored: readonly Membership[]) {
    for (const { groupId, userId } of stored) this.#of(userId).add(groupId);
  }

  has(groupId: number, userId: number): boolean {
    return this.#groups.get(userId)?.has(groupId) ?? false;
  }

  add(groupId: number, userId: number): void {
    this.#note(groupId, userId);
    this.#of(userId).add(groupId);
  }

  remove(groupId: number, userId: number): void {
    this.#note(groupId, userId);
    this.#of(userId).delete(groupId);
  }

  groupsOf(userId: number): readonly number[] {
    return [...(this.#groups.get(userId) ?? [])].sort((a, b) => a - b);
  }

  /** `hasGroup` says whether there is such a group after the batch: nobody is added to others. */
  changes(hasGroup: (groupId: number) => boolean): MembershipChanges {
    const changed = [...this.#changed.values()].filter(
      ({ groupId, userId, isStored }) => isStored !== this.has(groupId, userId),
    );
    return {
      removed: changed.filter(({ isStored }) => isStored),
      added: changed.filter(({ groupId, isStored }) => !isStored && hasGroup(groupId)),
    };
  }

  /** Before the first change of a membership in this batch. */
  #note(groupId: number, userId: number): void {
    const key = `${groupId} ${userId}`;
    if (!this.#changed.has(key)) {
      this.#changed.set(key, { groupId, userId, isStored: this.has(groupId, userId) });
    }
  }

  #of(userId: number): Set<number> {
    const known = this.#groups.get(userId);
    if (known) return known;
    const groups = new Set<number>();
    this.#groups.set(userId, groups);
    return groups;
  }
}
