import { ERASED_EVENT, type EventDraft, splitType } from "../../domain/events/event.ts";
import type { IdempotencyKey } from "../../domain/idempotency-key.ts";
import type { RecordRules } from "../../domain/users/record-rules.ts";
import {
  type UniqueValue,
  uniqueKey,
  uniqueValues,
  userNameTaken,
  userNameValue,
  valuesWithout,
  valueTaken,
} from "../schema/unique-values.ts";
import { BatchEntries, type ChangedRecords } from "./batch-entries.ts";
import { type GroupChanges, type GroupLookup, InMemoryGroups, noGroups } from "./in-memory-groups.ts";
import { InMemoryMemberships, type MembershipChanges } from "./in-memory-memberships.ts";
import { OutOfIdsError } from "./out-of-ids-error.ts";
import { StaleLookupError } from "./stale-lookup-error.ts";
import { ERASED_OUTCOME, type SavedOutcome, type StoredOutcome, userIdOf } from "./stored-outcome.ts";
import type { DeletedUser, IndexedUser, UserRow, WriteTransaction } from "./write-transaction.ts";

/** What a batch reads from the database before its writes are applied. */
export interface BatchLookup {
  /** The users to change, locked for this transaction. */
  readonly rows: readonly UserRow[];
  /** The deleted users to restore or purge, locked for this transaction. */
  readonly deleted?: readonly DeletedUser[];
  /** The requested emails that are already in use, with the ids of their users. It may have others, too. */
  readonly emails: ReadonlyMap<string, number>;
  /** The requested user names and values of unique fields that are already in use, with the ids of their users. */
  readonly values: ReadonlyMap<string, number>;
  readonly rules: RecordRules;
  /** Treats every requested email, user name and unique value as already in use, because a unique index rejected one. */
  readonly treatAsTaken?: boolean;
  readonly outcomes: ReadonlyMap<string, StoredOutcome>;
  /** New ids, one per create that can succeed. */
  readonly ids: readonly number[];
  /** The number of all creates. More of them succeed if an earlier write frees their email. */
  readonly maxCreates: number;
  readonly groups?: GroupLookup;
}

/** The combined changes of a batch. Each user appears once. */
export interface BatchChanges extends ChangedRecords<IndexedUser> {
  readonly groups: GroupChanges;
  readonly memberships: MembershipChanges;
  /** Deleted users to remove before others are kept. */
  readonly droppedIds: readonly number[];
  readonly kept: readonly DeletedUser[];
  /** Purged users: the data in their earlier events and outcomes is to be erased. */
  readonly erasedIds: readonly number[];
  /** Values of unique fields that users no longer have, and that they have now. */
  readonly released: readonly OwnedValue[];
  readonly claimed: readonly OwnedValue[];
  readonly outcomes: readonly SavedOutcome[];
  /** In the order of the writes. A user can have several. */
  readonly events: readonly EventDraft[];
}

/** A value of a unique field, and its user. */
export interface OwnedValue extends UniqueValue {
  readonly userId: number;
}

/** The users of a batch, in memory. Writes are applied here in order; `changes` is then sent in a few statements. */
export class InMemoryBatch implements WriteTransaction {
  readonly nowText: string;
  readonly #rows: Map<number, UserRow>;
  readonly #entries = new BatchEntries<IndexedUser>();
  readonly #deletedInDatabase: ReadonlySet<number>;
  readonly #deleted: Map<number, DeletedUser>;
  readonly #changedDeleted = new Set<number>();
  readonly #erased = new Set<number>();
  readonly #emails: Map<string, number>;
  readonly #values: Map<string, number>;
  readonly #rules: RecordRules;
  readonly #outcomes: Map<string, StoredOutcome>;
  readonly #events: EventDraft[] = [];
  readonly #savedOutcomes = new Map<string, SavedOutcome>();
  readonly #ids: readonly number[];
  readonly #treatAsTaken: boolean;
  readonly groups: InMemoryGroups;
  readonly memberships: InMemoryMemberships;
  /** Users that exist, besides `#rows`. */
  readonly #otherUsers: Set<number>;
  #usedIds = 0;

