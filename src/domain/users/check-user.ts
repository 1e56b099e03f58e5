import { appendPointer, isObject, type Json, type JsonObject } from "../../contract/json.ts";
import { findNameError, isReservedName } from "../../contract/users/field-name.ts";
import { EMAIL_PATTERN, NAME_PATTERN, type UserRecord, userLimits } from "../../contract/users/user.ts";
import {
  isCustomField,
  isManagedField,
  isStoredAsCustom,
  managedFields,
} from "../../contract/users/user-fields.ts";
import { FieldErrors } from "../field-errors.ts";
import { ProblemError } from "../problem-error.ts";
import type { RecordRules } from "./record-rules.ts";

const namePattern = new RegExp(NAME_PATTERN);
const emailPattern = new RegExp(EMAIL_PATTERN);
/** The pattern of the schema cannot express those beyond U+FFFF. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/u;

/**
 * Parses the body of POST and PUT. Fails with `invalid-user` and every error at once. `id` is the id in the path, if
 * there is one: the body must not have a different id.
 */
export function checkUser(body: unknown, rules: RecordRules, id?: number): UserRecord {
  return checkRecord(body, rules, { id, isMerged: false });
}

/** Checks a record that a patch has changed. The errors do not tell how large the rest of the record is. */
export function checkMerged(record: unknown, rules: RecordRules): UserRecord {
  return checkRecord(record, rules, { id: undefined, isMerged: true });
}

function checkRecord(
  body: unknown,
  rules: RecordRules,
  { id, isMerged }: { readonly id: number | undefined; readonly isMerged: boolean },
): UserRecord {
  const errors = new FieldErrors();
  if (isObject(body)) checkFieldCount(body, rules.maxFields, isMerged, errors);
  // Thousands of fields would take too long to check one by one.
  errors.throwIfAny("invalid-user");
  const { fields, names } = checkFields(body, id, errors);
  const record: UserRecord = { name: checkName(fields.name, errors) };
  const address = checkEmail(fields.email, errors);
  if (address !== undefined) record.email = address;
  checkOptional(fields, errors);
  for (const name of names) {
    const value = fields[name] ?? null;
    if (name === "name" || name === "email" || (value === null && isOptional(name))) continue;
    record[name] = value;
  }
  if (!errors.any) checkSize(record, rules.maxBytes, isMerged, errors);
  errors.throwIfAny("invalid-user");
  return record;
}

/** Parses the body of PATCH, with the id in the path, if there is one. `applyEdit` checks the resulting record. */
export function checkPatch(body: unknown, id?: number): JsonObject {
  const errors = new FieldErrors();
  const { fields, names } = checkFields(body, id, errors);
  const patch: JsonObject = {};
  for (const name of names) patch[name] = fields[name] ?? null;
  if (Object.hasOwn(patch, "name")) checkName(patch.name, errors);
  if (Object.hasOwn(patch, "email")) checkEmail(patch.email, errors);
  checkOptional(patch, errors);
  errors.throwIfAny("invalid-user");
  return patch;
}

/** What replaces the fields of a restored user that another user may have now; null for none. */
export type RestoreChanges = Partial<Record<"email" | "userName", Json>>;

/**
 * Parses the body of a restore: the email and the user name that replace those of the user, or null for none. Fails with
 * `invalid-user`.
 */
export function checkRestore(body: unknown): RestoreChanges {
  const errors = new FieldErrors();
  if (!isObject(body)) {
    throw new ProblemError("invalid-user", "The request body must be a JSON object.", [
      { pointer: "", detail: "Send an object with an email or a userName, or no body." },
    ]);
  }
  const { email, userName, ...others } = body;
  for (const field of Object.keys(others)) {
    if (errors.full) break;
    addError(errors, [field], "A restore changes only the email and the userName. Remove this field.");
  }
  checkEmail(email, errors);
  checkUserName(userName, errors);
  errors.throwIfAny("invalid-user");
  return { ...(email !== undefined && { email }), ...(userName !== undefined && { userName }) };
}

