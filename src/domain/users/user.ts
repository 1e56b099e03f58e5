import type { Json } from "../../contract/json.ts";
import type { UserRecord } from "../../contract/users/user.ts";
import { managedFields, userRecordFields } from "../../contract/users/user-fields.ts";
import { foldCase, foldEmail, foldText, wordStarts } from "../fold.ts";
import { indexRows } from "../lists/value-index.ts";
import { type EditOf, type RecordTerms, renderRecord, type StoredRecord } from "../records/record.ts";

/** A change to a user. */
export type Edit = EditOf<UserRecord>;

/** Builds the user's JSON. */
export function renderUser(
  id: number,
  record: UserRecord,
  version: number,
  createdAt: string,
  updatedAt: string,
): StoredRecord {
  return renderRecord(id, record, version, { createdAt, updatedAt });
}

/** The JSON of a deleted user. */
export function renderDeletedUser(json: string, deletedAt: string): string {
  return `${json.slice(0, -1)},"deletedAt":"${deletedAt}"}`;
}

/** The record of a user, and when the user was created. */
export function parseUser(json: string): { record: UserRecord; createdAt: string } {
  const fields: UserRecord & { createdAt: string } = JSON.parse(json);
  const { createdAt } = fields;
  const record: UserRecord = { ...fields };
  for (const field of managedFields) delete record[field];
  return { record, createdAt };
}

/** What engines index for a user. */
export interface IndexTerms extends RecordTerms {
  readonly emailFold: string | undefined;
  /** Unique among users. */
  readonly emailKey: string | undefined;
}

/** The folded `userName`; null without one. */
export function userNameKey({ userName }: { readonly [field: string]: Json | undefined }): string | null {
  return typeof userName === "string" ? foldEmail(userName) : null;
}

export function indexTerms(record: UserRecord): IndexTerms {
  const { name, email } = record;
  const nameFold = foldText(name);
  const emailFold = email === undefined ? undefined : foldText(email);
  return {
    nameFold,
    nameKey: foldCase(name),
    emailFold,
    emailKey: email === undefined ? undefined : foldEmail(email),
    wordStarts: wordStarts(nameFold, emailFold),
    values: indexRows(record, userRecordFields.writtenColumns),
  };
}
