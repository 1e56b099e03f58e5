import type { Actor } from "../../domain/caller.ts";
import type { IdempotencyKey } from "../../domain/store.ts";
import type { IndexedUser, StoredOutcome, UserRow, WriteTransaction } from "../apply-write.ts";

/** What a batch has looked up before its writes are applied. */
export interface BatchLookup {
  /** The users that are to be changed, locked for this transaction. */
  readonly rows: readonly UserRow[];
  /** Who has the emails that are asked for. */
  readonly emails: ReadonlyMap<string, number>;
  /** Whether every email that is asked for counts as taken: the unique index has said so. */
  readonly treatEmailsAsTaken?: boolean;
  readonly outcomes: ReadonlyMap<string, StoredOutcome>;
  /** New ids, one for every create. */
  readonly ids: readonly number[];
}

/** What a batch has come to, each user once. */
export interface BatchChanges {
  readonly removed: readonly (IndexedUser & { readonly by: Actor })[];
  readonly updated: readonly { readonly before: IndexedUser; readonly after: IndexedUser }[];
  readonly inserted: readonly IndexedUser[];
  readonly kept: readonly (IdempotencyKey & { outcome: StoredOutcome["outcome"]; expiresAt: number })[];
}

interface Entry {
  /** As it is in the database; undefined if it is not there. */
  readonly before: IndexedUser | undefined;
  readonly now: IndexedUser | undefined;
  /** Who removed it, if it is not there any more. */
  readonly by: Actor;
}

/** More creates can be done than could be foreseen: an email was set free in the same batch. */
export class OutOfIds extends Error {
  override readonly name = "OutOfIds";
}

/**
 * The users that a batch touches, in memory: writes are applied here one after the other, and what they come to is
 * sent in a few statements.
 */
export class InMemoryBatch implements WriteTransaction {
  readonly nowText: string;
  readonly #rows: Map<number, UserRow>;
  readonly #entries = new Map<number, Entry>();
  readonly #emails: Map<string, number>;
  readonly #outcomes: Map<string, StoredOutcome>;
  readonly #kept = new Map<string, BatchChanges["kept"][number]>();
  readonly #ids: readonly number[];
  readonly #treatEmailsAsTaken: boolean;
  #used = 0;

  constructor(
    { rows, emails, treatEmailsAsTaken = false, outcomes, ids }: BatchLookup,
    readonly now: number,
  ) {
    this.nowText = new Date(now).toISOString();
    this.#treatEmailsAsTaken = treatEmailsAsTaken;
    this.#rows = new Map(rows.map((row) => [row.id, row]));
    this.#emails = new Map(emails);
    this.#outcomes = new Map(outcomes);
    this.#ids = ids;
  }

  get nextId(): number {
    const id = this.#ids[this.#used];
    if (id === undefined) throw new OutOfIds();
    return id;
  }

  read(id: number): UserRow | undefined {
    return this.#rows.get(id);
  }

  insert(user: IndexedUser): boolean {
    if (!this.#claimEmail(user)) return false;
    this.#used++;
    this.#set(user.row.id, undefined, user);
    return true;
  }

  update(before: IndexedUser, after: IndexedUser): boolean {
    if (before.terms.emailKey !== after.terms.emailKey) {
      if (!this.#claimEmail(after)) return false;
      this.#freeEmail(before);
    }
    this.#set(after.row.id, before, after);
    return true;
  }

  remove(user: IndexedUser, by: Actor): void {
    this.#freeEmail(user);
    this.#set(user.row.id, user, undefined, by);
  }

  findOutcome(idempotencyKey: IdempotencyKey): StoredOutcome | undefined {
    return this.#outcomes.get(outcomeMapKey(idempotencyKey));
  }

  saveOutcome(idempotencyKey: IdempotencyKey, kept: StoredOutcome): void {
    this.#outcomes.set(outcomeMapKey(idempotencyKey), kept);
    this.#kept.set(outcomeMapKey(idempotencyKey), {
      ...idempotencyKey,
      outcome: kept.outcome,
      expiresAt: kept.expiresAt,
    });
  }

  /** Undefined when there is nothing to write. */
  changes(): BatchChanges | undefined {
    const removed: (IndexedUser & { by: Actor })[] = [];
    const updated: { before: IndexedUser; after: IndexedUser }[] = [];
    const inserted: IndexedUser[] = [];
    for (const { before, now, by } of this.#entries.values()) {
      if (before && now) updated.push({ before, after: now });
      else if (before) removed.push({ ...before, by });
      else if (now) inserted.push(now);
    }
    const kept = [...this.#kept.values()];
    const any = removed.length + updated.length + inserted.length + kept.length > 0;
    return any ? { removed, updated, inserted, kept } : undefined;
  }

  #set(id: number, before: IndexedUser | undefined, now: IndexedUser | undefined, by: Actor = null): void {
    const known = this.#entries.get(id);
    this.#entries.set(id, { before: known ? known.before : before, now, by });
    if (now) this.#rows.set(id, now.row);
    else this.#rows.delete(id);
  }

  #claimEmail({ row, terms: { emailKey } }: IndexedUser): boolean {
    if (emailKey === undefined) return true;
    if (this.#treatEmailsAsTaken || this.#emails.has(emailKey)) return false;
    this.#emails.set(emailKey, row.id);
    return true;
  }

  #freeEmail({ terms: { emailKey } }: IndexedUser): void {
    if (emailKey !== undefined) this.#emails.delete(emailKey);
  }
}

export function outcomeMapKey({ caller, key }: Pick<IdempotencyKey, "caller" | "key">): string {
  return `${caller}\n${key}`;
}
