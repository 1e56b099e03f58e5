import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { type Json, managedFields, type UserRecord } from "../contract/user.ts";
import { checkUser } from "./check-user.ts";
import { foldCase, foldText, wordStarts } from "./fold.ts";
import type { RecordRules } from "./record-rules.ts";

/**
 * A user as it is kept and answered: its JSON is written once, when it changes, and served as it stands.
 */
export interface StoredUser {
  readonly id: number;
  readonly version: number;
  readonly json: string;
}

/** A change to a user: the whole record anew, or a merge patch (RFC 7396). */
export type Edit = { readonly replace: UserRecord } | { readonly merge: { [field: string]: Json } };

/** The user's JSON, with its fields in the order that the contract promises. */
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

/** The id of a user, read off its JSON in UTF-8: it comes first. */
export function readId(json: Uint8Array): number {
  let id = 0;
  for (let i = '{"id":'.length; i < json.length; i++) {
    const digit = (json[i] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) break;
    id = id * 10 + digit;
  }
  return id;
}

/** The caller's part of a user, and when it was created. */
export function parseUser(json: string): { record: UserRecord; createdAt: string } {
  const fields: UserRecord & { createdAt: string } = JSON.parse(json);
  const { createdAt } = fields;
  const record: UserRecord = { ...fields };
  for (const field of managedFields) delete record[field];
  return { record, createdAt };
}

/**
 * The record that an edit makes of the current one, or undefined when it changes nothing.
 * Fails with `invalid-user` when a patch makes a record that breaks a rule.
 */
export function applyEdit(current: UserRecord, edit: Edit, rules: RecordRules): UserRecord | undefined {
  const next =
    "replace" in edit
      ? keepFieldOrder(current, edit.replace)
      : checkUser(mergePatch(current, edit.merge), rules);
  return isDeepStrictEqual(current, next) ? undefined : next;
}

/** RFC 7396, without changing what it is given. */
export function mergePatch(target: Json, patch: Json): Json {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const merged: { [key: string]: Json } =
    typeof target === "object" && target !== null && !Array.isArray(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = mergePatch(Object.hasOwn(merged, key) ? (merged[key] ?? null) : null, value);
  }
  return merged;
}

/** A field keeps the place where it was first given, in whatever order a later PUT names it. */
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

/** Everything that an engine indexes of a user beside its id and its times. */
export interface IndexTerms {
  readonly nameFold: string;
  readonly emailFold: string | undefined;
  readonly nameKey: string;
  /** What no two users may share. */
  readonly emailKey: string | undefined;
  readonly wordStarts: readonly string[];
  /** What equality filters on the caller's own fields find. */
  readonly values: readonly (readonly [field: string, value: string])[];
}

export function indexTerms(record: UserRecord): IndexTerms {
  const { name, email, ...own } = record;
  const nameFold = foldText(name);
  const emailFold = email === undefined ? undefined : foldText(email);
  const values: [string, string][] = [];
  for (const [field, value] of Object.entries(own)) {
    if (value === null || typeof value !== "object") values.push([field, filterTerm(String(value))]);
  }
  return {
    nameFold,
    nameKey: foldCase(name),
    emailFold,
    emailKey: email === undefined ? undefined : foldCase(email),
    wordStarts: wordStarts(nameFold, emailFold),
    values,
  };
}

/** Long values are compared by their digest, so that an index never has to hold them. */
const MAX_TERM_CHARACTERS = 256;

export function filterTerm(text: string): string {
  return text.length <= MAX_TERM_CHARACTERS
    ? text
    : `\u0001${createHash("sha256").update(text).digest("hex")}`;
}
