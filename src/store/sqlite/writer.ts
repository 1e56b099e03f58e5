import type { Database } from "bun:sqlite";
import type { UserRecord } from "../../contract/user.ts";
import { idempotency } from "../../contract/user-operations.ts";
import { Refusal, type RefusalData } from "../../domain/refusal.ts";
import type { Attempt, CreateOutcome, Once, Precondition } from "../../domain/store.ts";
import {
  applyEdit,
  type Edit,
  type IndexTerms,
  indexTerms,
  parseUser,
  renderUser,
  type StoredUser,
} from "../../domain/user.ts";
import { searchText, wordStartsText } from "./search-text.ts";
import { prepareWrites, type TermColumns, type UserRow } from "./write-statements.ts";

/** A write, as plain data: it crosses to the thread that commits. */
export type Write =
  | { readonly do: "create"; readonly attempt: Attempt; readonly once: Once | undefined }
  | {
      readonly do: "edit";
      readonly id: number;
      readonly edit: Edit;
      readonly precondition: Precondition | undefined;
    }
  | { readonly do: "remove"; readonly id: number; readonly precondition: Precondition | undefined };

export type WriteOutcome =
  | CreateOutcome
  | { readonly user: StoredUser }
  | { readonly removed: number }
  | { readonly refusal: RefusalData }
  | { readonly failure: string };

/** How many outcomes past their time one batch clears away: more than one batch can add. */
const OUTCOMES_CLEARED = 1000;

/** Applies batches of writes, each batch in one durable transaction. The only code that changes the database. */
export class Writer {
  readonly #db: Database;
  readonly #statements;
  readonly #recordBytes: number;
  #now = 0;
  #nowText = "";
  #lastId = 0;
  #users = 0;

  constructor(db: Database, recordBytes: number) {
    this.#db = db;
    this.#recordBytes = recordBytes;
    this.#statements = prepareWrites(db);
  }

