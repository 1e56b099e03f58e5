import { appendPointer, isObject, type Json, type JsonObject } from "../../contract/json.ts";
import type { ProblemType } from "../../contract/problems.ts";
import { isIdValue } from "../../contract/scalars.ts";
import { findNameError, isReservedName } from "../../contract/users/field-name.ts";
import { NAME_PATTERN, userLimits } from "../../contract/users/user.ts";
import { FieldErrors } from "../field-errors.ts";
import { ProblemError } from "../problem-error.ts";

/** The part of a record that callers write. */
export type RecordOfFields = { name: string } & { [field: string]: Json };

/** What Roster itself says about the fields of a kind of record. */
export interface RecordKind<Fields extends RecordOfFields> {
  /** The problem of a record that breaks a rule. */
  readonly invalid: ProblemType;
  /** Fields that only the service writes: in request bodies, they are ignored. */
  readonly managed: readonly string[];
  /** Fields that are absent if a body has null for them. */
  readonly optional: readonly string[];
  /** Names that fields of these records cannot have, with the reasons, besides those that no record can have. */
  readonly forbidden: Readonly<Record<string, string>>;
  /** Checks the fields that Roster defines. Returns those that come first in a record. */
  readonly checkWhole: (fields: JsonObject, errors: FieldErrors) => Fields;
  /** The fields of a record that come first in it. */
  readonly startOf: (record: Fields) => Fields;
  /** Checks those of these fields that a patch has. */
  readonly checkPatch: (patch: JsonObject, errors: FieldErrors) => void;
}

/** What limits the size of a record. */
export interface RecordLimits {
  /** Largest record, in bytes of JSON. */
  readonly maxBytes: number;
  /** Most fields, with those that Roster defines. The values of custom fields are indexed, so this also limits the work of a write. */
  readonly maxFields: number;
}

/** Checks the records of one kind. Each check fails with every error at once. */
export class RecordCheck<Fields extends RecordOfFields> {
  readonly #kind: RecordKind<Fields>;
  readonly #managed: ReadonlySet<string>;
  readonly #optional: ReadonlySet<string>;
  /** Names that were valid: records have the same fields as others, and to check a name takes longer than to find it here. */
  readonly #validNames = new Set<string>();

  constructor(kind: RecordKind<Fields>) {
    this.#kind = kind;
    this.#managed = new Set(kind.managed);
    this.#optional = new Set(kind.optional);
  }

  /** The problem that checks fail with. */
  get invalid(): ProblemType {
    return this.#kind.invalid;
  }

  /** Parses the body of POST and PUT. `id` is the id in the path, if there is one: the body must not have a different id. */
  whole(body: unknown, limits: RecordLimits, id?: number): Fields {
    return this.#record(body, limits, { id, isMerged: false });
  }

  /** Checks a record that a patch has changed. The errors do not tell how large the rest of the record is. */
  merged(record: unknown, limits: RecordLimits): Fields {
    return this.#record(record, limits, { id: undefined, isMerged: true });
  }

  /** Parses the body of PATCH, with the id in the path, if there is one. `applyEdit` checks the resulting record. */
  patch(body: unknown, id?: number): JsonObject {
    const errors = new FieldErrors();
    const { fields, names } = this.#fields(body, id, errors, "Send an object with the fields to change.");
    const patch: JsonObject = {};
    for (const name of names) patch[name] = fields[name] ?? null;
    this.#kind.checkPatch(patch, errors);
    errors.throwIfAny(this.#kind.invalid);
    return patch;
  }

  /** The fields of a record that come first in it. */
  startOf(record: Fields): Fields {
    return this.#kind.startOf(record);
  }

  /** The id that a line of an import names. */
  id(body: unknown): number | undefined {
    const id = isObject(body) ? (body.id ?? undefined) : undefined;
    if (id === undefined || isIdValue(id)) return id;
    throw new ProblemError(this.#kind.invalid, undefined, [
      { pointer: "/id", detail: "The id must be a positive integer." },
    ]);
  }

