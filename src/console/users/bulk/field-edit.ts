import type { Json, User } from "../../../client/index.ts";
import { bulk } from "../../texts/index.ts";
import { checkFieldName } from "../fields.ts";
import { toRecord, type UserRecord } from "../record.ts";
import { parseTypedInput, type TypedInput, toTypedInput, type ValueType } from "../typed-input.ts";

const { errors } = bulk.editing;

/** The form's input. */
export interface EditForm extends TypedInput {
  readonly field: string;
  readonly action: "set" | "remove";
}

/** A change of one field. */
export interface FieldEdit {
  readonly field: string;
  /** Undefined removes the field. */
  readonly value: Json | undefined;
}

/** Error messages of the form's inputs. */
export interface EditErrors {
  readonly field?: string;
  readonly value?: string;
}

/** The edit, or the form's errors. Values are sent exactly as typed. */
export function parseEdit(form: EditForm, userCount: number): { edit: FieldEdit } | { errors: EditErrors } {
  const name = form.field.trim();
  const field = fieldNameError(name, form.action);
  if (form.action === "remove") {
    return field ? { errors: { field } } : { edit: { field: name, value: undefined } };
  }
  const read = parseTypedInput(form);
  const value = read.error ?? coreFieldError(name, read.value, userCount);
  if (read.error === undefined && !field && !value) return { edit: { field: name, value: read.value } };
  return { errors: { ...(field && { field }), ...(value && { value }) } };
}

/** The type of the field's first value among the users. Default: text. */
export function inferValueType(users: readonly User[], field: string): ValueType {
  const value = users.find((user) => Object.hasOwn(user, field))?.[field];
  return value === undefined ? "text" : toTypedInput(value).type;
}

/** The user's record after the edit. */
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

/** Checks name and email, as far as possible without the service. */
function coreFieldError(field: string, value: Json | undefined, userCount: number): string | undefined {
  if (field !== "name" && field !== "email") return undefined;
  if (typeof value !== "string") return errors.text;
  if (value.trim() === "") return errors.empty;
  return field === "email" && userCount > 1 ? errors.shared : undefined;
}
