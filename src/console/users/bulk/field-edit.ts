import type { Json, User } from "../../../client/index.ts";
import { bulk } from "../../texts/index.ts";
import { checkFieldName } from "../fields.ts";
import { toRecord, type UserRecord } from "../record.ts";
import { parseTypedInput, type TypedInput, toTypedInput, type ValueType } from "../typed-input.ts";

const { errors } = bulk.editing;

/** What somebody typed. */
export interface EditForm extends TypedInput {
  readonly field: string;
  readonly action: "set" | "remove";
}

/** What is to be done with a field. */
export interface FieldEdit {
  readonly field: string;
  /** Undefined: the field goes. */
  readonly value: Json | undefined;
}

/** What is wrong with what was typed, in words. */
export interface EditErrors {
  readonly field?: string;
  readonly value?: string;
}

/** What the form asks for so many users, or what is wrong with it. What is sent is exactly what was typed. */
export function parseEdit(form: EditForm, users: number): { edit: FieldEdit } | { errors: EditErrors } {
  const name = form.field.trim();
  const field = fieldNameError(name, form.action);
  if (form.action === "remove") {
    return field ? { errors: { field } } : { edit: { field: name, value: undefined } };
  }
  const read = parseTypedInput(form);
  const value = read.error ?? coreFieldError(name, read.value, users);
  if (read.error === undefined && !field && !value) return { edit: { field: name, value: read.value } };
  return { errors: { ...(field && { field }), ...(value && { value }) } };
}

/** The type of the values that the users have in the field, where they have one: text unless they say otherwise. */
export function inferValueType(users: readonly User[], field: string): ValueType {
  const value = users.find((user) => Object.hasOwn(user, field))?.[field];
  return value === undefined ? "text" : toTypedInput(value).type;
}

/** What the user comes to by the edit. */
export function applyEdit(user: User, { field, value }: FieldEdit): UserRecord {
  const record = new Map(toRecord(user));
  if (value === undefined) record.delete(field);
  else record.set(field, value);
  return record;
}

function fieldNameError(field: string, action: EditForm["action"]): string | undefined {
  if (field === "") return errors.nameless;
  const error = checkFieldName(field);
  if (error === "core") return field === "name" && action === "remove" ? errors.needed : undefined;
  return error && errors[error];
}

/** The rules of the fields that are Roster's own, as far as they can be told without the service. */
function coreFieldError(field: string, value: Json | undefined, users: number): string | undefined {
  if (field !== "name" && field !== "email") return undefined;
  if (typeof value !== "string") return errors.text;
  if (value.trim() === "") return errors.empty;
  return field === "email" && users > 1 ? errors.shared : undefined;
}
