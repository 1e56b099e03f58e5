import { isDeepStrictEqual } from "node:util";
import { isObject, type Json, type JsonObject } from "../../contract/json.ts";
import type { UserRecord } from "../../contract/users/user.ts";
import { managedFields } from "../../contract/users/user-fields.ts";
import { foldCase, foldEmail, foldText, wordStarts } from "../fold.ts";
import { indexRows, type ValueRow } from "../lists/value-index.ts";
import { checkMerged } from "./check-user.ts";
import type { RecordRules } from "./record-rules.ts";

/**
 * A stored user. Its JSON is written when it changes, and responses send it unchanged.
 */
export interface StoredUser {
  readonly id: number;
  readonly version: number;
  readonly json: string;
}

/** A change to a user: a whole new record, or a merge patch (RFC 7396). */
export type Edit = { readonly replace: UserRecord } | { readonly merge: { [field: string]: Json } };

/** Builds the user's JSON, with the fields in the documented order. */
export function renderUser(
  id: number,
  record: UserRecord,
  version: number,
  createdAt: string,
  updatedAt: string,
): StoredUser {
  const inner = JSON.stringify(record).slice(1, -1);
  return {
    id,
    version,
    json: `{"id":${id},${inner},"version":${version},"createdAt":"${createdAt}","updatedAt":"${updatedAt}"}`,
  };
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

/**
 * Applies an edit to a record. Returns undefined if the edit changes nothing. Fails with `invalid-user` if a patch makes
 * the record invalid.
 */
export function applyEdit(current: UserRecord, edit: Edit, rules: RecordRules): UserRecord | undefined {
  const next =
    "replace" in edit
      ? keepFieldOrder(current, edit.replace)
      : checkMerged(mergePatch(current, edit.merge), rules);
  return isDeepStrictEqual(current, next) ? undefined : next;
}

/** Applies a merge patch (RFC 7396). Does not modify its arguments. */
export function mergePatch(target: Json, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const merged: JsonObject = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = mergePatch(Object.hasOwn(merged, key) ? (merged[key] ?? null) : null, value);
  }
  return merged;
}

/** Keeps the order of existing fields, whatever order a PUT sends. New fields come last. */
function keepFieldOrder(current: UserRecord, next: UserRecord): UserRecord {
  const ordered: UserRecord = { name: next.name };
  if (next.email !== undefined) ordered.email = next.email;
  for (const source of [current, next]) {
    for (const field of Object.keys(source)) {
      const value = Object.hasOwn(next, field) ? next[field] : undefined;
      if (value !== undefined) ordered[field] = value;
    }
  }
  return ordered;
}

/** What engines index for a user, besides its id and timestamps. */
export interface IndexTerms {
  readonly nameFold: string;
  readonly emailFold: string | undefined;
  readonly nameKey: string;
  /** Unique among users. */
  readonly emailKey: string | undefined;
  readonly wordStarts: readonly string[];
  /** The values of custom fields. */
  readonly values: readonly ValueRow[];
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
    values: indexRows(record),
  };
}