  constructor(
    {
      rows,
      deleted = [],
      emails,
      values,
      rules,
      treatAsTaken = false,
      outcomes,
      ids,
      groups = noGroups,
    }: Omit<BatchLookup, "maxCreates">,
    readonly now: number,
  ) {
    this.nowText = new Date(now).toISOString();
    this.#treatAsTaken = treatAsTaken;
    this.#rows = new Map(rows.map((row) => [row.id, row]));
    this.#deleted = new Map(deleted.map((user) => [user.id, user]));
    this.#deletedInDatabase = new Set(this.#deleted.keys());
    this.#emails = new Map(emails);
    this.#values = new Map(values);
    this.#rules = rules;
    this.#outcomes = new Map(outcomes);
    this.#ids = ids;
    this.groups = new InMemoryGroups(groups, treatAsTaken);
    this.memberships = new InMemoryMemberships(groups.memberships);
    this.#otherUsers = new Set(groups.userIds);
  }

  get nextId(): number {
    const id = this.#ids[this.#usedIds];
    if (id === undefined) throw new OutOfIdsError();
    return id;
  }

  read(id: number): UserRow | undefined {
    return this.#rows.get(id);
  }

  hasUser(id: number): boolean {
    return this.#rows.has(id) || this.#otherUsers.has(id);
  }

  findByEmail(emailKey: string): UserRow | undefined {
    const id = this.#emails.get(emailKey);
    if (id === undefined) return undefined;
    const row = this.#rows.get(id);
    if (!row) throw new StaleLookupError();
    return row;
  }

  findByValue(value: UniqueValue): UserRow | undefined {
    const id = this.#values.get(uniqueKey(value));
    if (id === undefined) return undefined;
    const row = this.#rows.get(id);
    if (!row) throw new StaleLookupError();
    return row;
  }

