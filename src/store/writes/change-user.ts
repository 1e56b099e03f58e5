import type { UserRecord } from "../../contract/users/user.ts";
import { type Origin, systemOrigin } from "../../domain/caller.ts";
import { describeChanges, ERASED_EVENT } from "../../domain/events/event.ts";
import { checkPrecondition, type Precondition } from "../../domain/precondition.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import type { StoredRecord } from "../../domain/records/record.ts";
import { type RestoreChanges, userCheck } from "../../domain/users/check-user.ts";
import { applyUserEdit, checkNewUserName } from "../../domain/users/edit-user.ts";
import type { RecordRules } from "../../domain/users/record-rules.ts";
import { settleRecord, storedTerms } from "../../domain/users/settle-user.ts";
import {
  type Edit,
  indexTerms,
  parseUser,
  renderDeletedUser,
  renderUser,
  userNameKey,
} from "../../domain/users/user.ts";
import type { Attempt, CreateOutcome } from "../../domain/users/user-store.ts";
import { toStoredActor } from "../sql/stored-actor.ts";
import type { MemberChanges } from "./member-changes.ts";
import { deletedUserNotFound, emailTaken, restoredEmailTaken, userNotFound } from "./stored-outcome.ts";
import {
  type DeletedUser,
  type IndexedUser,
  timeAfter,
  type UserRow,
  type WriteTransaction,
} from "./write-transaction.ts";

