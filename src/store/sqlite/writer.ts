import type { Database } from "bun:sqlite";
import { dayOf } from "../../domain/days.ts";
import { errorText } from "../../domain/error-text.ts";
import { ERASED_EVENT, type EventDraft } from "../../domain/events/event.ts";
import type { IdempotencyKey } from "../../domain/idempotency-key.ts";
import { finishSteps } from "../../domain/scheduling/steps.ts";
import type { RecordRules } from "../../domain/users/record-rules.ts";
import { SqliteEventWriter } from "../events/sqlite-events.ts";
import { SchemaRules, type SchemaState, toSchemaState } from "../schema/schema-state.ts";
import {
  type UniqueValue,
  USER_NAME,
  uniqueValues,
  userNameTaken,
  userNameValue,
  valuesWithout,
  valueTaken,
} from "../schema/unique-values.ts";
import { runSteps, type SqlSteps } from "../sql/sql-steps.ts";
import { UserTally } from "../users/stats-tables.ts";
import { applyWrites, type ParsedWrite, type Write, type WriteOutcome } from "../writes/apply-write.ts";
import { parseImport } from "../writes/import-lines.ts";
import { ERASED_OUTCOME, type StoredOutcome, userIdOf } from "../writes/stored-outcome.ts";
import { type BatchWrite, Refusals, RefusedWriteError, withLeftOut } from "../writes/write-batch.ts";
import type { DeletedUser, IndexedUser, UserRow, WriteTransaction } from "../writes/write-transaction.ts";
import { GroupTable } from "./group-table.ts";
import { FileProblem, toCommitProblem, toUnavailable } from "./health/file-problem.ts";
import { RecordIndexes } from "./record-indexes.ts";
import { StatementCache } from "./statement-cache.ts";
import { UserClaims } from "./user-claims.ts";
import { prepareWrites, termColumns } from "./write-statements.ts";

/** Expired outcomes that each saved outcome deletes at most. */
const MAX_OUTCOMES_PER_CLEANUP = 1000;

/** Applies batches of writes, each batch in one durable transaction. The only code of a service that changes the database. */
export class Writer implements WriteTransaction {
  readonly #db: Database;
  readonly #statements;
  readonly #selects: StatementCache;
  readonly #schema: SchemaRules;
  readonly #events: SqliteEventWriter;
  readonly #indexes: RecordIndexes;
  readonly #claims: UserClaims;
  readonly groups: GroupTable;
  now = 0;
  nowText = "";
  nextId = 0;
  #users = 0;
  #tally = new UserTally();

  constructor(db: Database, recordRules: RecordRules) {
    this.#db = db;
    this.#schema = new SchemaRules(recordRules);
    this.#statements = prepareWrites(db);
    this.#selects = new StatementCache(db);
    this.#events = new SqliteEventWriter(db);
    this.#indexes = new RecordIndexes(this.#statements);
    this.#claims = new UserClaims(this.#statements);
    this.groups = new GroupTable(db);
  }