/** The id that a line of an import names. Fails with `invalid-user`. */
export function checkId(body: unknown): number | undefined {
  const id = isObject(body) ? (body.id ?? undefined) : undefined;
  if (id === undefined || (typeof id === "number" && Number.isSafeInteger(id) && id > 0)) return id;
  throw new ProblemError("invalid-user", undefined, [
    { pointer: "/id", detail: "The id must be a positive integer." },
  ]);
}

/** Checks the fields of the body. `names` are all of them except those that only the service writes. */
function checkFields(
  body: unknown,
  id: number | undefined,
  errors: FieldErrors,
): { readonly fields: JsonObject; readonly names: readonly string[] } {
  if (!isObject(body)) {
    throw new ProblemError("invalid-user", "The request body must be a JSON object.", [
      { pointer: "", detail: "Send an object with at least a name." },
    ]);
  }
  const names: string[] = [];
  for (const name in body) {
    if (errors.full) break;
    const value = body[name] ?? null;
    if (validNames.has(name) || isValidName(name, errors)) {
      checkValue(value, [name], errors);
      names.push(name);
    } else if (name === "id" && id !== undefined && value !== null && value !== id) {
      addError(errors, [name], `The id does not match the path. Omit it, or send ${id}.`);
    }
  }
  return { fields: body, names };
}

/** Names that were valid: users have the same fields as other users, and to check a name takes longer than to find it here. */
const validNames = new Set<string>();
const MAX_VALID_NAMES = 5000;

const nameErrors = {
  credential: "Roster stores no credentials. Remove this field.",
  reserved: "This field name is not allowed. Choose another one.",
  groups: "A user has no field groups. Choose another name, such as groupNames.",
  misnamed: "A field name is a letter, then up to 63 letters, digits or underscores.",
} as const;

/** Whether callers can write a field with this name. Adds an error unless the service writes the field. */
function isValidName(name: string, errors: FieldErrors): boolean {
  if (isManagedField(name)) return false;
  const error = findNameError(name);
  if (error) {
    addError(errors, [name], nameErrors[error]);
    return false;
  }
  if (validNames.size >= MAX_VALID_NAMES) validNames.clear();
  validNames.add(name);
  return true;
}

function checkName(name: Json | undefined, errors: FieldErrors): string {
  if (name === undefined || name === null) return errors.add("/name", "A name is required.") ?? "";
  return checkNameText(name, userLimits.nameCharacters, errors);
}

/** Checks and trims the name of a user or a key. */
export function checkNameText(name: unknown, maxCharacters: number, errors: FieldErrors): string {
  const fail = (detail: string) => errors.add("/name", detail) ?? "";
  if (typeof name !== "string") return fail("The name must be a string.");
  const trimmed = name.trim();
  if (trimmed === "") return fail("A name is required.");
  if (!namePattern.test(trimmed)) return fail("The name must not contain control characters.");
  if (countCharacters(trimmed) > maxCharacters) {
    return fail(`The name must not be longer than ${maxCharacters} characters.`);
  }
  return trimmed;
}

function checkEmail(email: Json | undefined, errors: FieldErrors): string | undefined {
  const fail = (detail: string) => errors.add("/email", detail);
  if (email === undefined || email === null) return undefined;
  if (typeof email !== "string") return fail("The email must be a string, or null for none.");
  if (countCharacters(email) > userLimits.emailCharacters) {
    return fail(`The email must not be longer than ${userLimits.emailCharacters} characters.`);
  }
  if (INVISIBLE.test(email)) return fail("The email must not contain invisible characters.");
  if (!emailPattern.test(email)) return fail("Enter a valid email address, like ada@example.com.");
  return email;
}

/** Whether Roster defines the field, and null means that it is absent. */
function isOptional(field: string): boolean {
  return isStoredAsCustom(field) && !isCustomField(field);
}

function checkOptional({ userName, active, scim }: JsonObject, errors: FieldErrors): void {
  checkUserName(userName, errors);
  if (!isAbsent(active) && typeof active !== "boolean") {
    errors.add("/active", "Enter true or false, or null for true.");
  }
  if (!isAbsent(scim) && !isObject(scim)) errors.add("/scim", "Enter an object, or null for none.");
}

