import type { Json, User, UserInput, UserPatch } from "../../client/index.ts";
import { isManagedField } from "../../contract/users/user-fields.ts";
import { roster } from "../lib/api.ts";

/** The part of a user that callers write. A Map, because field names can be anything. */
export type UserRecord = ReadonlyMap<string, Json>;

export function toRecord(user: User | undefined): UserRecord {
  const record = new Map<string, Json>();
  for (const [field, value] of Object.entries(user ?? {})) {
    if (!isManagedField(field) && value !== undefined) record.set(field, value);
  }
  return record;
}

/** The fields in which two records differ: first those of `a`, then those only in `b`. */
export function changedFields(a: UserRecord, b: UserRecord): string[] {
  const fields = new Set([...a.keys(), ...b.keys()]);
  return [...fields].filter((field) => !isSameValue(a.get(field), b.get(field)));
}

export function isSameRecord(a: UserRecord, b: UserRecord): boolean {
  return changedFields(a, b).length === 0;
}

export function isSameValue(a: Json | undefined, b: Json | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

export function createUser(record: UserRecord, idempotencyKey: string): Promise<User> {
  return roster.users.create(toUserInput(record), { idempotencyKey });
}

/** Writes the record, on the condition that `base` is still the current version. */
export async function updateUser(base: User, record: UserRecord): Promise<User> {
  const { patch, replacement } = buildUpdate(base, record);
  const options = { ifUnchanged: base };
  const changed = patch
    ? await roster.users.update(base.id, patch, options)
    : await roster.users.replace(base.id, replacement, options);
  // Keys without the scope users:read do not get the changed user. Reading it fails with the reason.
  return changed ?? roster.users.get(base.id);
}

type Change =
  | { readonly patch: UserPatch; readonly replacement?: never }
  | { readonly patch?: never; readonly replacement: UserInput };

/** A patch with the changed fields, or a replacement if a merge patch can't express the change. */
export function buildUpdate(base: User, record: UserRecord): Change {
  const changed = changedFields(toRecord(base), record);
  if (changed.some((field) => needsReplacement(record.get(field))))
    return { replacement: toUserInput(record) };
  return { patch: Object.fromEntries(changed.map((field) => [field, record.get(field) ?? null])) };
}

/** In a merge patch, null removes a field and an object changes single members. */
function needsReplacement(value: Json | undefined): boolean {
  return value !== undefined && typeof value === "object" && !Array.isArray(value);
}

function toUserInput(record: UserRecord): UserInput {
  const { name, email, ...customFields } = Object.fromEntries(record);
  return {
    ...customFields,
    name: stringOrEmpty(name),
    ...(email !== undefined && { email: stringOrEmpty(email) }),
  };
}

export function stringOrEmpty(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
