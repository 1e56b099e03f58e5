import { FieldErrors } from "../../domain/field-errors.ts";
import type { MemberPatch } from "../../domain/groups/group-store.ts";
import type { Steps } from "../../domain/scheduling/steps.ts";
import type { MemberChanges } from "./member-changes.ts";
import { userNotFound } from "./stored-outcome.ts";
import type { WriteTransaction } from "./write-transaction.ts";

/** Adds and removes members, all or none. Fails with `invalid-group` if a user to add does not exist. */
export function* patchMembers(
  transaction: WriteTransaction,
  groupId: number,
  { add, remove }: MemberPatch,
  members: MemberChanges,
): Steps<{ added: number; removed: number }> {
  const errors = new FieldErrors();
  for (const [index, id] of add.entries()) {
    if (!transaction.hasUser(id)) errors.add(`/add/${index}`, `There is no user ${id}.`);
    yield;
  }
  errors.throwIfAny("invalid-group");
  const result = { added: 0, removed: 0 };
  for (const id of add) {
    if (members.add(groupId, id)) result.added++;
    yield;
  }
  for (const id of remove) {
    if (members.remove(groupId, id)) result.removed++;
    yield;
  }
  return result;
}

/** Makes a user a member, or removes it. Fails with `user-not-found`. */
export function setMember(
  transaction: WriteTransaction,
  groupId: number,
  userId: number,
  isMember: boolean,
  members: MemberChanges,
): void {
  if (!transaction.hasUser(userId)) throw userNotFound(userId);
  if (isMember) members.add(groupId, userId);
  else members.remove(groupId, userId);
}
