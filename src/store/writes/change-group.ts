import type { GroupRecord } from "../../contract/groups/group.ts";
import type { Origin } from "../../domain/caller.ts";
import { describeChanges } from "../../domain/events/event.ts";
import { groupCheck } from "../../domain/groups/check-group.ts";
import {
  type GroupEdit,
  groupNotFound,
  groupTerms,
  parseGroup,
  renderGroup,
} from "../../domain/groups/group.ts";
import type { GroupAttempt, GroupCreateOutcome } from "../../domain/groups/group-store.ts";
import { checkPrecondition, type Precondition } from "../../domain/precondition.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import type { RecordLimits } from "../../domain/records/check-record.ts";
import { applyEdit, type StoredRecord } from "../../domain/records/record.ts";
import { toStoredActor } from "../sql/stored-actor.ts";
import { type GroupRow, type IndexedGroup, timeAfter, type WriteTransaction } from "./write-transaction.ts";

/** Creates a group, or returns the problem. */
export function createGroup(
  transaction: WriteTransaction,
  attempt: GroupAttempt,
  by: Origin,
): GroupCreateOutcome["outcome"] {
  if ("problem" in attempt) return attempt;
  const { record } = attempt;
  const { now, nowText, groups } = transaction;
  const group = renderGroup(groups.nextId, record, 0, 1, { createdAt: nowText, updatedAt: nowText });
  const row = { ...group, updatedAt: now, changedBy: toStoredActor(by.actor), memberCount: 0 };
  if (!groups.insert({ row, terms: groupTerms(record) })) return { problem: nameTaken(record.name).data };
  recordEvent(transaction, "group.created", group, by);
  return { group };
}

/** Fails with `value-taken` or `invalid-group`. */
export function editGroup(
  transaction: WriteTransaction,
  row: GroupRow,
  edit: GroupEdit,
  by: Origin,
  limits: RecordLimits,
): StoredRecord {
  const { record } = parseGroup(row.json);
  const next = applyEdit(record, edit, groupCheck, limits);
  if (!next) return { id: row.id, version: row.version, json: row.json };
  const after = changeGroup(transaction, row, next, row.memberCount, by);
  if (!transaction.groups.update({ row, terms: groupTerms(record) }, after)) throw nameTaken(next.name);
  recordEvent(transaction, "group.updated", after.row, by, describeChanges(record, next));
  const { id, version, json } = after.row;
  return { id, version, json };
}

/** The group with its next version. */
export function changeGroup(
  transaction: WriteTransaction,
  row: GroupRow,
  record: GroupRecord,
  memberCount: number,
  by: Origin,
): IndexedGroup {
  const { createdAt } = parseGroup(row.json);
  const { time: updatedAt, text } = timeAfter(transaction, row.updatedAt);
  const group = renderGroup(row.id, record, memberCount, row.version + 1, { createdAt, updatedAt: text });
  return {
    row: { ...group, updatedAt, changedBy: toStoredActor(by.actor), memberCount },
    terms: groupTerms(record),
  };
}

export function removeGroup(transaction: WriteTransaction, row: GroupRow, by: Origin): void {
  transaction.groups.remove({ row, terms: groupTerms(parseGroup(row.json).record) });
  recordEvent(transaction, "group.deleted", row, by);
}

function recordEvent(
  transaction: WriteTransaction,
  type: "group.created" | "group.updated" | "group.deleted",
  { id, version, json }: StoredRecord,
  by: Origin,
  changes = "{}",
): void {
  transaction.record({ type, subjectId: id, version, by, changes, record: json });
}

/** Fails with `group-not-found`, `version-mismatch` or `precondition-failed`. */
export function readGroup(
  transaction: WriteTransaction,
  id: number,
  precondition: Precondition | undefined,
): GroupRow {
  const row = transaction.groups.read(id);
  if (!row) throw groupNotFound(id);
  if (precondition) checkPrecondition(precondition, row, "group");
  return row;
}

export function nameTaken(name: string): ProblemError {
  const detail = `Another group has the name ${JSON.stringify(name)}.`;
  return new ProblemError("value-taken", detail, [{ pointer: "/name", detail }]);
}
