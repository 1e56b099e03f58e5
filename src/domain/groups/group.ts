import type { GroupRecord } from "../../contract/groups/group.ts";
import { groupRecordFields } from "../../contract/groups/group-fields.ts";
import { foldCase, foldEmail, foldText, wordStarts } from "../fold.ts";
import { indexRows } from "../lists/value-index.ts";
import { ProblemError } from "../problem-error.ts";
import {
  type EditOf,
  type RecordTerms,
  type RecordTimes,
  renderRecord,
  type StoredRecord,
} from "../records/record.ts";

/** A change to a group. */
export type GroupEdit = EditOf<GroupRecord>;

/** Builds the group's JSON. */
export function renderGroup(
  id: number,
  record: GroupRecord,
  memberCount: number,
  version: number,
  times: RecordTimes,
): StoredRecord {
  return renderRecord(id, record, version, times, `"memberCount":${memberCount},`);
}

/** A group as stored, in parts. */
export interface ParsedGroup {
  readonly record: GroupRecord;
  readonly memberCount: number;
  readonly createdAt: string;
}

export function parseGroup(json: string): ParsedGroup {
  const fields: GroupRecord & { memberCount: number; createdAt: string } = JSON.parse(json);
  const { memberCount, createdAt } = fields;
  const record: GroupRecord = { ...fields };
  for (const field of groupRecordFields.managed) delete record[field];
  return { record, memberCount, createdAt };
}

/** What engines index for a group. */
export interface GroupTerms extends RecordTerms {
  /** Unique among groups. */
  readonly uniqueName: string;
}

export function groupTerms(record: GroupRecord): GroupTerms {
  const { name } = record;
  const nameFold = foldText(name);
  return {
    nameFold,
    nameKey: foldCase(name),
    uniqueName: foldEmail(name),
    wordStarts: wordStarts(nameFold, undefined),
    values: indexRows(record, groupRecordFields.writtenColumns),
  };
}

export function groupNotFound(id: number): ProblemError {
  return new ProblemError("group-not-found", `There is no group ${id}.`);
}
