import type { Json, User } from "../../client/index.ts";
import {
  FIELD_NAME_PATTERN,
  isCredentialField,
  managedFields,
  prototypeNames,
} from "../../contract/users/user.ts";
import { users as texts } from "../texts/index.ts";

const core = new Set(["name", "email"]);
const managed = new Set<string>(managedFields);
const hazardous = new Set<string>(prototypeNames);
const pattern = new RegExp(FIELD_NAME_PATTERN);

export const fieldLabel = (field: string) => texts.fields.get(field) ?? field;

/** All fields in the order of the columns: core fields, custom fields of the directory, then those that only these users have. */
export function listFields(known: readonly string[], users: readonly User[]): string[] {
  const custom = new Set(known);
  for (const user of users) {
    for (const field in user) if (isCustomField(field)) custom.add(field);
  }
  return [...core, ...custom, ...managed];
}

/** Reads own properties only: a field may be named like a method of every object. */
export function getFieldValue(user: User, field: string): Json | undefined {
  return Object.hasOwn(user, field) ? user[field] : undefined;
}

/** A field's value on one line. */
export function formatValue(value: Json | undefined): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

export function isCustomField(field: string): boolean {
  return !core.has(field) && !managed.has(field);
}

/** Whether Roster sets the field. */
export function isManaged(field: string): boolean {
  return managed.has(field);
}

export type FieldNameError = "managed" | "core" | "credential" | "hazardous" | "misnamed";

/** Why a custom field can't have this name. */
export function checkFieldName(field: string): FieldNameError | undefined {
  if (managed.has(field)) return "managed";
  if (core.has(field)) return "core";
  if (isCredentialField(field)) return "credential";
  if (hazardous.has(field)) return "hazardous";
  return pattern.test(field) ? undefined : "misnamed";
}
