import { idempotency, type UserRecord } from "../contract/user.ts";
import { checkUser } from "../domain/check-user.ts";
import { parseJsonText } from "../domain/json-text.ts";
import { type ProblemData, ProblemError } from "../domain/problem-error.ts";
import type { Actor, Attempt, CreateOutcome, IdempotencyKey, Precondition } from "../domain/store.ts";
import {
  applyEdit,
  type Edit,
  type IndexTerms,
  indexTerms,
  parseUser,
  renderUser,
  type StoredUser,
} from "../domain/user.ts";

/** A write, as plain data: it may cross to the thread that commits. */
export type Write =
  | ParsedWrite
  | {
      readonly do: "import";
      readonly lines: readonly RawLine[];
      readonly idempotencyKey: IdempotencyKey | undefined;
      readonly by: Actor;
    };

/** A line of an import as it crosses, where objects would cost more than what is in them: its JSON, or why it has none. */
type RawLine = string | ProblemData;

/** What became of lines, likewise: their ids, or why they were refused. */
interface RawImportOutcome {
  readonly users: readonly (number | ProblemData)[];
  readonly replayed: boolean;
}

/** A write whose every record has been read and checked. */
export type ParsedWrite = { readonly by: Actor } & (
  | { readonly do: "create"; readonly attempt: Attempt; readonly idempotencyKey: IdempotencyKey | undefined }
  | {
      readonly do: "create-all";
      readonly attempts: readonly Attempt[];
      readonly idempotencyKey: IdempotencyKey | undefined;
    }
  | {
      readonly do: "edit";
      readonly id: number;
      readonly edit: Edit;
      readonly precondition: Precondition | undefined;
    }
  | { readonly do: "remove"; readonly id: number; readonly precondition: Precondition | undefined }
);

export type WriteOutcome =
  | CreateOutcome
  | RawImportOutcome
  | { readonly user: StoredUser }
  | { readonly removed: number }
  | { readonly problem: ProblemData }
  | { readonly failure: string };

/** A user as it is kept. */
export interface UserRow extends StoredUser {
  readonly updatedAt: number;
  readonly changedBy: Actor;
}

/** A user and what is indexed of it. */
export interface IndexedUser {
  readonly row: UserRow;
  readonly terms: IndexTerms;
}

/** How a create, or an import of several, ended under a key. */
export interface StoredOutcome {
  readonly fingerprint: string;
  readonly outcome: CreateOutcome["outcome"] | Pick<RawImportOutcome, "users">;
  readonly expiresAt: number;
}

/** What a write needs of an engine, inside one transaction. */
export interface WriteTransaction {
  /** The moment of the transaction, in milliseconds and as it is answered. */
  readonly now: number;
  readonly nowText: string;
  /** The id that the next user gets. Asking alone does not use it up. */
  readonly nextId: number;
  read(id: number): UserRow | undefined;
  /** False when another user has the email: nothing is inserted then. */
  insert(user: IndexedUser): boolean;
  /** False when another user has the email: nothing is changed then. */
  update(before: IndexedUser, after: IndexedUser): boolean;
  remove(user: IndexedUser, by: Actor): void;
  findOutcome(idempotencyKey: IdempotencyKey): StoredOutcome | undefined;
  saveOutcome(idempotencyKey: IdempotencyKey, kept: StoredOutcome): void;
}

/** Reads the lines of an import, where they are to be read: away from the event loop if the engine can. */
export function parseImport(write: Write, recordBytes: number): ParsedWrite {
  if (write.do !== "import") return write;
  const { lines, idempotencyKey, by } = write;
  return { do: "create-all", attempts: lines.map((line) => readLine(line, recordBytes)), idempotencyKey, by };
}

/** How much a write counts among those that are committed together. */
export function writeWeight(write: Write): number {
  return write.do === "import" ? write.lines.length : 1;
}

/** Does one write, or refuses it and changes nothing; the same on every engine. */
export function applyWrite(
  transaction: WriteTransaction,
  write: ParsedWrite,
  recordBytes: number,
): WriteOutcome {
  try {
    switch (write.do) {
      case "create":
        return create(transaction, write);
      case "create-all":
        return createAll(transaction, write);
      case "edit":
        return { user: edit(transaction, write, recordBytes) };
      case "remove":
        return { removed: remove(transaction, write) };
    }
  } catch (error) {
    if (error instanceof ProblemError) return { problem: error.data };
    throw error;
  }
}

function create(
  transaction: WriteTransaction,
  { attempt, idempotencyKey, by }: Extract<ParsedWrite, { do: "create" }>,
): CreateOutcome {
  const kept = idempotencyKey && findStoredOutcome(transaction, idempotencyKey);
  if (kept && !("users" in kept)) return { outcome: kept, replayed: true };
  const outcome = attemptCreate(transaction, attempt, by);
  if (idempotencyKey) storeOutcome(transaction, idempotencyKey, outcome);
  return { outcome, replayed: false };
}

