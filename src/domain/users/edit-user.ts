import type { UserRecord } from "../../contract/users/user.ts";
import { FieldErrors } from "../field-errors.ts";
import type { RecordLimits } from "../records/check-record.ts";
import { applyEdit } from "../records/record.ts";
import { userCheck } from "./check-user.ts";
import { dropEmailEntry } from "./email-entries.ts";
import { isStandInName, STAND_IN_ERROR } from "./stand-in-name.ts";
import type { Edit } from "./user.ts";

/** Applies an edit to a user. Returns undefined if it changes nothing. Fails with `invalid-user`. */
export function applyUserEdit(current: UserRecord, edit: Edit, limits: RecordLimits): UserRecord | undefined {
  const next = applyEdit(current, edit, userCheck, limits);
  if (!next) return undefined;
  checkNewUserName(next, current);
  return dropEmailEntry(current, next);
}

/** A user name that no user may get can stay where it is. Fails with `invalid-user`. */
export function checkNewUserName({ userName }: UserRecord, before?: UserRecord): void {
  if (typeof userName !== "string" || userName === before?.userName || !isStandInName(userName)) return;
  const errors = new FieldErrors();
  errors.add("/userName", STAND_IN_ERROR);
  errors.throwIfAny("invalid-user");
}
