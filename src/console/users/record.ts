import type { Json, User, UserInput, UserPatch } from "../../client/index.ts";
import { roster } from "../lib/api.ts";
import { isManaged } from "./fields.ts";

/** What the caller decides about a user: name, email and own fields. A Map, since a field can be called like anything. */
export type UserRecord = ReadonlyMap<string, Json>;

export function toRecord(user: User | undefined): UserRecord {
  const record = new Map<string, Json>();
  for (const [field, value] of Object.entries(user ?? {})) {
    if (!isManaged(field) && value !== undefined) record.set(field, value);
  }
  return record;
}

/** The fields in which they differ, in the order of the first and then of the second. */
export function changedFields(one: UserRecord, other: UserRecord): string[] {
  const all = new Set([...one.keys(), ...other.keys()]);
  return [...all].filter((field) => !isSameValue(one.get(field), other.get(field)));
}

export function isSameValue(one: Json | undefined, other: Json | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

export function createUser(record: UserRecord, idempotencyKey: string): Promise<User> {
  return roster.users.create(toUserInput(record), { idempotencyKey });
}

/** Makes the user what the record says, if nobody has changed it since it was `base`. */
export function updateUser(base: User, record: UserRecord): Promise<User> {
  const { patch, replacement } = buildUpdate(base, record);
  return patch
    ? roster.users.update(base.id, patch, { ifUnchanged: base })
    : roster.users.replace(base.id, replacement, { ifUnchanged: base });
}

type Change =
  | { readonly patch: UserPatch; readonly replacement?: never }
  | { readonly patch?: never; readonly replacement: UserInput };

/** Only what changed; all of it where a merge patch would not come to the same. */
export function buildUpdate(base: User, record: UserRecord): Change {
  const changed = changedFields(toRecord(base), record);
  if (changed.some((field) => needsReplacement(record.get(field))))
    return { replacement: toUserInput(record) };
  return { patch: Object.fromEntries(changed.map((field) => [field, record.get(field) ?? null])) };
}

/** A patch takes null for "remove", and an object for "change these members". */
function needsReplacement(value: Json | undefined): boolean {
  return value !== undefined && typeof value === "object" && !Array.isArray(value);
}

function toUserInput(record: UserRecord): UserInput {
  const { name, email, ...own } = Object.fromEntries(record);
  return { ...own, name: stringOrEmpty(name), ...(email !== undefined && { email: stringOrEmpty(email) }) };
}

/** A name or an email; what is no text was never one. */
export function stringOrEmpty(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