  /**
   * Returns one outcome per write; null for writes that were refused in the meantime. If a batch fails as a whole, its writes are
   * tried one by one: no write fails because of another one.
   */
  apply(
    received: readonly Write[],
    refusals: Refusals = Refusals.ofBatch(received.length),
  ): (WriteOutcome | null)[] {
    const writes = received.map((write, index) => ({
      index,
      write: write.kind === "import" ? finishSteps(parseImport(write, this.#schema.rules)) : write,
    }));
    try {
      return this.#applyAll(writes, refusals);
    } catch (error) {
      if (writes.length === 1 || !this.#isCausedByOneWrite(error)) throw error;
      return this.#applyEach(writes, refusals);
    }
  }

  /** Runs steps in a separate transaction. */
  run<T>(steps: SqlSteps<T>): T {
    return this.#inTransaction(() => runSteps(steps, (sql) => this.#selects.selectRows(sql)));
  }

  read(id: number): UserRow | undefined {
    const row = this.#statements.users.read.get(id);
    if (!row) return undefined;
    const { version, json, updated_at: updatedAt, changed_by: changedBy, user_name_key: userNameKey } = row;
    return { id, version, json, updatedAt, changedBy, userNameKey };
  }

  findByEmail(emailKey: string): UserRow | undefined {
    const found = this.#statements.users.findByEmail.get(emailKey);
    return found ? this.read(found.id) : undefined;
  }

  findByValue({ field, value }: UniqueValue): UserRow | undefined {
    if (field === USER_NAME) {
      const named = this.#statements.names.find.get(value, value);
      return named ? this.read(named.id) : undefined;
    }
    const found = this.#statements.uniqueValues.find.get(field, value);
    return found ? this.read(found.user_id) : undefined;
  }

  insert(user: IndexedUser): boolean {
    if (!this.#insert(user, this.now)) return false;
    this.nextId = user.row.id + 1;
    return true;
  }

  restore(user: IndexedUser, createdAt: number): boolean {
    if (!this.#insert(user, createdAt)) return false;
    this.#statements.deletedUsers.remove.run(user.row.id);
    return true;
  }

  #insert(user: IndexedUser, createdAt: number): boolean {
    const { row, terms } = user;
    const { id, version, json, updatedAt, changedBy } = row;
    const isInserted = this.#claim(user, undefined, () => {
      const { changes } = this.#statements.users.insert.run(
        ...([id, version, json, createdAt, updatedAt, changedBy] as const),
        ...termColumns(user),
      );
      return changes > 0;
    });
    if (!isInserted) return false;
    this.#users++;
    this.#indexes.add(id, terms);
    return true;
  }

  update(before: IndexedUser, after: IndexedUser): boolean {
    const { row, terms } = after;
    if (!this.#claim(after, before, () => this.#updateUser(after))) return false;
    this.#claims.release(row.id, this.#ownedValues(before, after));
    this.#indexes.update(row.id, before.terms, terms);
    return true;
  }

  /** Returns false if another user has the email. */
  #updateUser(user: IndexedUser): boolean {
    const { id, version, json, updatedAt, changedBy } = user.row;
    try {
      const columns = [version, json, updatedAt, changedBy] as const;
      this.#statements.users.update.run(...columns, ...termColumns(user), id);
      return true;
    } catch (error) {
      const isTaken = error instanceof Error && "code" in error && error.code === "SQLITE_CONSTRAINT_UNIQUE";
      if (!isTaken) throw error;
      return false;
    }
  }

  /**
   * Claims the unique values and the user name for the write. It claims nothing if `write` returns false because another user has
   * the email. Fails with `value-taken`.
   */
  #claim(after: IndexedUser, before: IndexedUser | undefined, write: () => boolean): boolean {
    const { row, terms } = after;
    const claimed = this.#ownedValues(after, before);
    const taken = this.#claims.claim(row, claimed);
    if (taken?.field === USER_NAME) {
      const owner =
        terms.emailKey === undefined ? null : this.#statements.users.findByEmail.get(terms.emailKey);
      if (owner && owner.id !== row.id) return false;
      throw userNameTaken(row.userNameKey);
    }
    if (taken) throw valueTaken(taken);
    if (write()) return true;
    this.#claims.release(row.id, claimed);
    return false;
  }

