import { isDeepStrictEqual } from "node:util";
import type { Json } from "../../../src/contract/user.ts";

export type Fields = { [field: string]: Json };

/** A user as the service answers it. */
export interface User extends Fields {
  id: number;
  name: string;
  mark: string;
  version: number;
  createdAt: string;
  updatedAt: string;
}

/** A write that was sent, by the caller's fields that it leaves; without fields it removes the user. */
interface Sent {
  readonly fields: Fields | undefined;
}

/** What the callers know of one user. Each has one owner, so that at most one write at a time is under way. */
interface Entry {
  /** The JSON last acknowledged; undefined while the user is not known to be there. */
  acknowledged: string | undefined;
  sent: Sent | undefined;
}

/** A create with an Idempotency-Key, and what it was answered, if it was. */
export interface KeyedCreate {
  readonly key: string;
  readonly mark: string;
  readonly body: string;
  answer: string | undefined;
}

/** A user that every caller changes: each counts up a field of its own. */
interface Shared {
  readonly id: number;
  version: number;
  readonly counters: Map<string, { acknowledged: number; sent: number }>;
}

/** What the callers have sent and what was acknowledged, over every crash. Faults gather in `faults`. */
export class Ledger {
  readonly faults: string[] = [];
  readonly keyed: KeyedCreate[] = [];
  readonly shared: Shared[] = [];
  readonly figures = { acknowledged: 0, pendingDone: 0, pendingNotDone: 0 };
  readonly #entries = new Map<string, Entry>();
  readonly #owners = new Map<number, string>();
  #highestBefore = 0;
  #highest = 0;

  /** From here on, new ids have to be above every id seen so far. */
  beginRound(): void {
    this.#highestBefore = this.#highest;
    this.keyed.length = 0;
  }

  /** Called before a write goes out. */
  send(mark: string, fields: Fields | undefined): void {
    const entry = this.#entries.get(mark) ?? { acknowledged: undefined, sent: undefined };
    entry.sent = { fields };
    this.#entries.set(mark, entry);
  }

  /** Called when its answer is in: the user's JSON, or undefined when it was removed. */
  acknowledge(mark: string, json: string | undefined): void {
    const entry = this.#entries.get(mark);
    if (!entry?.sent) throw new Error(`Nothing was sent for ${mark}.`);
    const before = parse(entry.acknowledged);
    const now = parse(json);
    if (now) {
      if (!before) this.#claim(now.id, mark);
      if (!follows(before, entry.sent, now)) this.#fault(`${mark} was answered ${json}`);
    }
    this.figures.acknowledged++;
    entry.sent = undefined;
    if (json === undefined) this.#entries.delete(mark);
    else entry.acknowledged = json;
  }

  /** The users of one owner that are there for certain. */
  usersOf(owner: string): User[] {
    const users: User[] = [];
    for (const [mark, { acknowledged, sent }] of this.#entries) {
      const user = mark.startsWith(`${owner}-`) && !sent ? parse(acknowledged) : undefined;
      if (user) users.push(user);
    }
    return users;
  }

  /** Every email that a user of the owner has, or may have by a write whose answer did not come. */
  emailsOf(owner: string): Set<string> {
    const emails = new Set<string>();
    for (const [mark, { acknowledged, sent }] of this.#entries) {
      if (!mark.startsWith(`${owner}-`)) continue;
      for (const email of [parse(acknowledged)?.email, sent?.fields?.email])
        if (typeof email === "string") emails.add(email);
    }
    return emails;
  }

  /** Holds what is there after a crash against what was acknowledged and sent, and goes on from there. */
  settle(users: readonly User[]): void {
    const found = new Map(users.map((user) => [user.mark, user]));
    if (found.size !== users.length) this.#fault(`${users.length} users, ${found.size} different marks`);
    const emails = users.flatMap(({ email }) => (typeof email === "string" ? [email.toLowerCase()] : []));
    if (new Set(emails).size !== emails.length) this.#fault("two users share an email");
    for (const shared of this.shared) this.#settleShared(shared, found);
    for (const [mark, entry] of this.#entries) this.#settleEntry(mark, entry, found.get(mark));
    for (const [mark, user] of found) {
      if (!this.#entries.has(mark)) this.#fault(`${JSON.stringify(user)} is there and should not be`);
    }
  }

  #settleEntry(mark: string, { acknowledged, sent }: Entry, user: User | undefined): void {
    const json = user && JSON.stringify(user);
    const untouched = json === acknowledged;
    const done = sent !== undefined && follows(parse(acknowledged), sent, user);
    if (!untouched && !done) {
      this.#fault(`${mark}: acknowledged ${acknowledged}, sent ${JSON.stringify(sent)}, found ${json}`);
    }
    if (sent) this.figures[done ? "pendingDone" : "pendingNotDone"]++;
    if (user && acknowledged === undefined) this.#claim(user.id, mark);
    if (json === undefined) this.#entries.delete(mark);
    else this.#entries.set(mark, { acknowledged: json, sent: undefined });
  }

  #settleShared(shared: Shared, found: Map<string, User>): void {
    const mark = `shared-${shared.id}`;
    const user = found.get(mark);
    found.delete(mark);
    if (!user) {
      this.#fault(`${mark} is gone`);
      return;
    }
    let changes = 0;
    for (const [counter, count] of shared.counters) {
      const value = Number(user[counter] ?? 0);
      if (value !== count.acknowledged && value !== count.sent) {
        this.#fault(
          `${mark}: ${counter} is ${value}, acknowledged ${count.acknowledged}, sent ${count.sent}`,
        );
      }
      shared.counters.set(counter, { acknowledged: value, sent: value });
      changes += value;
    }
    if (user.version < shared.version) this.#fault(`${mark} went back to version ${user.version}`);
    // One for its creation, one for giving it its mark.
    if (user.version !== changes + 2) this.#fault(`${mark}: ${changes} changes, version ${user.version}`);
  }

  #claim(id: number, mark: string): void {
    const owner = this.#owners.get(id);
    if (owner !== undefined) this.#fault(`id ${id} was given to ${owner}, and again to ${mark}`);
    if (id <= this.#highestBefore) this.#fault(`id ${id} of ${mark} is not above ${this.#highestBefore}`);
    this.#owners.set(id, mark);
    this.#highest = Math.max(this.#highest, id);
  }

  #fault(fault: string): void {
    this.faults.push(fault);
  }
}

/** Whether the write makes exactly this of the user: all of it, and nothing else. */
function follows(before: User | undefined, { fields }: Sent, after: User | undefined): boolean {
  if (!fields || !after) return !fields && !after;
  const { id, version, createdAt, updatedAt, ...own } = after;
  return (
    isDeepStrictEqual(own, fields) &&
    version === (before?.version ?? 0) + 1 &&
    id === (before?.id ?? id) &&
    createdAt === (before?.createdAt ?? updatedAt) &&
    updatedAt >= createdAt
  );
}

function parse(json: string | undefined): User | undefined {
  if (json === undefined) return undefined;
  const user: User = JSON.parse(json);
  return user;
}
