import { isDeepStrictEqual } from "node:util";
import type { GroupRecord } from "../../contract/groups/group.ts";
import type { Origin } from "../../domain/caller.ts";
import { FieldErrors } from "../../domain/field-errors.ts";
import { parseGroup } from "../../domain/groups/group.ts";
import type {
  GroupAttempt,
  GroupChange,
  GroupChangeOutcome,
  GroupCreateOutcome,
  Membership,
  MembershipLine,
  MembershipResult,
  MembershipsOutcome,
} from "../../domain/groups/group-store.ts";
import type { Precondition } from "../../domain/precondition.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import type { RecordLimits } from "../../domain/records/check-record.ts";
import type { StoredRecord } from "../../domain/records/record.ts";
import { finishSteps, type Steps } from "../../domain/scheduling/steps.ts";
import { createGroup, editGroup, readGroup } from "./change-group.ts";
import type { MemberChanges } from "./member-changes.ts";
import { userNotFound } from "./stored-outcome.ts";
import type { GroupRow, WriteTransaction } from "./write-transaction.ts";

/** Creates a group with its first members, or returns the problem. */
export function createWithMembers(
  transaction: WriteTransaction,
  attempt: GroupAttempt,
  by: Origin,
  members: MemberChanges,
): GroupCreateOutcome["outcome"] {
  const outcome = createGroup(transaction, attempt, by);
  if ("problem" in attempt || !attempt.members || "problem" in outcome) return outcome;
  const { id } = outcome.group;
  for (const userId of attempt.members) if (transaction.hasUser(userId)) members.add(id, userId);
  finishSteps(members.record());
  return { group: readStored(transaction, id) };
}

/** What a change of a group is about, and who makes it. */
interface ChangeRequest {
  readonly id: number;
  readonly change: GroupChange;
  readonly precondition: Precondition | undefined;
  readonly by: Origin;
}

/**
 * Changes the record and the members, all or nothing. Fails with `group-not-found`, `version-mismatch`, `precondition-failed`,
 * `value-taken`, or `invalid-group` if a user to add does not exist.
 */
export function* changeWithMembers(
  transaction: WriteTransaction,
  { id, change: { edit, from, members: patch, skipMissing = false }, precondition, by }: ChangeRequest,
  limits: RecordLimits,
  members: MemberChanges,
): Steps<GroupChangeOutcome> {
  const row = readGroup(transaction, id, precondition);
  if (from) checkRecord(row, from);
  const { add = [], remove = [] } = patch ?? {};
  if (!skipMissing) yield* checkUsers(transaction, add);
  if (edit) editGroup(transaction, row, edit, by, limits);
  const result = { added: 0, removed: 0 };
  for (const userId of add) {
    const isUser = !skipMissing || transaction.hasUser(userId);
    if (isUser && members.add(id, userId)) result.added++;
    yield;
  }
  for (const userId of remove) {
    if (members.remove(id, userId)) result.removed++;
    yield;
  }
  yield* members.record();
  return { group: readStored(transaction, id), ...result };
}

/** Fails with `version-mismatch` if the group does not have this record. */
function checkRecord({ id, json }: GroupRow, expected: GroupRecord): void {
  if (isDeepStrictEqual(parseGroup(json).record, expected)) return;
  throw new ProblemError("version-mismatch", `Group ${id} has changed. Nothing was changed.`);
}

/** Fails with `invalid-group` if a user does not exist. */
function* checkUsers(transaction: WriteTransaction, ids: readonly number[]): Steps<void> {
  const errors = new FieldErrors();
  for (const [index, id] of ids.entries()) {
    if (!transaction.hasUser(id)) errors.add(`/add/${index}`, `There is no user ${id}.`);
    yield;
  }
  errors.throwIfAny("invalid-group");
}

function readStored(transaction: WriteTransaction, groupId: number): StoredRecord {
  const { id, version, json } = readGroup(transaction, groupId, undefined);
  return { id, version, json };
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
