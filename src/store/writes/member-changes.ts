import { membershipLimits } from "../../contract/groups/group.ts";
import type { Origin } from "../../domain/caller.ts";
import { groupTerms, parseGroup } from "../../domain/groups/group.ts";
import type { Steps } from "../../domain/scheduling/steps.ts";
import { changeGroup } from "./change-group.ts";
import type { GroupRow, WriteTransaction } from "./write-transaction.ts";

interface Change {
  readonly added: number[];
  readonly removed: number[];
}

/**
 * The members that one write adds and removes, whatever it does besides. When the write is done, each group gets its next version, its
 * number of members, and an event: one for each 1,000 changes.
 */
export class MemberChanges {
  readonly #transaction: WriteTransaction;
  readonly #by: Origin;
  readonly #groups = new Map<number, Change>();

  constructor(transaction: WriteTransaction, by: Origin) {
    this.#transaction = transaction;
    this.#by = by;
  }

  /** Returns whether the user was not a member before. The user and the group exist. */
  add(groupId: number, userId: number): boolean {
    const { memberships } = this.#transaction;
    if (memberships.has(groupId, userId)) return false;
    memberships.add(groupId, userId);
    this.#of(groupId).added.push(userId);
    return true;
  }

  /** Returns whether the user was a member. */
  remove(groupId: number, userId: number): boolean {
    const { memberships } = this.#transaction;
    if (!memberships.has(groupId, userId)) return false;
    memberships.remove(groupId, userId);
    this.#of(groupId).removed.push(userId);
    return true;
  }

  /**
   * Removes a user from all groups that exist, and returns these. The rows of other groups stay for `removeLeftMemberships`, which
   * would otherwise remove the same rows at the same time, in another order.
   */
  removeFromAll(userId: number): number[] {
    const { groups, memberships } = this.#transaction;
    const existing = memberships.groupsOf(userId).filter((groupId) => groups.read(groupId));
    for (const groupId of existing) this.remove(groupId, userId);
    return existing;
  }

  /** Makes a user a member of those of the groups that exist. */
  addToAll(groupIds: readonly number[], userId: number): void {
    for (const groupId of groupIds) if (this.#transaction.groups.read(groupId)) this.add(groupId, userId);
  }

  /** Writes the groups and the events of the changes since the last call. */
  *record(): Steps<void> {
    for (const [groupId, change] of this.#groups) {
      const row = this.#transaction.groups.read(groupId);
      if (row) yield* this.#recordGroup(row, change);
      yield;
    }
    this.#groups.clear();
  }

  *#recordGroup(row: GroupRow, { added, removed }: Change): Steps<void> {
    const transaction = this.#transaction;
    const { record } = parseGroup(row.json);
    const terms = groupTerms(record);
    let current = row;
    for (let first = 0; first < added.length + removed.length; first += membershipLimits.changesPerEvent) {
      if (first > 0) yield;
      const last = first + membershipLimits.changesPerEvent;
      const members = {
        added: added.slice(first, last),
        removed: removed.slice(Math.max(0, first - added.length), Math.max(0, last - added.length)),
      };
      const memberCount = current.memberCount + members.added.length - members.removed.length;
      current = changeGroup(transaction, current, record, memberCount, this.#by).row;
      const { id, version, json } = current;
      const changes = JSON.stringify({ members });
      const type = "group.members_changed";
      transaction.record({ type, subjectId: id, version, by: this.#by, changes, record: json });
    }
    transaction.groups.update({ row, terms }, { row: current, terms });
  }

  #of(groupId: number): Change {
    const known = this.#groups.get(groupId);
    if (known) return known;
    const change: Change = { added: [], removed: [] };
    this.#groups.set(groupId, change);
    return change;
  }
}
