import type { Group, Json, User } from "../../client/index.ts";
import { userRecordFields } from "../../contract/users/user-fields.ts";
import { roster } from "../lib/api.ts";

/** The part of a user or a group that callers write. A Map, because field names can be anything. */
export type UserRecord = ReadonlyMap<string, Json>;

/** What forms edit. */
export type EditedItem = User | Group;

/** What Roster knows about the fields of users, or of groups. */
export interface KnownFields {
  isManaged(name: string): boolean;
  isCustom(name: string): boolean;
}

export function toRecord(item: EditedItem | undefined, fields: KnownFields = userRecordFields): UserRecord {
  const record = new Map<string, Json>();
  for (const [field, value] of Object.entries(item ?? {})) {
    if (!fields.isManaged(field) && value !== undefined) record.set(field, value);
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

/** The methods of the client for users, or for groups. */
interface Writer<Item> {
  get(id: number): Promise<Item>;
  create(input: RecordInput, options: { readonly idempotencyKey: string }): Promise<Item>;
  update(id: number, patch: RecordPatch, options: Unchanged): Promise<Item | undefined>;
  replace(id: number, input: RecordInput, options: Unchanged): Promise<Item | undefined>;
}

type RecordPatch = { readonly [field: string]: Json };
type RecordInput = RecordPatch & { readonly name: string };

interface Unchanged {
  readonly ifUnchanged: { readonly version: number };
}

export function createRecord<Item>(
  writer: Writer<Item>,
  record: UserRecord,
  idempotencyKey: string,
): Promise<Item> {
  return writer.create(toInput(record), { idempotencyKey });
}

export const updateUser = (base: User, record: UserRecord): Promise<User> =>
  updateRecord(roster.users, base, record);

/** Writes the record, on the condition that `base` is still the current version. */
export async function updateRecord<Item extends EditedItem>(
  writer: Writer<Item>,
  base: Item,
  record: UserRecord,
  fields?: KnownFields,
): Promise<Item> {
  const { patch, replacement } = buildUpdate(base, record, fields);
  const options = { ifUnchanged: base };
  const changed = patch
    ? await writer.update(base.id, patch, options)
    : await writer.replace(base.id, replacement, options);
  // Keys without the scope to read do not get the changed record. Reading it fails with the reason.
  return changed ?? writer.get(base.id);
}

type Change =
  | { readonly patch: RecordPatch; readonly replacement?: never }
  | { readonly patch?: never; readonly replacement: RecordInput };

/** A patch with the changed fields, or a replacement if a merge patch can't express the change. */
export function buildUpdate(base: EditedItem, record: UserRecord, fields?: KnownFields): Change {
  const changed = changedFields(toRecord(base, fields), record);
  if (changed.some((field) => needsReplacement(record.get(field)))) return { replacement: toInput(record) };
  return { patch: Object.fromEntries(changed.map((field) => [field, record.get(field) ?? null])) };
}

/** In a merge patch, null removes a field and an object changes single members. */
function needsReplacement(value: Json | undefined): boolean {
  return value !== undefined && typeof value === "object" && !Array.isArray(value);
}

function toInput(record: UserRecord): RecordInput {
  return { ...Object.fromEntries(record), name: stringOrEmpty(record.get("name")) };
}

export function stringOrEmpty(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
