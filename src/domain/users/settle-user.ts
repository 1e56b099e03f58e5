import { isObject, type Json } from "../../contract/json.ts";
import type { UserRecord } from "../../contract/users/user.ts";
import { indexRows } from "../lists/value-index.ts";
import { findUserNameError } from "./check-user.ts";
import { type IndexTerms, indexTerms } from "./user.ts";

/** Fields that were custom fields before Roster defined them, and where values go that they cannot have. */
const previousFields = {
  userName: "previousUserName",
  groups: "previousGroups",
  scim: "previousScim",
} as const;

/** The JSON of a user that has one of these fields contains one of these texts. */
export const UNSETTLED_TEXTS = Object.keys(previousFields).map((field) => `"${field}":`);

/**
 * Moves the values that these fields cannot have to other fields, and removes nulls. Without `isNameFree`, another user has the user
 * name. Returns the same record if nothing changes.
 */
export function settleRecord(record: UserRecord, isNameFree: boolean): UserRecord {
  const canKeep: Readonly<Record<keyof typeof previousFields, (value: Json) => boolean>> = {
    userName: (value) => isNameFree && findUserNameError(value) === undefined,
    groups: () => false,
    scim: isObject,
  };
  const entries = Object.entries(record).flatMap(([field, value]): [string, Json][] => {
    if (!isPrevious(field) || canKeep[field](value)) return [[field, value]];
    return value === null ? [] : [[unusedName(previousFields[field], record), value]];
  });
  const isUnchanged = Object.keys(record).every((field, index) => entries[index]?.[0] === field);
  const { name, email } = record;
  return isUnchanged
    ? record
    : { name, ...(email !== undefined && { email }), ...Object.fromEntries(entries) };
}

/** The index terms that a stored user has. A `userName` without a key was indexed when it still was a custom field. */
export function storedTerms(key: string | null, record: UserRecord): IndexTerms {
  const terms = indexTerms(record);
  const { userName } = record;
  if (typeof userName !== "string" || key !== null) return terms;
  const others = terms.values.filter(({ field }) => field !== "userName");
  const rows = indexRows({ custom: userName }, []);
  return { ...terms, values: [...others, ...rows.map((row) => ({ ...row, field: "userName" }))] };
}

function isPrevious(field: string): field is keyof typeof previousFields {
  return Object.hasOwn(previousFields, field);
}

/** The name, or the name with the first number that no field has. */
function unusedName(name: string, record: UserRecord): string {
  if (!Object.hasOwn(record, name)) return name;
  for (let number = 2; ; number++) if (!Object.hasOwn(record, `${name}${number}`)) return `${name}${number}`;
}
