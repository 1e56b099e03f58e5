import type { ImportOptions } from "../../contract/bulk/bulk.ts";
import type { UserRecord } from "../../contract/users/user.ts";
import { foldEmail } from "../../domain/fold.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import { userCheck } from "../../domain/users/check-user.ts";
import { requestedUserName, toUniqueValue, type UniqueValue, USER_NAME } from "../schema/unique-values.ts";
import { createUser, editUser, readCurrent } from "./change-user.ts";
import { fieldsOf, type ImportedKind } from "./import-kind.ts";
import { findUserProblem, type LineAttempt, packCreated, type ReadableAttempt } from "./stored-outcome.ts";
import type { UserRow } from "./write-transaction.ts";

/** How lines become users. A line with an unknown id fails with `user-not-found`. */
export const userLines: ImportedKind<UserRecord, UserRow> = {
  check: userCheck,
  findExisting(transaction, attempt, options, { uniqueFields = [] }) {
    if (attempt.id !== undefined) return readCurrent(transaction, attempt.id);
    const value = matchedValue(attempt, options);
    if (value && value.field !== USER_NAME && !uniqueFields.includes(value.field)) {
      throw new ProblemError("invalid-user", undefined, [
        { pointer: `/${value.field}`, detail: "This field is not unique any more: the schema has changed." },
      ]);
    }
    if (value) return transaction.findByValue(value);
    const emailKey = matchesByEmail(options) ? emailKeyOf(attempt) : undefined;
    return emailKey === undefined ? undefined : transaction.findByEmail(emailKey);
  },
  edit: editUser,
  create(transaction, record, by, rules) {
    const outcome = createUser(transaction, { record }, by, rules);
    return "user" in outcome ? packCreated(outcome.user.id) : outcome.problem;
  },
  findProblem: findUserProblem,
};

/** Whether the users of existing emails must be read before the lines can be applied. */
export function matchesByEmail({ onConflict, match }: ImportOptions): boolean {
  return match === "email" && onConflict !== "fail";
}

/** The user name or the value of the unique custom field by which a line finds its user; undefined if users are found otherwise. */
export function matchedValue(
  attempt: ReadableAttempt<UserRecord>,
  { onConflict, match }: ImportOptions,
): UniqueValue | undefined {
  if (match === "email" || match === "id" || onConflict === "fail") return undefined;
  const fields = fieldsOf(attempt);
  return match === USER_NAME ? requestedUserName(fields) : toUniqueValue(match, fields[match]);
}

/** The folded email of a line. */
export function emailKeyOf(attempt: LineAttempt<UserRecord>): string | undefined {
  if ("problem" in attempt) return undefined;
  const { email } = fieldsOf(attempt);
  return typeof email === "string" ? foldEmail(email) : undefined;
}
