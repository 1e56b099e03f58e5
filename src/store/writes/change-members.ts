import { FieldErrors } from "../../domain/field-errors.ts";
import type {
  MemberPatch,
  Membership,
  MembershipLine,
  MembershipResult,
  MembershipsOutcome,
} from "../../domain/groups/group-store.ts";
import type { Steps } from "../../domain/scheduling/steps.ts";
import type { MemberChanges } from "./member-changes.ts";
import { userNotFound } from "./stored-outcome.ts";
import type { GroupRow, WriteTransaction } from "./write-transaction.ts";

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

/** Adds or removes a membership for each line. Names have become ids before: the groups and users may be gone by now. */
export function* importMembers(
  transaction: WriteTransaction,
  lines: readonly MembershipLine[],
  removes: boolean,
  members: MemberChanges,
): Steps<Omit<MembershipsOutcome, "replayed">> {
  /** The bytes of each group, and 0 after its first change: they count once. Undefined for a group that does not exist. */
  const groups = new Map<number, number | undefined>();
  let bytes = 0;
  const importLine = ({ groupId, userId }: Membership): MembershipResult => {
    if (!groups.has(groupId)) groups.set(groupId, sizeOf(transaction.groups.read(groupId)));
    const groupBytes = groups.get(groupId);
    if (groupBytes === undefined) return "group-not-found";
    if (!transaction.hasUser(userId)) return "user-not-found";
    const isChanged = removes ? members.remove(groupId, userId) : members.add(groupId, userId);
    if (!isChanged) return "unchanged";
    bytes += groupBytes;
    groups.set(groupId, 0);
    return "changed";
  };
  const results: MembershipResult[] = [];
  for (const line of lines) {
    results.push(typeof line === "string" ? line : importLine(line));
    yield;
  }
  return { results, bytes };
}

function sizeOf(row: GroupRow | undefined): number | undefined {
  return row && Buffer.byteLength(row.json);
}
