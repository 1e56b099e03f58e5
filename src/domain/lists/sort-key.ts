import type { Json } from "../../contract/json.ts";
import type { UserRecord } from "../../contract/users/user.ts";
import { managedFields } from "../../contract/users/user-fields.ts";
import {
  booleanKey,
  fieldNames,
  indexRows,
  numberKey,
  OVERFLOW_ROW,
  textKey,
  valueKinds,
} from "./value-index.ts";

/** Values of the kinds before this one can be sorted: numbers, text, booleans. */
export const FIRST_UNSORTABLE_KIND = valueKinds.null;

type User = { readonly [field: string]: Json };

/**
 * A function that finds a user's key in the order of a custom field, as the value index has it. The path is that of
 * `fieldPath`. A user has no key if the value cannot be sorted, or is in an object and not indexed.
 */
export function sortKeyFinder(path: string): (user: User) => string | undefined {
  const names = fieldNames(path);
  return (user) => {
    const key = toKey(path, findMember(user, names));
    return key !== undefined && names.length > 1 && hasOverflow(user) ? undefined : key;
  };
}

function findMember(user: User, names: readonly string[]): Json | undefined {
  let value: Json | undefined = user;
  for (const name of names) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    value = Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
}

function toKey(path: string, value: Json | undefined): string | undefined {
  switch (typeof value) {
    case "number":
      return numberKey(value);
    case "string":
      return textKey(value, { path });
    case "boolean":
      return booleanKey(value);
    default:
      return undefined;
  }
}

/** Whether the user has too many values for the index. */
function hasOverflow(user: User): boolean {
  const record: UserRecord = { name: "", ...user };
  for (const field of managedFields) delete record[field];
  return indexRows(record).includes(OVERFLOW_ROW);
}