  #record(
    body: unknown,
    { maxBytes, maxFields }: RecordLimits,
    { id, isMerged }: { readonly id: number | undefined; readonly isMerged: boolean },
  ): Fields {
    const { invalid, checkWhole } = this.#kind;
    const errors = new FieldErrors();
    if (isObject(body)) this.#checkFieldCount(body, maxFields, isMerged, errors);
    // Thousands of fields would take too long to check one by one.
    errors.throwIfAny(invalid);
    const { fields, names } = this.#fields(body, id, errors);
    const record = checkWhole(fields, errors);
    const others: RecordOfFields = record;
    for (const name of names) {
      const value = fields[name] ?? null;
      if (Object.hasOwn(record, name) || (value === null && this.#optional.has(name))) continue;
      others[name] = value;
    }
    if (!errors.any) checkSize(record, maxBytes, isMerged, errors);
    errors.throwIfAny(invalid);
    return record;
  }

  /** Checks the fields of the body. `names` are all of them except those that only the service writes. */
  #fields(
    body: unknown,
    id: number | undefined,
    errors: FieldErrors,
    hint = "Send an object with at least a name.",
  ): { readonly fields: JsonObject; readonly names: readonly string[] } {
    if (!isObject(body)) {
      throw new ProblemError(this.#kind.invalid, "The request body must be a JSON object.", [
        { pointer: "", detail: hint },
      ]);
    }
    const names: string[] = [];
    for (const name in body) {
      if (errors.full) break;
      const value = body[name] ?? null;
      if (this.#validNames.has(name) || this.#isValidName(name, errors)) {
        checkValue(value, [name], errors);
        names.push(name);
      } else if (name === "id" && id !== undefined && value !== null && value !== id) {
        addError(errors, [name], `The id does not match the path. Omit it, or send ${id}.`);
      }
    }
    return { fields: body, names };
  }

  /** Whether callers can write a field with this name. Adds an error unless the service writes the field. */
  #isValidName(name: string, errors: FieldErrors): boolean {
    if (this.#managed.has(name)) return false;
    const { forbidden } = this.#kind;
    const error = Object.hasOwn(forbidden, name) ? forbidden[name] : describeNameError(name);
    if (error !== undefined) {
      addError(errors, [name], error);
      return false;
    }
    if (this.#validNames.size >= MAX_VALID_NAMES) this.#validNames.clear();
    this.#validNames.add(name);
    return true;
  }

  #checkFieldCount(body: JsonObject, maxFields: number, isMerged: boolean, errors: FieldErrors): void {
    let count = Object.keys(body).length;
    if (count <= maxFields) return;
    for (const field of this.#managed) if (Object.hasOwn(body, field)) count--;
    if (count <= maxFields) return;
    errors.add(
      "",
      isMerged
        ? `The record would have more than ${maxFields} fields.`
        : `The record has ${count} fields. The limit is ${maxFields} fields.`,
    );
  }
}

const MAX_VALID_NAMES = 5000;

const nameErrors = {
  credential: "Roster stores no credentials. Remove this field.",
  reserved: "This field name is not allowed. Choose another one.",
  groups: "This field name is not allowed. Choose another one.",
  misnamed: "A field name is a letter, then up to 63 letters, digits or underscores.",
} as const;

function describeNameError(name: string): string | undefined {
  const error = findNameError(name);
  return error && nameErrors[error];
}

function checkSize(record: JsonObject, maxBytes: number, isMerged: boolean, errors: FieldErrors): void {
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

const namePattern = new RegExp(NAME_PATTERN);

/** Checks and trims the name that every record must have. */
export function checkName(name: Json | undefined, maxCharacters: number, errors: FieldErrors): string {
  if (name === undefined || name === null) return errors.add("/name", "A name is required.") ?? "";
  return checkNameText(name, maxCharacters, errors);
}

/** Checks and trims a name. */
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

/** Checks the field that keeps what SCIM sends. */
export function checkScim(scim: Json | undefined, errors: FieldErrors): void {
  if (!isAbsent(scim) && !isObject(scim)) errors.add("/scim", "Enter an object, or null for none.");
}

export function isAbsent(value: Json | undefined): value is null | undefined {
  return value === undefined || value === null;
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

export function addError(errors: FieldErrors, path: readonly (string | number)[], detail: string): void {
  errors.add(
    path.reduce<string>((pointer, name) => appendPointer(pointer, String(name)), ""),
    detail,
  );
}

export function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
