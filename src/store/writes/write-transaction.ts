import type { EventDraft } from "../../domain/events/event.ts";
import type { GroupTerms } from "../../domain/groups/group.ts";
import type { IdempotencyKey } from "../../domain/idempotency-key.ts";
import { rowKey } from "../../domain/lists/value-index.ts";
import type { RecordTerms, StoredRecord } from "../../domain/records/record.ts";
import type { IndexTerms } from "../../domain/users/user.ts";
import type { UniqueValue } from "../schema/unique-values.ts";
import type { StoredActor } from "../sql/stored-actor.ts";
import type { StoredOutcome } from "./stored-outcome.ts";

/** A record as stored. */
interface RecordRow extends StoredRecord {
  readonly updatedAt: number;
  readonly changedBy: StoredActor;
}

/** A user as stored. */
export interface UserRow extends RecordRow {
  /** The folded `userName`; null without one. */
  readonly userNameKey: string | null;
}

/** A deleted user that is kept. Its JSON has the member deletedAt. */
export interface DeletedUser extends StoredRecord {
  /** Milliseconds since 1970. */
  readonly deletedAt: number;
  /** The groups that the user was a member of. */
  readonly groups: readonly number[];
}

/** A user and its index terms. */
export interface IndexedUser {
  readonly row: UserRow;
  readonly terms: IndexTerms;
}

/** A user that was created earlier, at this time. */
export interface DatedUser extends IndexedUser {
  readonly createdAt: number;
}

/** A group as stored. */
export interface GroupRow extends RecordRow {
  readonly memberCount: number;
}

/** A group and its index terms. */
export interface IndexedGroup {
  readonly row: GroupRow;
  readonly terms: GroupTerms;
}

/** A group that was created earlier, at this time. */
export interface DatedGroup extends IndexedGroup {
  readonly createdAt: number;
}

/** The groups, inside the transaction of a write. */
export interface GroupTransaction {
  /** Id of the next group. Only `insert` uses it up. */
  readonly nextId: number;
  read(id: number): GroupRow | undefined;
  /** The group with this folded name. */
  findByName(uniqueName: string): GroupRow | undefined;
  /** Returns false and inserts nothing if the name is already in use. */
  insert(group: IndexedGroup): boolean;
  /** Returns false and changes nothing if the name is already in use. */
  update(before: IndexedGroup, after: IndexedGroup): boolean;
  remove(group: IndexedGroup): void;
}

/** Who belongs to which group, inside the transaction of a write. */
export interface MembershipTransaction {
  has(groupId: number, userId: number): boolean;
  add(groupId: number, userId: number): void;
  remove(groupId: number, userId: number): void;
  /** The groups of a user, in the order of their ids. Some of them may not exist any more. */
  groupsOf(userId: number): readonly number[];
}

/** What a write needs from an engine, inside one transaction. */
export interface WriteTransaction {
  readonly groups: GroupTransaction;
  readonly memberships: MembershipTransaction;
  /** Time of the transaction, in milliseconds and as ISO 8601. */
  readonly now: number;
  readonly nowText: string;
  /** Id of the next user. Only `insert` uses it up. */
  readonly nextId: number;
  read(id: number): UserRow | undefined;
  /** Whether there is a user with this id. */
  hasUser(id: number): boolean;
  /** The user with this folded email. */
  findByEmail(emailKey: string): UserRow | undefined;
  /** The user with this value of a unique field, or with this user name. */
  findByValue(value: UniqueValue): UserRow | undefined;
  /** Returns false and inserts nothing if the email is already in use. Fails with `value-taken`. */
  insert(user: IndexedUser): boolean;
  /** Returns false and changes nothing if the email is already in use. Fails with `value-taken`. */
  update(before: IndexedUser, after: IndexedUser): boolean;
  remove(user: IndexedUser): void;
  /** Keeps a user that was removed. */
  keepDeleted(user: DeletedUser): void;
  readDeleted(id: number): DeletedUser | undefined;
  /** Makes a deleted user a user again. Returns false and changes nothing if the email is already in use. */
  restore(user: IndexedUser, createdAt: number): boolean;
  /** Erases a removed user everywhere: the kept user, and the personal data in its events and stored outcomes. */
  erase(id: number): void;
  /** Appends an event to the feed. */
  record(event: EventDraft): void;
  findOutcome(idempotencyKey: IdempotencyKey): StoredOutcome | undefined;
  saveOutcome(idempotencyKey: IdempotencyKey, stored: StoredOutcome): void;
}

/** The times of a record never decrease, even if the clock is set back. */
export function timeAfter(
  { now, nowText }: Pick<WriteTransaction, "now" | "nowText">,
  earlier: number,
): { time: number; text: string } {
  return now >= earlier
    ? { time: now, text: nowText }
    : { time: earlier, text: new Date(earlier).toISOString() };
}

/** The indexed values of custom fields that `terms` has and `other` does not. */
export function valuesNotIn(terms: RecordTerms, other: RecordTerms): RecordTerms["values"] {
  const otherKeys = new Set(other.values.map(rowKey));
  return terms.values.filter((value) => !otherKeys.has(rowKey(value)));
}