/** Creates a user, or returns the problem. Fails with `invalid-user` or `value-taken`. */
export function createUser(
  transaction: WriteTransaction,
  attempt: Attempt,
  by: Origin,
  rules: RecordRules,
): CreateOutcome["outcome"] {
  if ("problem" in attempt) return attempt;
  const record = addDefaults(attempt.record, rules);
  checkNewUserName(record);
  rules.schema?.check(record);
  const user = renderUser(transaction.nextId, record, 1, transaction.nowText, transaction.nowText);
  const inserted = transaction.insert(indexUser(user, record, transaction.now, by));
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

/** A new user has the schema's defaults. Fails with `invalid-user` if the record becomes too large. */
function addDefaults(record: UserRecord, rules: RecordRules): UserRecord {
  const missing = rules.schema?.missingDefaults(record);
  return missing ? userCheck.merged({ ...record, ...missing }, rules) : record;
}

/** Fails with `email-taken`, `value-taken` or `invalid-user`. */
export function editUser(
  transaction: WriteTransaction,
  row: UserRow,
  edit: Edit,
  by: Origin,
  rules: RecordRules,
): StoredRecord {
  const { id } = row;
  const { record, createdAt } = parseUser(row.json);
  const next = applyUserEdit(record, edit, rules);
  if (!next) return { id, version: row.version, json: row.json };
  rules.schema?.checkChanges(record, next);

  const { time: updatedAt, text } = timeAfter(transaction, row.updatedAt);
  const user = renderUser(id, next, row.version + 1, createdAt, text);
  const before = { row, terms: storedTerms(row.userNameKey, record) };
  if (!transaction.update(before, indexUser(user, next, updatedAt, by))) throw emailTaken(next);
  const { version, json } = user;
  const changes = describeChanges(record, next);
  transaction.record({ type: "user.updated", subjectId: id, version, by, changes, record: json });
  return user;
}

/**
 * Moves the values that `userName`, `groups` and `scim` cannot have to other fields, and claims the user name. If another user has
 * the user name, it moves too. Returns whether the user changes.
 */
export function settleUser(transaction: WriteTransaction, row: UserRow): boolean {
  const { record, createdAt } = parseUser(row.json);
  const before = { row, terms: storedTerms(row.userNameKey, record) };
  const settle = (isNameFree: boolean) => {
    const next = settleRecord(record, isNameFree);
    if (next === record) {
      const key = userNameKey(record);
      if (key === row.userNameKey) return false;
      transaction.update(before, { row: { ...row, userNameKey: key }, terms: indexTerms(record) });
      return false;
    }
    const { time: updatedAt, text } = timeAfter(transaction, row.updatedAt);
    const user = renderUser(row.id, next, row.version + 1, createdAt, text);
    transaction.update(before, indexUser(user, next, updatedAt, systemOrigin));
    transaction.record({
      type: "user.updated",
      subjectId: row.id,
      version: user.version,
      by: systemOrigin,
      changes: describeChanges(record, next),
      record: user.json,
    });
    return true;
  };
  try {
    return settle(true);
  } catch (error) {
    if (!(error instanceof ProblemError && error.type === "value-taken")) throw error;
    return settle(false);
  }
}

function indexUser(user: StoredRecord, record: UserRecord, updatedAt: number, by: Origin): IndexedUser {
  return {
    row: { ...user, updatedAt, changedBy: toStoredActor(by.actor), userNameKey: userNameKey(record) },
    terms: indexTerms(record),
  };
}

/** Deletes a user, and keeps it with its groups so that it can be restored, unless it is purged too. */
export function removeUser(
  transaction: WriteTransaction,
  row: UserRow,
  by: Origin,
  purge: boolean,
  members: MemberChanges,
): void {
  const { id, version, json } = row;
  transaction.remove({ row, terms: storedTerms(row.userNameKey, parseUser(json).record) });
  transaction.record({ type: "user.deleted", subjectId: id, version, by, changes: "{}", record: json });
  const groups = members.removeFromAll(id);
  if (purge) {
    purgeUser(transaction, row, by);
  } else {
    const { time, text } = timeAfter(transaction, row.updatedAt);
    transaction.keepDeleted({ id, version, json: renderDeletedUser(json, text), deletedAt: time, groups });
  }
}

/** Fails with `email-taken`, `value-taken` or `invalid-user`. */
export function restoreUser(
  transaction: WriteTransaction,
  { id, version, json, deletedAt, groups }: DeletedUser,
  changes: RestoreChanges,
  by: Origin,
  rules: RecordRules,
  members: MemberChanges,
): StoredRecord {
  const { record: kept, createdAt } = parseUser(json);
  const record = settleRecord(kept, true);
  const next =
    (Object.keys(changes).length > 0 && applyUserEdit(record, { merge: changes }, rules)) || record;
  const { time, text } = timeAfter(transaction, deletedAt);
  const user = renderUser(id, next, version + 1, createdAt, text);
  if (!transaction.restore(indexUser(user, next, time, by), Date.parse(createdAt))) {
    throw changes.email === undefined ? restoredEmailTaken() : emailTaken(next);
  }
  transaction.record({
    type: "user.restored",
    subjectId: id,
    version: user.version,
    by,
    changes: describeChanges(kept, next),
    record: user.json,
  });
  members.addToAll(groups, id);
  return user;
}

/** Erases a deleted user. Its events stay, without personal data. */
export function purgeUser(
  transaction: WriteTransaction,
  { id, version }: Pick<StoredRecord, "id" | "version">,
  by: Origin,
): void {
  transaction.erase(id);
  transaction.record({ type: "user.purged", subjectId: id, version, by, ...ERASED_EVENT });
}

/** Fails with `user-not-found`, `version-mismatch` or `precondition-failed`. */
export function readDeleted(
  transaction: WriteTransaction,
  id: number,
  precondition?: Precondition,
): DeletedUser {
  const user = transaction.readDeleted(id);
  if (!user) throw deletedUserNotFound(id);
  if (precondition) checkPrecondition(precondition, user);
  return user;
}

/** Fails with `user-not-found`, `version-mismatch` or `precondition-failed`. */
export function readCurrent(transaction: WriteTransaction, id: number, precondition?: Precondition): UserRow {
  const row = transaction.read(id);
  if (!row) throw userNotFound(id);
  if (precondition) checkPrecondition(precondition, row);
  return row;
}