function createAll(
  transaction: WriteTransaction,
  { attempts, idempotencyKey, by }: Extract<ParsedWrite, { do: "create-all" }>,
): RawImportOutcome {
  const kept = idempotencyKey && findStoredOutcome(transaction, idempotencyKey);
  if (kept && "users" in kept) return { ...kept, replayed: true };
  const users = attempts.map((attempt) => {
    const outcome = attemptCreate(transaction, attempt, by);
    return "user" in outcome ? outcome.user.id : outcome.problem;
  });
  if (idempotencyKey) storeOutcome(transaction, idempotencyKey, { users });
  return { users, replayed: false };
}

function readLine(line: RawLine, recordBytes: number): Attempt {
  if (typeof line !== "string") return { problem: line };
  try {
    return { record: checkUser(parseJsonText(line, "line"), recordBytes) };
  } catch (error) {
    if (error instanceof ProblemError) return { problem: error.data };
    throw error;
  }
}

/** How it ended the first time. Fails with `idempotency-mismatch` when that was another request. */
function findStoredOutcome(
  transaction: WriteTransaction,
  idempotencyKey: IdempotencyKey,
): StoredOutcome["outcome"] | undefined {
  const kept = transaction.findOutcome(idempotencyKey);
  if (kept && kept.fingerprint !== idempotencyKey.fingerprint) throw new ProblemError("idempotency-mismatch");
  return kept?.outcome;
}

function storeOutcome(
  transaction: WriteTransaction,
  idempotencyKey: IdempotencyKey,
  outcome: StoredOutcome["outcome"],
): void {
  const expiresAt = transaction.now + idempotency.retentionHours * 3_600_000;
  transaction.saveOutcome(idempotencyKey, { fingerprint: idempotencyKey.fingerprint, outcome, expiresAt });
}

function attemptCreate(transaction: WriteTransaction, attempt: Attempt, by: Actor): CreateOutcome["outcome"] {
  if ("problem" in attempt) return attempt;
  const { record } = attempt;
  const user = renderUser(transaction.nextId, record, 1, transaction.nowText, transaction.nowText);
  const made = transaction.insert({
    row: { ...user, updatedAt: transaction.now, changedBy: by },
    terms: indexTerms(record),
  });
  return made ? { user } : { problem: emailTaken(record).data };
}

function edit(
  transaction: WriteTransaction,
  { id, edit: change, precondition, by }: Extract<ParsedWrite, { do: "edit" }>,
  recordBytes: number,
): StoredUser {
  const row = current(transaction, id, precondition);
  const { record, createdAt } = parseUser(row.json);
  const next = applyEdit(record, change, recordBytes);
  if (!next) return { id, version: row.version, json: row.json };

  // Time does not run backwards for a user, even if the clock does.
  const updatedAt = Math.max(row.updatedAt, transaction.now);
  const updatedText = updatedAt === transaction.now ? transaction.nowText : new Date(updatedAt).toISOString();
  const user = renderUser(id, next, row.version + 1, createdAt, updatedText);
  const before = { row, terms: indexTerms(record) };
  const after = { row: { ...user, updatedAt, changedBy: by }, terms: indexTerms(next) };
  if (!transaction.update(before, after)) throw emailTaken(next);
  return user;
}

function remove(
  transaction: WriteTransaction,
  { id, precondition, by }: Extract<ParsedWrite, { do: "remove" }>,
): number {
  const row = current(transaction, id, precondition);
  transaction.remove({ row, terms: indexTerms(parseUser(row.json).record) }, by);
  return id;
}

function current(transaction: WriteTransaction, id: number, precondition: Precondition | undefined): UserRow {
  const row = transaction.read(id);
  if (!row) throw new ProblemError("user-not-found", `There is no user ${id}.`);
  if (precondition && precondition !== "any" && !precondition.includes(row.version)) {
    throw new ProblemError(
      "version-mismatch",
      `User ${id} is at version ${row.version} now. Nothing was changed.`,
    );
  }
  return row;
}

function emailTaken(record: UserRecord): ProblemError {
  return new ProblemError("email-taken", undefined, [
    { pointer: "/email", detail: `Another user has ${record.email}.` },
  ]);
}

/** The values of the caller's own fields that one user has and the other has not. */
export function valuesNotIn(terms: IndexTerms, others: IndexTerms): IndexTerms["values"] {
  const name = ([field, value]: readonly [string, string]) => `${field}\n${value}`;
  const known = new Set(others.values.map(name));
  return terms.values.filter((value) => !known.has(name(value)));
}

/** What a caller is told when a write did not come to what was asked. */
export function toError(outcome: WriteOutcome): Error {
  if ("problem" in outcome) return ProblemError.of(outcome.problem);
  return new Error("failure" in outcome ? outcome.failure : "The writer answered another question.");
}
