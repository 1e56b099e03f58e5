import { groupFields } from "../../contract/groups/group-fields.ts";
import { userFields } from "../../contract/users/user-fields.ts";
import type { Attribute, ResourceKind } from "../attributes.ts";

/** Where records have the extensions that the table does not have, by URN. */
export const EXTENSIONS = ["scim", "extensions"] as const;

/** The fields of attributes that the table has no field for, because they are not shown as they are stored. */
const fields: ReadonlyMap<string, string> = new Map([
  ["id", "id"],
  ["userName", "userName"],
  ["displayName", "name"],
  ["active", "active"],
  ["created", "createdAt"],
  ["lastModified", "updatedAt"],
  ["version", "version"],
]);

/** The field with the value of an attribute or sub-attribute, as lists are sorted by it. */
export function fieldOf({ name, field }: Attribute): string | undefined {
  return field ?? fields.get(name);
}

/** The fields that Roster defines: none of them is a custom field. */
const defined: Readonly<Record<ResourceKind["name"], ReadonlySet<string>>> = {
  User: new Set(Object.keys(userFields)),
  Group: new Set(Object.keys(groupFields)),
};

/** Whether records can have a custom field of this name. */
export function isCustomField({ name: kind }: ResourceKind, name: string): boolean {
  return !defined[kind].has(name);
}
