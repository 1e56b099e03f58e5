import { isDeepStrictEqual } from "node:util";
import type { Json } from "../../../src/contract/user.ts";

export type Fields = { [field: string]: Json };

/** A user in a response. */
export interface User extends Fields {
  id: number;
  name: string;
  mark: string;
  version: number;
  createdAt: string;
  updatedAt: string;
}

/** A sent write: the fields after the write, or undefined for a delete. */
interface SentWrite {
  readonly fields: Fields | undefined;
}

/** What callers know about one user. Only the user's owner changes it, so at most one write is pending. */
interface Entry {
  /** The last acknowledged JSON; undefined before the create is acknowledged. */
  acknowledged: string | undefined;
  sent: SentWrite | undefined;
}

/** A create with an Idempotency-Key, and its response, if it arrived. */
export interface KeyedCreate {
  readonly key: string;
  readonly mark: string;
  readonly body: string;
  response: string | undefined;
}

/** A user that every caller changes. Each caller increments a field of its own. */
interface SharedUser {
  readonly id: number;
  version: number;
  readonly counters: Map<string, { acknowledged: number; sent: number }>;
}

/** Records what callers sent and what was acknowledged, across crashes, and collects contradictions in `errors`. */
export class Ledger {
  readonly errors: string[] = [];
  readonly keyed: KeyedCreate[] = [];
  readonly shared: SharedUser[] = [];
  readonly counts = { acknowledged: 0, pendingDone: 0, pendingNotDone: 0 };
  readonly #entries = new Map<string, Entry>();
  readonly #owners = new Map<number, string>();
  #highestBefore = 0;
  #highest = 0;

  /** Starts a round: new ids must be above all earlier ids. */
  beginRound(): void {
    this.#highestBefore = this.#highest;
    this.keyed.length = 0;
  }

  /** Call it before a write is sent. */
  send(mark: string, fields: Fields | undefined): void {
    const entry = this.#entries.get(mark) ?? { acknowledged: undefined, sent: undefined };
    entry.sent = { fields };
    this.#entries.set(mark, entry);
  }

  /** Call it with the response: the user's JSON, or undefined after a delete. */
  acknowledge(mark: string, json: string | undefined): void {
    const entry = this.#entries.get(mark);
    if (!entry?.sent) throw new Error(`Nothing was sent for ${mark}.`);
    const before = parse(entry.acknowledged);
    const now = parse(json);
    if (now) {
      if (!before) this.#claim(now.id, mark);
      if (!follows(before, entry.sent, now)) this.#addError(`${mark}: unexpected response ${json}`);
    }
    this.counts.acknowledged++;
    entry.sent = undefined;
    if (json === undefined) this.#entries.delete(mark);
    else entry.acknowledged = json;
  }

  /** The users of one owner that certainly exist. */
  usersOf(owner: string): User[] {
    const users: User[] = [];
    for (const [mark, { acknowledged, sent }] of this.#entries) {
      const user = mark.startsWith(`${owner}-`) && !sent ? parse(acknowledged) : undefined;
      if (user) users.push(user);
    }
    return users;
  }

  /** Every email that a user of the owner has, or may have if a pending write succeeded. */
  emailsOf(owner: string): Set<string> {
    const emails = new Set<string>();
    for (const [mark, { acknowledged, sent }] of this.#entries) {
      if (!mark.startsWith(`${owner}-`)) continue;
      for (const email of [parse(acknowledged)?.email, sent?.fields?.email])
        if (typeof email === "string") emails.add(email);
    }
    return emails;
  }

  /** Compares the users after a crash with what was acknowledged and sent, and continues from there. */
  settle(users: readonly User[]): void {
    const found = new Map(users.map((user) => [user.mark, user]));
    if (found.size !== users.length) this.#addError(`${users.length} users, ${found.size} different marks`);
    const emails = users.flatMap(({ email }) => (typeof email === "string" ? [email.toLowerCase()] : []));
    if (new Set(emails).size !== emails.length) this.#addError("two users share an email");
    for (const shared of this.shared) this.#settleShared(shared, found);
    for (const [mark, entry] of this.#entries) this.#settleEntry(mark, entry, found.get(mark));
    for (const [mark, user] of found) {
      if (!this.#entries.has(mark)) this.#addError(`${JSON.stringify(user)} should not exist`);
    }
  }

  #settleEntry(mark: string, { acknowledged, sent }: Entry, user: User | undefined): void {
    const json = user && JSON.stringify(user);
    const untouched = json === acknowledged;
    const done = sent !== undefined && follows(parse(acknowledged), sent, user);
    if (!untouched && !done) {
      this.#addError(`${mark}: acknowledged ${acknowledged}, sent ${JSON.stringify(sent)}, found ${json}`);
    }
    if (sent) this.counts[done ? "pendingDone" : "pendingNotDone"]++;
    if (user && acknowledged === undefined) this.#claim(user.id, mark);
    if (json === undefined) this.#entries.delete(mark);
    else this.#entries.set(mark, { acknowledged: json, sent: undefined });
  }

  #settleShared(shared: SharedUser, found: Map<string, User>): void {
    const mark = `shared-${shared.id}`;
    const user = found.get(mark);
    found.delete(mark);
    if (!user) {
      this.#addError(`${mark} is missing`);
      return;
    }
    let changes = 0;
    for (const [counter, count] of shared.counters) {
      const value = Number(user[counter] ?? 0);
      if (value !== count.acknowledged && value !== count.sent) {
        this.#addError(
          `${mark}: ${counter} is ${value}, acknowledged ${count.acknowledged}, sent ${count.sent}`,
        );
      }
      shared.counters.set(counter, { acknowledged: value, sent: value });
      changes += value;
    }
    if (user.version < shared.version) this.#addError(`${mark} went back to version ${user.version}`);
    // Creating the user and setting its mark are two versions.
    if (user.version !== changes + 2) this.#addError(`${mark}: ${changes} changes, version ${user.version}`);
  }

  #claim(id: number, mark: string): void {
    const owner = this.#owners.get(id);
    if (owner !== undefined) this.#addError(`id ${id} was assigned to ${owner} and again to ${mark}`);
    if (id <= this.#highestBefore) this.#addError(`id ${id} of ${mark} is not above ${this.#highestBefore}`);
    this.#owners.set(id, mark);
    this.#highest = Math.max(this.#highest, id);
  }

  #addError(error: string): void {
    this.errors.push(error);
  }
}

/** Whether the write, applied to the user before, gives exactly the user after. */
function follows(before: User | undefined, { fields }: SentWrite, after: User | undefined): boolean {
  if (!fields || !after) return !fields && !after;
  const { id, version, createdAt, updatedAt, ...written } = after;
  return (
    isDeepStrictEqual(written, fields) &&
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