  /** The unique values and the user name that the user has and `other` does not. */
  #ownedValues(user: IndexedUser, other?: IndexedUser): readonly UniqueValue[] {
    const { rules } = this.#schema;
    const ownedBy = ({ row, terms }: IndexedUser) => {
      const name = userNameValue(row.userNameKey, terms);
      return name ? [...uniqueValues(terms, rules), name] : uniqueValues(terms, rules);
    };
    return other ? valuesWithout(ownedBy(user), ownedBy(other)) : ownedBy(user);
  }

  remove(user: IndexedUser): void {
    const { id } = user.row;
    this.#statements.users.remove.run(id);
    this.#indexes.remove(id, user.terms);
    this.#claims.release(id, this.#ownedValues(user));
    this.#users--;
  }

  keepDeleted({ id, version, json, deletedAt }: DeletedUser): void {
    this.#statements.deletedUsers.insert.run(id, version, json, deletedAt);
  }

  readDeleted(id: number): DeletedUser | undefined {
    const row = this.#statements.deletedUsers.read.get(id);
    return row ? { id, version: row.version, json: row.json, deletedAt: row.deleted_at } : undefined;
  }

  erase(id: number): void {
    const { deletedUsers } = this.#statements;
    const { changes, record } = ERASED_EVENT;
    deletedUsers.remove.run(id);
    this.#events.flush(this.now);
    deletedUsers.eraseEvents.run(changes, record, id, record);
    deletedUsers.eraseOutcomes.run(JSON.stringify(ERASED_OUTCOME), id);
    deletedUsers.eraseResponses.run(id);
  }

  record(event: EventDraft): void {
    this.#events.append(event);
    this.#tally.add(event.type);
  }

  findOutcome({ caller, key }: IdempotencyKey): StoredOutcome | undefined {
    const stored = this.#statements.outcomes.find.get(caller, key, this.now);
    if (!stored) return undefined;
    const { fingerprint, outcome, expires_at: expiresAt } = stored;
    return { fingerprint, outcome: JSON.parse(outcome), expiresAt };
  }

  saveOutcome({ caller, key }: IdempotencyKey, { fingerprint, outcome, expiresAt }: StoredOutcome): void {
    const { outcomes } = this.#statements;
    outcomes.clear.run(this.now, MAX_OUTCOMES_PER_CLEANUP);
    outcomes.save.run(
      ...([caller, key, fingerprint, JSON.stringify(outcome), expiresAt] as const),
      userIdOf({ outcome }),
    );
  }

  /** Each write has its own transaction. */
  #applyEach(writes: readonly BatchWrite<ParsedWrite>[], refusals: Refusals): (WriteOutcome | null)[] {
    const outcomes: (WriteOutcome | null)[] = [];
    for (const write of writes) {
      try {
        outcomes.push(...this.#applyAll([write], refusals));
      } catch (cause) {
        if (this.#isCausedByOneWrite(cause)) {
          outcomes.push({ kind: "failure", failure: errorText(cause) });
          continue;
        }
        if (outcomes.every((outcome) => outcome === null || outcome.kind === "failure")) throw cause;
        // Earlier writes are committed: only the others fail.
        const problem = toUnavailable(cause).data;
        return writes.map((_, index) =>
          index < outcomes.length ? (outcomes[index] ?? null) : { kind: "problem", problem },
        );
      }
    }
    return outcomes;
  }

  /** Leaves out the writes that were refused. If another one is refused before the COMMIT, the rest is tried again. */
  #applyAll(writes: readonly BatchWrite<ParsedWrite>[], refusals: Refusals): (WriteOutcome | null)[] {
    for (;;) {
      try {
        return this.#transact(writes, refusals);
      } catch (error) {
        if (!(error instanceof RefusedWriteError)) throw error;
      }
    }
  }

  #transact(writes: readonly BatchWrite<ParsedWrite>[], refusals: Refusals): (WriteOutcome | null)[] {
    return this.#inTransaction(() => {
      // Another process may have held the lock for a while.
      const open = writes.filter(({ index }) => !refusals.isRefused(index));
      const outcomes = open.length > 0 ? this.#applyWrites(open.map(({ write }) => write)) : [];
      if (!refusals.beginCommit(open.map(({ index }) => index))) throw new RefusedWriteError();
      return withLeftOut(writes, open, outcomes);
    });
  }

  /** Inside a transaction. */
  #applyWrites(writes: readonly ParsedWrite[]): WriteOutcome[] {
    const { directory, daily } = this.#statements;
    this.now = Date.now();
    this.nowText = new Date(this.now).toISOString();
    this.#events.beginTransaction();
    const before = directory.read.get();
    if (!before) throw new Error("The directory table has no row.");
    this.#updateRules(toSchemaState(before.schema_version, before.collecting, this.now));
    this.nextId = before.last_id + 1;
    this.#users = before.users;
    this.#tally = new UserTally();
    this.#indexes.beginTransaction();
    this.groups.beginTransaction(this.now, before.last_group_id, before.groups);
    const outcomes = finishSteps(applyWrites(this, writes, this.#schema.rules));
    const lastId = this.nextId - 1;
    if (lastId !== before.last_id || this.#users !== before.users) {
      directory.update.run(lastId, this.#users);
    }
    this.#events.flush(this.now);
    const { created, deleted, restored, isEmpty } = this.#tally;
    if (!isEmpty) daily.add.run(dayOf(this.now), created, deleted, restored);
    this.#indexes.merge();
    this.groups.endTransaction();
    return outcomes;
  }

  /** Writes to the disk without changing anything: succeeds if writes work. */
  probe(): void {
    // SQLite writes no page if an update changes nothing. It writes a page that was changed back.
    this.#inTransaction(() => {
      this.#statements.directory.addUsers.run(1);
      this.#statements.directory.addUsers.run(-1);
    });
  }

  #inTransaction<T>(work: () => T): T {
    this.#db.run("BEGIN IMMEDIATE");
    let committing = false;
    try {
      const result = work();
      committing = true;
      this.#db.run("COMMIT");
      return result;
    } catch (error) {
      if (this.#db.inTransaction) this.#db.run("ROLLBACK");
      throw committing ? toCommitProblem(error) : error;
    }
  }

  /** False for errors that would fail every write alike, such as a full disk or a lock. */
  #isCausedByOneWrite(error: unknown): boolean {
    if (error instanceof FileProblem) return false;
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    return !/^SQLITE_(BUSY|FULL|IOERR|CORRUPT|NOTADB|READONLY|CANTOPEN|NOMEM|LOCKED)/.test(code);
  }

  /** Compiles the schema if it has changed. */
  #updateRules(state: SchemaState): void {
    if (this.#schema.isAt(state)) return;
    const { readSchema } = this.#statements.directory;
    this.#schema.update(state, state.version === 0 ? "{}" : (readSchema.get(state.version)?.json ?? "{}"));
  }
}
