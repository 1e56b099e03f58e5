import type { Json } from "../../contract/json.ts";
import { foldEmail } from "../../domain/fold.ts";
import { indexRows, type ValueRow, valueKinds } from "../../domain/lists/value-index.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import type { RecordRules } from "../../domain/users/record-rules.ts";
import type { IndexTerms } from "../../domain/users/user.ts";

/** A value of a unique field, as in the index of values: texts that differ only in case are the same value. */
export type UniqueValue = Pick<ValueRow, "field" | "value">;

const NONE: readonly UniqueValue[] = [];

/** The field of user names. They have a table of their own, `user_names`: the schema does not say that they are unique. */
export const USER_NAME = "userName";

/** The user name of a user: its `userName`, else its email. Undefined without both. */
export function userNameValue(
  userNameKey: string | null,
  { emailKey }: Pick<IndexTerms, "emailKey">,
): UniqueValue | undefined {
  const name = userNameKey ?? emailKey;
  return name === undefined ? undefined : { field: USER_NAME, value: name };
}

/** The user name that the fields of a record or a patch say. */
export function requestedUserName({ userName, email }: Fields): UniqueValue | undefined {
  const name = typeof userName === "string" ? userName : email;
  return typeof name === "string" ? { field: USER_NAME, value: foldEmail(name) } : undefined;
}

type Fields = { readonly [field: string]: Json | undefined };

/** The values of unique fields that a user has. */
export function uniqueValues(
  { values }: Pick<IndexTerms, "values">,
  { uniqueFields }: RecordRules,
): readonly UniqueValue[] {
  if (!uniqueFields) return NONE;
  return values.filter(({ field, value }) => uniqueFields.includes(field) && isUniqueKind(value));
}

/** The values of unique fields in a record or a merge patch. */
export function requestedValues(fields: Fields, { uniqueFields = [] }: RecordRules): UniqueValue[] {
  return uniqueFields.flatMap((field) => toUniqueValue(field, fields[field]) ?? []);
}

/** Undefined for a value that is not a text or a number. */
export function toUniqueValue(field: string, value: Json | undefined): UniqueValue | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  return indexRows({ [field]: value }, []).find((row) => isUniqueKind(row.value));
}

/** Texts and numbers can be unique. */
function isUniqueKind(value: string): boolean {
  return value.startsWith(valueKinds.text) || value.startsWith(valueKinds.number);
}

/** The values that are not among the others. */
export function valuesWithout(
  values: readonly UniqueValue[],
  others: readonly UniqueValue[],
): readonly UniqueValue[] {
  if (values.length === 0 || others.length === 0) return values;
  return values.filter(({ field, value }) =>
    others.every((other) => other.field !== field || other.value !== value),
  );
}

/** Different values have different keys. */
export function uniqueKey({ field, value }: UniqueValue): string {
  return `${field}\n${value}`;
}

/** The user name is the `userName` if there is one, else the email. */
export function userNameTaken(userNameKey: string | null): ProblemError {
  const field = userNameKey === null ? "email" : "userName";
  return new ProblemError("value-taken", undefined, [
    { pointer: `/${field}`, detail: "Another user has this user name." },
  ]);
}

export function valueTaken({ field }: UniqueValue): ProblemError {
  return new ProblemError("value-taken", `Another user has this value of the unique field ${field}.`, [
    { pointer: `/${field}`, detail: "Another user has this value." },
  ]);
}
