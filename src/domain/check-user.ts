import type { Fault } from "../contract/problems.ts";
import {
  credentialFields,
  EMAIL,
  FIELD_NAME,
  hazardousNames,
  type Json,
  limits,
  managedFields,
  NAME,
  type UserRecord,
} from "../contract/user.ts";
import { Refusal } from "./refusal.ts";

/** More faults than this help nobody, and a hostile body must not buy a long answer. */
const MOST_FAULTS = 100;

const fieldName = new RegExp(FIELD_NAME);
const namePattern = new RegExp(NAME);
const emailPattern = new RegExp(EMAIL);
const managed = new Set<string>(managedFields);
const credentials = new Set<string>(credentialFields);
const hazardous = new Set<string>(hazardousNames);
const utf8 = new TextEncoder();

type Fields = { [field: string]: Json };

/**
 * The record that a whole body describes. Fails with `invalid-user` and every fault at once.
 * It may take `recordBytes` of JSON. `id` is the path's, where there is one: a body that names another is for another user.
 */
export function checkUser(body: unknown, recordBytes: number, id?: number): UserRecord {
  const faults: Fault[] = [];
  const fields = checkFields(body, id, faults);
  const { name, email, ...own } = fields;
  const record: UserRecord = { name: checkName(name, faults) };
  const address = checkEmail(email, faults);
  if (address !== undefined) record.email = address;
  Object.assign(record, own);
  if (faults.length === 0) checkSize(record, recordBytes, faults);
  refuseIfAny(faults);
  return record;
}

/** A merge patch whose every value could stand in a record. What it makes of a record is checked when it is applied. */
export function checkPatch(body: unknown, id: number): Fields {
  const faults: Fault[] = [];
  const patch = checkFields(body, id, faults);
  refuseIfAny(faults);
  return patch;
}

/** The caller's fields of a body, without those that only the service writes. */
function checkFields(body: unknown, id: number | undefined, faults: Fault[]): Fields {
  if (!isObject(body)) {
    throw new Refusal("invalid-user", "The body is JSON, but not an object.", [
      { pointer: "", detail: "Send an object with at least a name." },
    ]);
  }
  const fields: Fields = {};
  for (const [field, value] of Object.entries(body)) {
    const pointer = `/${escapePointer(field)}`;
    if (managed.has(field)) {
      if (field === "id" && id !== undefined && value !== id) {
        faults.push({
          pointer,
          detail: `The body is for another user than the path: leave id out, or send ${id}.`,
        });
      }
    } else if (credentials.has(field)) {
      faults.push({ pointer, detail: "Roster keeps no credentials: leave this field out." });
    } else if (hazardous.has(field) || !fieldName.test(field)) {
      faults.push({
        pointer,
        detail: hazardous.has(field)
          ? "This name is not allowed: choose another."
          : "A field's name is a letter, then up to 63 letters, digits or underscores.",
      });
    } else {
      checkValue(value, pointer, 1, faults);
      fields[field] = value;
    }
    if (faults.length >= MOST_FAULTS) break;
  }
  return fields;
}

function checkName(name: Json | undefined, faults: Fault[]): string {
  const fault = (detail: string) => {
    faults.push({ pointer: "/name", detail });
    return "";
  };
  if (name === undefined || name === null) return fault("A user needs a name.");
  if (typeof name !== "string") return fault("The name is a string.");
  const trimmed = name.trim();
  if (trimmed === "") return fault("The name is empty: give at least one character that is no space.");
  if (!namePattern.test(trimmed)) return fault("The name has control characters in it: leave them out.");
  if (characters(trimmed) > limits.nameCharacters) {
    return fault(`The name is over ${limits.nameCharacters} characters long.`);
  }
  return trimmed;
}

function checkEmail(email: Json | undefined, faults: Fault[]): string | undefined {
  const fault = (detail: string) => {
    faults.push({ pointer: "/email", detail });
    return undefined;
  };
  if (email === undefined || email === null) return undefined;
  if (typeof email !== "string") return fault("The email is a string, or null for none.");
  if (characters(email) > limits.emailCharacters) {
    return fault(`The email is over ${limits.emailCharacters} characters long.`);
  }
  if (!emailPattern.test(email))
    return fault("The email is not shaped like an address, such as ada@example.com.");
  return email;
}

function checkSize(record: UserRecord, most: number, faults: Fault[]): void {
  const json = JSON.stringify(record);
  // A character takes at most three bytes of UTF-8 for each unit of its length: most records need no counting.
  if (json.length * 3 <= most) return;
  const size = utf8.encode(json).length;
  if (size > most) {
    faults.push({ pointer: "", detail: `The record is ${size} bytes of JSON; at most ${most} are kept.` });
  }
}

function checkValue(value: Json, pointer: string, level: number, faults: Fault[]): void {
  if (faults.length >= MOST_FAULTS) return;
  if (typeof value === "string") checkText(value, pointer, faults);
  else if (typeof value === "number") checkNumber(value, pointer, faults);
  else if (typeof value === "object" && value !== null) {
    if (level > limits.nestingLevels) {
      faults.push({ pointer, detail: `Values are nested at most ${limits.nestingLevels} levels deep.` });
    } else if (Array.isArray(value)) {
      value.forEach((item, index) => {
        checkValue(item, `${pointer}/${index}`, level + 1, faults);
      });
    } else {
      for (const [key, member] of Object.entries(value)) {
        const place = `${pointer}/${escapePointer(key)}`;
        if (hazardous.has(key))
          faults.push({ pointer: place, detail: "This name is not allowed: choose another." });
        checkText(key, place, faults);
        checkValue(member, place, level + 1, faults);
      }
    }
  }
}

function checkText(text: string, pointer: string, faults: Fault[]): void {
  if (text.includes("\u0000")) faults.push({ pointer, detail: "Text may not hold U+0000." });
  if (!text.isWellFormed()) faults.push({ pointer, detail: "Text may not hold half of a surrogate pair." });
}

/** A number that a double cannot hold would come back as another one: better to refuse it than to change it. */
function checkNumber(number: number, pointer: string, faults: Fault[]): void {
  if (!Number.isFinite(number) || (Number.isInteger(number) && !Number.isSafeInteger(number))) {
    faults.push({ pointer, detail: "This number is too large to be kept exactly: send it as a string." });
  }
}

function refuseIfAny(faults: Fault[]): void {
  if (faults.length === 0) return;
  const places = faults.length === 1 ? "One thing" : `${faults.length} things`;
  throw new Refusal("invalid-user", `${places} to mend: see errors.`, faults);
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function characters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function escapePointer(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
