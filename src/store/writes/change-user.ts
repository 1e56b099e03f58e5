import type { Origin } from "../../domain/caller.ts";
import { describeChanges } from "../../domain/event.ts";
import { checkPrecondition, type Precondition } from "../../domain/precondition.ts";
import type { RecordRules } from "../../domain/record-rules.ts";
import type { Attempt, CreateOutcome } from "../../domain/store.ts";
import {
  applyEdit,
  type Edit,
  indexTerms,
  parseUser,
  renderUser,
  type StoredUser,
} from "../../domain/user.ts";
import { emailTaken, userNotFound } from "./stored-outcome.ts";
import type { UserRow, WriteTransaction } from "./write-transaction.ts";

/** Creates a user, or returns the problem. */
export function createUser(
  transaction: WriteTransaction,
  attempt: Attempt,
  by: Origin,
): CreateOutcome["outcome"] {
  if ("problem" in attempt) return attempt;
  const { record } = attempt;
  const user = renderUser(transaction.nextId, record, 1, transaction.nowText, transaction.nowText);
  const inserted = transaction.insert({
    row: { ...user, updatedAt: transaction.now, changedBy: by.actor },
    terms: indexTerms(record),
  });
  if (!inserted) return { problem: emailTaken(record).data };
  transaction.record({
    type: "user.created",
    subjectId: user.id,
    version: 1,
    by,
    changes: "{}",
    record: user.json,
  });
  return { user };
}

/** Fails with `email-taken` or `invalid-user`. */
export function editUser(
  transaction: WriteTransaction,
  row: UserRow,
  edit: Edit,
  by: Origin,
  rules: RecordRules,
): StoredUser {
  const { id } = row;
  const { record, createdAt } = parseUser(row.json);
  const next = applyEdit(record, edit, rules);
  if (!next) return { id, version: row.version, json: row.json };

  // A user's updatedAt never decreases, even if the clock is set back.
  const updatedAt = Math.max(row.updatedAt, transaction.now);
  const updatedText = updatedAt === transaction.now ? transaction.nowText : new Date(updatedAt).toISOString();
  const user = renderUser(id, next, row.version + 1, createdAt, updatedText);
  const before = { row, terms: indexTerms(record) };
  const after = { row: { ...user, updatedAt, changedBy: by.actor }, terms: indexTerms(next) };
  if (!transaction.update(before, after)) throw emailTaken(next);
  const { version, json } = user;
  const changes = describeChanges(record, next);
  transaction.record({ type: "user.updated", subjectId: id, version, by, changes, record: json });
  return user;
}

export function removeUser(transaction: WriteTransaction, row: UserRow, by: Origin): void {
  const { id, version, json } = row;
  transaction.remove({ row, terms: indexTerms(parseUser(json).record) });
  transaction.record({ type: "user.deleted", subjectId: id, version, by, changes: "{}", record: json });
}

/** Fails with `user-not-found`, `version-mismatch` or `precondition-failed`. */
export function readCurrent(transaction: WriteTransaction, id: number, precondition?: Precondition): UserRow {
  const row = transaction.read(id);
  if (!row) throw userNotFound(id);
  if (precondition) checkPrecondition(precondition, row);
  return row;
}
