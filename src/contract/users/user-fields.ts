import { type ColumnFieldOf, type FieldFacts, type ManagedFieldOf, RecordFields } from "../record-fields.ts";

/** The fields of users, in the order of a response. Every other field is a custom field: callers write and name it. */
export const userFields = {
  id: { kind: "managed", type: "number", hasColumn: true },
  name: { kind: "core", type: "text", hasColumn: true },
  email: { kind: "core", type: "text", hasColumn: true },
  userName: { kind: "core", type: "text", hasColumn: false },
  active: { kind: "core", type: "boolean", hasColumn: false },
  /** What SCIM sends and has no other place. */
  scim: { kind: "core", type: "object", hasColumn: false },
  version: { kind: "managed", type: "number", hasColumn: true },
  createdAt: { kind: "managed", type: "time", hasColumn: true },
  updatedAt: { kind: "managed", type: "time", hasColumn: true },
  /** Of deleted users only. */
  deletedAt: { kind: "managed", type: "time", hasColumn: false },
} as const satisfies Readonly<Record<string, FieldFacts>>;

type UserFields = typeof userFields;
export type ManagedField = ManagedFieldOf<UserFields>;
/** A field that lists can sort by, besides custom fields. */
export type ColumnField = ColumnFieldOf<UserFields>;

export const userRecordFields = new RecordFields(userFields);

export function isManagedField(name: string): name is ManagedField {
  return userRecordFields.isManaged(name);
}

export function isCustomField(name: string): boolean {
  return userRecordFields.isCustom(name);
}

/** Whether the field is stored and listed like a custom field: `userName`, `active` and `scim` are, too. */
export function isStoredAsCustom(name: string): boolean {
  return userRecordFields.isStoredAsCustom(name);
}

/** The fields that are stored as custom fields, those that Roster defines first, as in a user. */
export function orderStoredFields(fields: Iterable<string>): string[] {
  return userRecordFields.orderStored(fields);
}

/** Undefined for custom fields: their values can have any type. */
export function fieldType(name: string): FieldFacts["type"] | undefined {
  return userRecordFields.typeOf(name);
}

export const managedFields: readonly ManagedField[] = userRecordFields.managed;
/** In descending order with a `-` in front. */
export const columnFields: readonly ColumnField[] = userRecordFields.columns;
