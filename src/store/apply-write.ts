import { idempotency } from "../contract/user.ts";
import { loopShare } from "../domain/bulk/loop-share.ts";
import type { Actor } from "../domain/caller.ts";
import { checkUser } from "../domain/check-user.ts";
import { parseJsonText } from "../domain/json-text.ts";
import { checkPrecondition, type Precondition } from "../domain/precondition.ts";
import { type ProblemData, ProblemError } from "../domain/problem-error.ts";
import type { RecordRules } from "../domain/record-rules.ts";
import type { Attempt, CreateOutcome, IdempotencyKey } from "../domain/store.ts";
import {
  applyEdit,
  type Edit,
  type IndexTerms,
  indexTerms,
  parseUser,
  renderUser,
  type StoredUser,
} from "../domain/user.ts";
import {
  emailTaken,
  type ImportResults,
  replayCreate,
  replayImport,
  type StoredOutcome,
  toStoredCreate,
  toStoredImport,
} from "./stored-outcome.ts";

/** A write as plain data, which can be sent to the writer thread. */
export type Write =
  | ParsedWrite
  | {
      readonly kind: "import";
      readonly lines: readonly RawLine[];
      readonly idempotencyKey: IdempotencyKey | undefined;
      readonly by: Actor;
    };

/** A line of an import: its JSON, or its problem. Bare JSON is cheaper to send to the writer thread than an object. */
type RawLine = string | ProblemData;

/** A write whose records have been parsed and checked. */
export type ParsedWrite = { readonly by: Actor } & (
  | {
      readonly kind: "create";
      readonly attempt: Attempt;
      readonly idempotencyKey: IdempotencyKey | undefined;
    }
  | {
      readonly kind: "parsed-import";
      readonly attempts: readonly Attempt[];
      readonly idempotencyKey: IdempotencyKey | undefined;
    }
  | {
      readonly kind: "edit";
      readonly id: number;
      readonly edit: Edit;
      readonly precondition: Precondition | undefined;
    }
  | { readonly kind: "remove"; readonly id: number; readonly precondition: Precondition | undefined }
);

/** Result of a write, with the `kind` of the write, or why the write failed. */
export type WriteOutcome =
  | ({ readonly kind: "create" } & CreateOutcome)
  | ({ readonly kind: "import" } & RawImportOutcome)
  | { readonly kind: "edit"; readonly user: StoredUser }
  | { readonly kind: "remove" }
  | { readonly kind: "problem"; readonly problem: ProblemData }
  | { readonly kind: "failure"; readonly failure: string };

interface RawImportOutcome {
  readonly users: ImportResults;
  readonly replayed: boolean;
}

/** A user as stored. */
export interface UserRow extends StoredUser {
  readonly updatedAt: number;
  readonly changedBy: Actor;
}

/** A user and its index terms. */
export interface IndexedUser {
  readonly row: UserRow;
  readonly terms: IndexTerms;
}

/** What a write needs from an engine, inside one transaction. */
export interface WriteTransaction {
  /** Time of the transaction, in milliseconds and as ISO 8601. */
  readonly now: number;
  readonly nowText: string;
  /** Id of the next user. Only `insert` uses it up. */
  readonly nextId: number;
  read(id: number): UserRow | undefined;
  /** Returns false and inserts nothing if the email is already in use. */
  insert(user: IndexedUser): boolean;
  /** Returns false and changes nothing if the email is already in use. */
  update(before: IndexedUser, after: IndexedUser): boolean;
  remove(user: IndexedUser, by: Actor): void;
  findOutcome(idempotencyKey: IdempotencyKey): StoredOutcome | undefined;
  saveOutcome(idempotencyKey: IdempotencyKey, stored: StoredOutcome): void;
}

/**
 * Parses and checks the lines of an import; returns any other write unchanged. SQLite calls this on the writer thread,
 * off the event loop.
 */
export function parseImport(write: Write, rules: RecordRules): ParsedWrite {
  if (write.kind !== "import") return write;
  const { lines, idempotencyKey, by } = write;
  return { kind: "parsed-import", attempts: lines.map((line) => parseLine(line, rules)), idempotencyKey, by };
}

/** Like `parseImport`, on the event loop: lets requests run between lines. */
export async function parseImportInSlices(write: Write, rules: RecordRules): Promise<ParsedWrite> {
  if (write.kind !== "import") return write;
  const { lines, idempotencyKey, by } = write;
  const attempts: Attempt[] = [];
  for (const line of lines) {
    if (loopShare.isSpent) await loopShare.nextTurn();
    attempts.push(parseLine(line, rules));
  }
  return { kind: "parsed-import", attempts, idempotencyKey, by };
}

