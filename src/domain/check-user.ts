import {
  credentialFields,
  EMAIL_PATTERN,
  FIELD_NAME_PATTERN,
  type Json,
  managedFields,
  NAME_PATTERN,
  prototypeNames,
  type UserRecord,
  userLimits,
} from "../contract/user.ts";
import { FieldErrors } from "./field-errors.ts";
import { ProblemError } from "./problem-error.ts";
import type { RecordRules } from "./record-rules.ts";

const fieldName = new RegExp(FIELD_NAME_PATTERN);
const namePattern = new RegExp(NAME_PATTERN);
const emailPattern = new RegExp(EMAIL_PATTERN);
const managed = new Set<string>(managedFields);
const credentials = new Set<string>(credentialFields);
const hazardous = new Set<string>(prototypeNames);

type Fields = { [field: string]: Json };

/**
 * The record that a whole body describes. Fails with `invalid-user` and every fault at once. It may take `recordBytes`
 * of JSON. `id` is the path's, where there is one: a body that names another is for another user.
 */
export function checkUser(body: unknown, rules: RecordRules, id?: number): UserRecord {
  const faults = new FieldErrors();
  const { name, email, ...own } = checkFields(body, id, faults);
  const record: UserRecord = { name: checkName(name, faults) };
  const address = checkEmail(email, faults);
  if (address !== undefined) record.email = address;
  Object.assign(record, own);
  if (!faults.any) checkSize(record, rules.maxBytes, faults);
  faults.throwIfAny("invalid-user");
  return record;
}

/** A merge patch whose every value could stand in a record. What it makes of a record is checked when it is applied. */
export function checkPatch(body: unknown, id: number): Fields {
  const faults = new FieldErrors();
  const patch = checkFields(body, id, faults);
  if (Object.hasOwn(patch, "name")) checkName(patch.name, faults);
  if (Object.hasOwn(patch, "email")) checkEmail(patch.email, faults);
  faults.throwIfAny("invalid-user");
  return patch;
}

/** The caller's fields of a body, without those that only the service writes. */
function checkFields(body: unknown, id: number | undefined, faults: FieldErrors): Fields {
  if (!isObject(body)) {
    throw new ProblemError("invalid-user", "The body is JSON, but not an object.", [
      { pointer: "", detail: "Send an object with at least a name." },
    ]);
  }
  const fields: Fields = {};
  for (const [field, value] of Object.entries(body)) {
    if (faults.full) break;
    const pointer = appendPointer("", field);
    if (managed.has(field)) {
      if (field === "id" && id !== undefined && value !== id) {
        faults.add(pointer, `The body is for another user than the path: leave id out, or send ${id}.`);
      }
    } else if (credentials.has(field)) {
      faults.add(pointer, "Roster keeps no credentials: leave this field out.");
    } else if (hazardous.has(field)) {
      faults.add(pointer, "This name is not allowed: choose another.");
    } else if (!fieldName.test(field)) {
      faults.add(pointer, "A field's name is a letter, then up to 63 letters, digits or underscores.");
    } else {
      checkValue(value, pointer, 1, faults);
      fields[field] = value;
    }
  }
  return fields;
}

function checkName(name: Json | undefined, faults: FieldErrors): string {
  if (name === undefined || name === null) return faults.add("/name", "A user needs a name.") ?? "";
  return checkNameText(name, userLimits.nameCharacters, faults);
}

/** A name of anything: trimmed, on one line, not too long. */
export function checkNameText(name: unknown, most: number, faults: FieldErrors): string {
  const fault = (detail: string) => faults.add("/name", detail) ?? "";
  if (typeof name !== "string") return fault("The name is a string.");
  const trimmed = name.trim();
  if (trimmed === "") return fault("The name is empty: give at least one character that is no space.");
  if (!namePattern.test(trimmed)) return fault("The name has control characters in it: leave them out.");
  if (countCharacters(trimmed) > most) return fault(`The name is over ${most} characters long.`);
  return trimmed;
}

function checkEmail(email: Json | undefined, faults: FieldErrors): string | undefined {
  const fault = (detail: string) => faults.add("/email", detail);
  if (email === undefined || email === null) return undefined;
  if (typeof email !== "string") return fault("The email is a string, or null for none.");
  if (countCharacters(email) > userLimits.emailCharacters) {
    return fault(`The email is over ${userLimits.emailCharacters} characters long.`);
  }
  if (!emailPattern.test(email))
    return fault("The email is not shaped like an address, such as ada@example.com.");
  return email;
}

function checkSize(record: UserRecord, most: number, faults: FieldErrors): void {
  const json = JSON.stringify(record);
  // A character takes at most three bytes of UTF-8 for each unit of its length: most records need no counting.
  if (json.length * 3 <= most) return;
  const size = Buffer.byteLength(json);
  if (size > most) faults.add("", `The record is ${size} bytes of JSON; at most ${most} are kept.`);
}

function checkValue(value: Json, pointer: string, level: number, faults: FieldErrors): void {
  if (faults.full) return;
  if (typeof value === "string") checkText(value, pointer, faults);
  else if (typeof value === "number") checkNumber(value, pointer, faults);
  else if (typeof value === "object" && value !== null) {
    if (level > userLimits.nestingLevels) {
      faults.add(pointer, `Values are nested at most ${userLimits.nestingLevels} levels deep.`);
      return;
    }
    for (const [key, member] of Object.entries(value)) {
      const place = appendPointer(pointer, key);
      if (hazardous.has(key)) faults.add(place, "This name is not allowed: choose another.");
      checkText(key, place, faults);
      checkValue(member, place, level + 1, faults);
    }
  }
}

function checkText(text: string, pointer: string, faults: FieldErrors): void {
  if (text.includes("\u0000")) faults.add(pointer, "Text may not hold U+0000.");
  if (!text.isWellFormed()) faults.add(pointer, "Text may not hold half of a surrogate pair.");
}

/** A number that a double cannot hold would come back as another one: better to refuse it than to change it. */
function checkNumber(number: number, pointer: string, faults: FieldErrors): void {
  if (!Number.isFinite(number) || (Number.isInteger(number) && !Number.isSafeInteger(number))) {
    faults.add(pointer, "This number is too large to be kept exactly: send it as a string.");
  }
}

export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** A JSON Pointer to a member of what the pointer leads to. */
export function appendPointer(pointer: string, key: string): string {
  return `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
