import type { Json, User } from "../../client/index.ts";
import { credentialFields, FIELD_NAME_PATTERN, managedFields, prototypeNames } from "../../contract/user.ts";
import { users as texts } from "../texts/index.ts";

/** What every user has: of these the first stand before the caller's own fields, the others, which the service writes, after. */
const core = new Set(["name", "email"]);
const managed = new Set<string>(managedFields);
const credentials = new Set<string>(credentialFields);
const hazardous = new Set<string>(prototypeNames);
const pattern = new RegExp(FIELD_NAME_PATTERN);

export const fieldLabel = (field: string) => texts.fields.get(field) ?? field;

/** Every field that the users have, in the order of their columns. */
export function listFields(users: readonly User[]): string[] {
  const own = new Map<string, number>();
  for (const user of users) {
    for (const field in user) if (isCustomField(field)) own.set(field, (own.get(field) ?? 0) + 1);
  }
  // Those that most have come first: they are what one looks for. Otherwise as they stand in the records.
  const byUse = [...own].sort(([, many], [, more]) => more - many);
  return [...core, ...byUse.map(([field]) => field), ...managed];
}

/** What the user has in the field. Another may have one that is called like something that every object has. */
export function getFieldValue(user: User, field: string): Json | undefined {
  return Object.hasOwn(user, field) ? user[field] : undefined;
}

/** A value of a field on one line. */
export function formatValue(value: Json | undefined): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Whether it is the caller's own. */
export function isCustomField(field: string): boolean {
  return !core.has(field) && !managed.has(field);
}

/** Whether only the service writes it. */
export function isManaged(field: string): boolean {
  return managed.has(field);
}

export type FieldNameError = "managed" | "core" | "credential" | "hazardous" | "misnamed";

/** Why none of the caller's own fields can be called so. */
export function checkFieldName(field: string): FieldNameError | undefined {
  if (managed.has(field)) return "managed";
  if (core.has(field)) return "core";
  if (credentials.has(field)) return "credential";
  if (hazardous.has(field)) return "hazardous";
  return pattern.test(field) ? undefined : "misnamed";
}