/** How much a write counts towards the size of a batch. */
export function writeWeight(write: Write): number {
  return write.kind === "import" ? write.lines.length : 1;
}

/** Applies one write, or returns its problem and changes nothing. The same on every engine. */
export function applyWrite(
  transaction: WriteTransaction,
  write: ParsedWrite,
  rules: RecordRules,
): WriteOutcome {
  try {
    switch (write.kind) {
      case "create":
        return create(transaction, write);
      case "parsed-import":
        return createMany(transaction, write);
      case "edit":
        return { kind: "edit", user: edit(transaction, write, rules) };
      case "remove":
        remove(transaction, write);
        return { kind: "remove" };
    }
  } catch (error) {
    if (error instanceof ProblemError) return { kind: "problem", problem: error.data };
    throw error;
  }
}

function create(
  transaction: WriteTransaction,
  { attempt, idempotencyKey, by }: Extract<ParsedWrite, { kind: "create" }>,
): WriteOutcome {
  const stored = idempotencyKey && findStoredOutcome(transaction, idempotencyKey);
  if (stored && !("runs" in stored)) {
    return { kind: "create", outcome: replayCreate(stored, attempt), replayed: true };
  }
  const outcome = attemptCreate(transaction, attempt, by);
  if (idempotencyKey) storeOutcome(transaction, idempotencyKey, toStoredCreate(outcome));
  return { kind: "create", outcome, replayed: false };
}

function createMany(
  transaction: WriteTransaction,
  { attempts, idempotencyKey, by }: Extract<ParsedWrite, { kind: "parsed-import" }>,
): WriteOutcome {
  const stored = idempotencyKey && findStoredOutcome(transaction, idempotencyKey);
  if (stored && "runs" in stored) {
    return { kind: "import", users: replayImport(stored, attempts), replayed: true };
  }
  const users = attempts.map((attempt) => {
    const outcome = attemptCreate(transaction, attempt, by);
    return "user" in outcome ? outcome.user.id : outcome.problem;
  });
  if (idempotencyKey) storeOutcome(transaction, idempotencyKey, toStoredImport(users));
  return { kind: "import", users, replayed: false };
}

function parseLine(line: RawLine, rules: RecordRules): Attempt {
  if (typeof line !== "string") return { problem: line };
  try {
    return { record: checkUser(parseJsonText(line, "line"), rules) };
  } catch (error) {
    if (error instanceof ProblemError) return { problem: error.data };
    throw error;
  }
}

/** Fails with `idempotency-mismatch` if the key was used with another request body. */
function findStoredOutcome(
  transaction: WriteTransaction,
  idempotencyKey: IdempotencyKey,
): StoredOutcome["outcome"] | undefined {
  const stored = transaction.findOutcome(idempotencyKey);
  if (stored && stored.fingerprint !== idempotencyKey.fingerprint) {
    throw new ProblemError("idempotency-mismatch");
  }
  return stored?.outcome;
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
  const inserted = transaction.insert({
    row: { ...user, updatedAt: transaction.now, changedBy: by },
    terms: indexTerms(record),
  });
  return inserted ? { user } : { problem: emailTaken(record).data };
}

function edit(
  transaction: WriteTransaction,
  { id, edit: change, precondition, by }: Extract<ParsedWrite, { kind: "edit" }>,
  rules: RecordRules,
): StoredUser {
  const row = readCurrent(transaction, id, precondition);
  const { record, createdAt } = parseUser(row.json);
  const next = applyEdit(record, change, rules);
  if (!next) return { id, version: row.version, json: row.json };

  // A user's updatedAt never decreases, even if the clock is set back.
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
  { id, precondition, by }: Extract<ParsedWrite, { kind: "remove" }>,
): void {
  const row = readCurrent(transaction, id, precondition);
  transaction.remove({ row, terms: indexTerms(parseUser(row.json).record) }, by);
}

/** Fails with `user-not-found`, `version-mismatch` or `precondition-failed`. */
function readCurrent(
  transaction: WriteTransaction,
  id: number,
  precondition: Precondition | undefined,
): UserRow {
  const row = transaction.read(id);
  if (!row) throw new ProblemError("user-not-found", `There is no user ${id}.`);
  if (precondition) checkPrecondition(precondition, row);
  return row;
}

/** The indexed values of custom fields that `terms` has and `other` does not. */
export function valuesNotIn(terms: IndexTerms, other: IndexTerms): IndexTerms["values"] {
  const toKey = ([field, value]: readonly [string, string]) => `${field}\n${value}`;
  const otherKeys = new Set(other.values.map(toKey));
  return terms.values.filter((value) => !otherKeys.has(toKey(value)));
}
