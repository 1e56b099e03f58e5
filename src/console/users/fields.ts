import type { Json, User } from "../../client/index.ts";
import { type FieldNameError, findNameError } from "../../contract/users/field-name.ts";
import {
  columnFields,
  fieldType,
  isManagedField,
  isStoredAsCustom,
  orderStoredFields,
} from "../../contract/users/user-fields.ts";
import type { FieldSpec } from "../fields/field-spec.ts";
import { users as texts } from "../texts/index.ts";

/** The title that the schema gives a custom field, or the field's name. */
export const fieldLabel = (field: string, spec?: FieldSpec) =>
  spec?.label ?? texts.fields.get(field) ?? field;

/** All fields of users that are not deleted, in the order of the columns: core fields, custom fields of the directory, then those that only these users have. */
export function listFields(known: readonly string[], users: readonly User[]): string[] {
  const custom = new Set(known);
  for (const user of users) {
    for (const field in user) if (isStoredAsCustom(field)) custom.add(field);
  }
  return ["name", "email", ...orderStoredFields(custom), ...columnFields.filter(isManagedField)];
}

/** Reads own properties only: a field may be named like a method of every object. */
export function getFieldValue(user: User, field: string): Json | undefined {
  return Object.hasOwn(user, field) ? user[field] : undefined;
}

/** The values of a field that some users have, without null. */
export function presentValues(users: readonly User[], field: string): Json[] {
  return users.map((user) => getFieldValue(user, field) ?? null).filter((value) => value !== null);
}

/** A field's value on one line. */
export function formatValue(value: Json | undefined): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

type NameError = FieldNameError | "managed" | "core";

/** Why a column of a file or a changed field can't have this name. The texts of Roster itself have places of their own. */
export function checkFieldName(field: string): NameError | undefined {
  if (isManagedField(field)) return "managed";
  return fieldType(field) === "text" ? "core" : findNameError(field);
}
