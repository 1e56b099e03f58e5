import type { Json, User } from "../../../client/index.ts";
import type { FieldInput } from "../../fields/field-input.ts";
import { bulk } from "../../texts/index.ts";
import { checkFieldName } from "../fields.ts";
import { toRecord, type UserRecord } from "../record.ts";
import { parseTypedInput } from "../typed-input.ts";

const { errors: texts } = bulk.editing;

/** One changed field in the form. */
export interface FieldChange {
  /** Unique and stable, unlike the field. */
  readonly key: number;
  readonly field: string;
  readonly action: "set" | "remove";
  readonly input: FieldInput;
}

/** New values of fields. Undefined removes the field. */
export type FieldEdits = ReadonlyMap<string, Json | undefined>;

/** What is wrong with a changed field. */
export interface ChangeErrors {
  readonly field?: string;
  readonly value?: string;
}

export type ParsedEdits =
  | { readonly edits: FieldEdits; readonly errors?: never }
  | { readonly edits?: never; readonly errors: ReadonlyMap<number, ChangeErrors> };

let lastKey = 0;

export function newChange(): FieldChange {
  return { key: ++lastKey, field: "", action: "set", input: undefined };
}

/** The edits, or the errors by the key of their change. Values are sent exactly as typed. */
export function parseEdits(changes: readonly FieldChange[], userCount: number): ParsedEdits {
  const edits = new Map<string, Json | undefined>();
  const errors = new Map<number, ChangeErrors>();
  for (const { key, field, action, input } of changes) {
    const name = field.trim();
    const nameError = fieldNameError(name, action) ?? (edits.has(name) ? texts.repeated : undefined);
    const { value, error } = action === "remove" ? {} : parseValue(name, input, userCount);
    if (nameError !== undefined || error !== undefined) {
      errors.set(key, { ...(nameError && { field: nameError }), ...(error && { value: error }) });
    } else edits.set(name, value);
  }
  return errors.size > 0 ? { errors } : { edits };
}

/** The user's record after the edit. */
export function applyEdits(user: User, edits: FieldEdits): UserRecord {
  const record = new Map(toRecord(user));
  for (const [field, value] of edits) {
    if (value === undefined) record.delete(field);
    else record.set(field, value);
  }
  return record;
}

interface ParsedValue {
  readonly value?: Json;
  readonly error?: string | undefined;
}

function parseValue(field: string, input: FieldInput, userCount: number): ParsedValue {
  if (input === undefined) return { error: texts.empty };
  const { value, error } = parseTypedInput(input);
  if (error !== undefined) return { error };
  return { value, error: coreFieldError(field, value, userCount) };
}

function fieldNameError(field: string, action: FieldChange["action"]): string | undefined {
  if (field === "") return texts.nameless;
  if (field === "scim") return texts.scim;
  const error = checkFieldName(field);
  if (error === "core") return field === "name" && action === "remove" ? texts.needed : undefined;
  return error && texts[error];
}

/** Checks name, email and user name, as far as possible without the service. */
function coreFieldError(field: string, value: Json, userCount: number): string | undefined {
  if (checkFieldName(field) !== "core") return undefined;
  if (typeof value !== "string") return texts.text;
  if (value.trim() === "") return texts.empty;
  return field !== "name" && userCount > 1 ? texts.shared : undefined;
}