  /**
   * One outcome a write. Should a batch fail as a whole, its writes are tried one by one, so that none can spoil
   * another's.
   */
  apply(writes: readonly Write[]): WriteOutcome[] {
    try {
      return this.#transact(writes);
    } catch (error) {
      if (writes.length === 1 || !this.#isFaultOfOne(error)) throw error;
      return writes.flatMap((write) => {
        try {
          return this.#transact([write]);
        } catch (cause) {
          if (!this.#isFaultOfOne(cause)) throw cause;
          return [{ failure: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause) }];
        }
      });
    }
  }

  #transact(writes: readonly Write[]): WriteOutcome[] {
    const { directory } = this.#statements;
    this.#db.run("BEGIN IMMEDIATE");
    try {
      this.#now = Date.now();
      this.#nowText = new Date(this.#now).toISOString();
      const before = directory.read.get();
      if (!before) throw new Error("The directory has lost its row.");
      this.#lastId = before.last_id;
      this.#users = before.users;
      const outcomes = writes.map((write) => this.#write(write));
      if (this.#lastId !== before.last_id || this.#users !== before.users) {
        directory.update.run(this.#lastId, this.#users);
      }
      this.#db.run("COMMIT");
      return outcomes;
    } catch (error) {
      if (this.#db.inTransaction) this.#db.run("ROLLBACK");
      throw error;
    }
  }

  /** A full disk or a lock would fail every write alike; anything else is the fault of one of them. */
  #isFaultOfOne(error: unknown): boolean {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    return !/^SQLITE_(BUSY|FULL|IOERR|CORRUPT|READONLY|CANTOPEN|NOMEM|LOCKED)/.test(code);
  }

  #write(write: Write): WriteOutcome {
    try {
      switch (write.do) {
        case "create":
          return write.once
            ? this.#createOnce(write.attempt, write.once)
            : { outcome: this.#attempt(write.attempt), replayed: false };
        case "edit":
          return { user: this.#edit(write.id, write.edit, write.precondition) };
        case "remove":
          return { removed: this.#remove(write.id, write.precondition) };
      }
    } catch (error) {
      if (error instanceof Refusal) return { refusal: error.data };
      throw error;
    }
  }

  #createOnce(attempt: Attempt, once: Once): CreateOutcome {
    const { outcomes } = this.#statements;
    outcomes.clear.run(this.#now, OUTCOMES_CLEARED);
    const kept = outcomes.find.get(once.caller, once.key, this.#now);
    if (kept) {
      if (kept.fingerprint !== once.fingerprint) throw new Refusal("idempotency-mismatch");
      return { outcome: JSON.parse(kept.outcome), replayed: true };
    }
    const outcome = this.#attempt(attempt);
    const expiry = this.#now + idempotency.keptHours * 3_600_000;
    outcomes.keep.run(once.caller, once.key, once.fingerprint, JSON.stringify(outcome), expiry);
    return { outcome, replayed: false };
  }

  #attempt(attempt: Attempt): CreateOutcome["outcome"] {
    if ("refusal" in attempt) return attempt;
    const user = this.#insert(attempt.record);
    return user ? { user } : { refusal: emailTaken(attempt.record).data };
  }

  /** Undefined when the email is taken: the unique index decides. */
  #insert(record: UserRecord): StoredUser | undefined {
    const { users } = this.#statements;
    const user = renderUser(this.#lastId + 1, record, 1, this.#nowText, this.#nowText);
    const terms = indexTerms(record);
    const { changes } = users.insert.run(user.id, 1, user.json, this.#now, this.#now, ...termColumns(terms));
    if (changes === 0) return undefined;
    this.#lastId = user.id;
    this.#users++;
    this.#indexValues(user.id, terms.values);
    this.#statements.search.insert.run(user.id, searchText(terms));
    return user;
  }

  #edit(id: number, edit: Edit, precondition: Precondition | undefined): StoredUser {
    const row = this.#current(id, precondition);
    const { record, createdAt } = parseUser(row.json);
    const next = applyEdit(record, edit, this.#recordBytes);
    if (!next) return { id, version: row.version, json: row.json };

    const version = row.version + 1;
    const later = row.updated_at > this.#now;
    const updatedAt = later ? row.updated_at : this.#now;
    const user = renderUser(
      id,
      next,
      version,
      createdAt,
      later ? new Date(updatedAt).toISOString() : this.#nowText,
    );
    const terms = indexTerms(next);
    this.#update(user, next, terms, updatedAt);
    this.#reindex(id, indexTerms(record), terms);
    return user;
  }

  #update(user: StoredUser, record: UserRecord, terms: IndexTerms, updatedAt: number): void {
    try {
      this.#statements.users.update.run(user.version, user.json, updatedAt, ...termColumns(terms), user.id);
    } catch (error) {
      const taken = error instanceof Error && "code" in error && error.code === "SQLITE_CONSTRAINT_UNIQUE";
      throw taken ? emailTaken(record) : error;
    }
  }

  #remove(id: number, precondition: Precondition | undefined): number {
    const row = this.#current(id, precondition);
    const terms = indexTerms(parseUser(row.json).record);
    this.#statements.users.remove.run(id);
    this.#statements.search.remove.run(id);
    this.#unindexValues(id, terms.values);
    this.#users--;
    return id;
  }

  #current(id: number, precondition: Precondition | undefined): UserRow {
    const row = this.#statements.users.read.get(id);
    if (!row) throw new Refusal("user-not-found", `There is no user ${id}.`);
    if (precondition && precondition !== "any" && !precondition.includes(row.version)) {
      throw new Refusal(
        "version-mismatch",
        `User ${id} is at version ${row.version} now. Nothing was changed.`,
      );
    }
    return row;
  }

  #reindex(id: number, before: IndexTerms, after: IndexTerms): void {
    const name = ([field, value]: readonly [string, string]) => `${field}\n${value}`;
    const had = new Set(before.values.map(name));
    const has = new Set(after.values.map(name));
    this.#unindexValues(
      id,
      before.values.filter((term) => !has.has(name(term))),
    );
    this.#indexValues(
      id,
      after.values.filter((term) => !had.has(name(term))),
    );
    const text = searchText(after);
    if (text !== searchText(before)) {
      this.#statements.search.remove.run(id);
      this.#statements.search.insert.run(id, text);
    }
  }

  #indexValues(id: number, values: IndexTerms["values"]): void {
    for (const [field, value] of values) this.#statements.values.insert.run(field, value, id);
  }

  #unindexValues(id: number, values: IndexTerms["values"]): void {
    for (const [field, value] of values) this.#statements.values.remove.run(field, value, id);
  }
}

function termColumns(terms: IndexTerms): TermColumns {
  const { nameFold, nameKey, emailFold = null, emailKey = null } = terms;
  return [nameFold, nameKey === nameFold ? null : nameKey, emailFold, emailKey, wordStartsText(terms)];
}

function emailTaken(record: UserRecord): Refusal {
  return new Refusal("email-taken", undefined, [
    { pointer: "/email", detail: `Another user has ${record.email}.` },
  ]);
}