  insert(user: IndexedUser): boolean {
    if (!this.#isFree(user)) return false;
    this.#usedIds++;
    this.#set(user.row.id, undefined, user);
    return true;
  }

  update(before: IndexedUser, after: IndexedUser): boolean {
    if (!this.#isFree(after, before)) return false;
    this.#set(after.row.id, before, after);
    return true;
  }

  remove(user: IndexedUser): void {
    this.#otherUsers.delete(user.row.id);
    this.#set(user.row.id, user, undefined);
  }

  keepDeleted(user: DeletedUser): void {
    this.#deleted.set(user.id, user);
    this.#changedDeleted.add(user.id);
  }

  readDeleted(id: number): DeletedUser | undefined {
    return this.#deleted.get(id);
  }

  restore(user: IndexedUser): boolean {
    if (!this.#isFree(user)) return false;
    this.#dropDeleted(user.row.id);
    this.#set(user.row.id, undefined, user);
    return true;
  }

  erase(id: number): void {
    this.#dropDeleted(id);
    this.#erased.add(id);
    for (const [index, event] of this.#events.entries()) {
      if (event.subjectId === id && isOfUser(event)) this.#events[index] = { ...event, ...ERASED_EVENT };
    }
    for (const [mapKey, stored] of this.#outcomes) {
      if (userIdOf(stored) === id) this.#outcomes.set(mapKey, { ...stored, outcome: ERASED_OUTCOME });
    }
    for (const [mapKey, saved] of this.#savedOutcomes) {
      if (userIdOf(saved) === id) this.#savedOutcomes.set(mapKey, { ...saved, outcome: ERASED_OUTCOME });
    }
  }

  record(event: EventDraft): void {
    this.#events.push(event);
  }

  findOutcome(idempotencyKey: IdempotencyKey): StoredOutcome | undefined {
    return this.#outcomes.get(outcomeMapKey(idempotencyKey));
  }

  saveOutcome(idempotencyKey: IdempotencyKey, stored: StoredOutcome): void {
    const mapKey = outcomeMapKey(idempotencyKey);
    const { outcome, expiresAt } = stored;
    this.#outcomes.set(mapKey, stored);
    this.#savedOutcomes.set(mapKey, { ...idempotencyKey, outcome, expiresAt });
  }

  /** Undefined when there is nothing to write. */
  changes(): BatchChanges | undefined {
    const entries = [...this.#entries].map(([userId, { before, after }]) => {
      const [old, next] = [before ? this.#uniqueValues(before) : [], after ? this.#uniqueValues(after) : []];
      const own = (values: readonly UniqueValue[]) => values.map((value) => ({ ...value, userId }));
      return { released: own(valuesWithout(old, next)), claimed: own(valuesWithout(next, old)) };
    });
    const released = entries.flatMap((entry) => entry.released);
    // In order: nodes that insert the same values then wait for each other in one direction only.
    const claimed = entries
      .flatMap((entry) => entry.claimed)
      .sort((a, b) => (uniqueKey(a) < uniqueKey(b) ? -1 : 1));
    const outcomes = [...this.#savedOutcomes.values()];
    const events = this.#events;
    // Changes of users that cancel each other out still have their events; a claimed user name has none.
    if (entries.length + events.length + outcomes.length === 0) return undefined;
    const changed = [...this.#changedDeleted];
    return {
      ...this.#entries.changes(),
      ...{ released, claimed, outcomes, events },
      groups: this.groups.changes(),
      memberships: this.memberships.changes((groupId) => this.groups.read(groupId) !== undefined),
      droppedIds: changed.filter((id) => this.#deletedInDatabase.has(id)),
      kept: changed.flatMap((id) => this.#deleted.get(id) ?? []),
      erasedIds: [...this.#erased],
    };
  }

  #uniqueValues({ terms }: IndexedUser): readonly UniqueValue[] {
    return uniqueValues(terms, this.#rules);
  }

  #ownedValues(user: IndexedUser | undefined): readonly UniqueValue[] {
    if (!user) return [];
    const name = userNameOf(user);
    return name ? [...this.#uniqueValues(user), name] : this.#uniqueValues(user);
  }

  /** Whether a user can have the email that it gets. Fails with `value-taken` if another user has another value that it gets. */
  #isFree(after: IndexedUser, before?: IndexedUser): boolean {
    const { row, terms } = after;
    const isTaken = (value: UniqueValue) => {
      const owner = this.#values.get(uniqueKey(value));
      return owner === undefined ? this.#treatAsTaken : owner !== row.id;
    };
    const had = before ? this.#uniqueValues(before) : [];
    const taken = valuesWithout(this.#uniqueValues(after), had).find(isTaken);
    if (taken) throw valueTaken(taken);
    const { emailKey } = terms;
    if (emailKey !== undefined && emailKey !== before?.terms.emailKey) {
      if (this.#treatAsTaken || this.#emails.has(emailKey)) return false;
    }
    const name = userNameOf(after);
    const isNewName = name !== undefined && name.value !== (before && userNameOf(before)?.value);
    if (isNewName && isTaken(name)) throw userNameTaken(row.userNameKey);
    return true;
  }

  #dropDeleted(id: number): void {
    this.#deleted.delete(id);
    this.#changedDeleted.add(id);
  }

  #set(id: number, before: IndexedUser | undefined, after: IndexedUser | undefined): void {
    if (before?.terms.emailKey !== undefined) this.#emails.delete(before.terms.emailKey);
    if (after?.terms.emailKey !== undefined) this.#emails.set(after.terms.emailKey, id);
    for (const value of this.#ownedValues(before)) this.#values.delete(uniqueKey(value));
    for (const value of this.#ownedValues(after)) this.#values.set(uniqueKey(value), id);
    this.#entries.set(id, before, after);
    if (after) this.#rows.set(id, after.row);
    else this.#rows.delete(id);
  }
}

function isOfUser({ type }: EventDraft): boolean {
  return splitType(type)[0] === "user";
}

function userNameOf({ row, terms }: IndexedUser): UniqueValue | undefined {
  return userNameValue(row.userNameKey, terms);
}

export function outcomeMapKey({ caller, key }: Pick<IdempotencyKey, "caller" | "key">): string {
  return `${caller}\n${key}`;
}