function isAbsent(value: Json | undefined): value is null | undefined {
  return value === undefined || value === null;
}

function checkUserName(userName: Json | undefined, errors: FieldErrors): void {
  if (isAbsent(userName)) return;
  const error = findUserNameError(userName);
  if (error) errors.add("/userName", error);
}

/** What is wrong with a user name; undefined if it is valid. */
export function findUserNameError(userName: Json): string | undefined {
  if (typeof userName !== "string") return "The user name must be a string, or null for none.";
  if (userName === "") return "The user name must have at least one character. Send null for none.";
  if (!namePattern.test(userName)) return "The user name must not contain control characters.";
  if (countCharacters(userName) > userLimits.userNameCharacters) {
    return `The user name must not be longer than ${userLimits.userNameCharacters} characters.`;
  }
  return undefined;
}

function checkFieldCount(body: JsonObject, maxFields: number, isMerged: boolean, errors: FieldErrors): void {
  let count = Object.keys(body).length;
  if (count <= maxFields) return;
  for (const field of managedFields) if (Object.hasOwn(body, field)) count--;
  if (count <= maxFields) return;
  errors.add(
    "",
    isMerged
      ? `The record would have more than ${maxFields} fields.`
      : `The record has ${count} fields. The limit is ${maxFields} fields.`,
  );
}

function checkSize(record: UserRecord, maxBytes: number, isMerged: boolean, errors: FieldErrors): void {
  const json = JSON.stringify(record);
  // UTF-8 takes at most three bytes per UTF-16 code unit, so most records need no exact count.
  if (json.length * 3 <= maxBytes) return;
  const bytes = Buffer.byteLength(json);
  if (bytes <= maxBytes) return;
  errors.add(
    "",
    isMerged
      ? `The record would have more than ${maxBytes} bytes of JSON.`
      : `The record has ${bytes} bytes of JSON. The limit is ${maxBytes} bytes.`,
  );
}

/**
 * Checks a value and everything in it. `path` has the names and indexes that lead to the value; only an error makes them a
 * pointer, because a body can have tens of thousands of values.
 */
function checkValue(value: Json, path: (string | number)[], errors: FieldErrors): void {
  if (typeof value === "string") checkText(value, path, errors);
  else if (typeof value === "number") checkNumber(value, path, errors);
  else if (typeof value === "object" && value !== null) checkMembers(value, path, errors);
}

function checkMembers(value: Json[] | JsonObject, path: (string | number)[], errors: FieldErrors): void {
  const level = path.length;
  if (level > userLimits.nestingLevels) {
    addError(errors, path, `Values can be nested at most ${userLimits.nestingLevels} levels deep.`);
    return;
  }
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && !errors.full; i++) {
      path[level] = i;
      checkValue(value[i] ?? null, path, errors);
    }
  } else {
    for (const name of Object.keys(value)) {
      if (errors.full) break;
      path[level] = name;
      if (isReservedName(name)) addError(errors, path, "This field name is not allowed. Choose another one.");
      checkText(name, path, errors);
      checkValue(value[name] ?? null, path, errors);
    }
  }
  path.length = level;
}

function checkText(text: string, path: readonly (string | number)[], errors: FieldErrors): void {
  if (text.includes("\u0000")) addError(errors, path, "Text must not contain U+0000.");
  if (!text.isWellFormed()) addError(errors, path, "Text must not contain half of a surrogate pair.");
}

/** Rejects numbers that a double cannot hold exactly. Storing them would change them. */
function checkNumber(number: number, path: readonly (string | number)[], errors: FieldErrors): void {
  if (!Number.isFinite(number) || (Number.isInteger(number) && !Number.isSafeInteger(number))) {
    addError(errors, path, "This number is too large to store exactly. Send it as a string.");
  }
}

function addError(errors: FieldErrors, path: readonly (string | number)[], detail: string): void {
  errors.add(
    path.reduce<string>((pointer, name) => appendPointer(pointer, String(name)), ""),
    detail,
  );
}

function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
