import type { Json, User } from "../../../client/index.ts";
import { bulk } from "../../texts/index.ts";
import { nameFaultOf } from "../fields.ts";
import { type UserRecord, toRecord } from "../record.ts";
import { readTyped, type TypedInput, typedOf, type ValueType } from "../typed-input.ts";

const { faults } = bulk.editing;

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
export interface EditFaults {
  readonly field?: string;
  readonly value?: string;
}

/** What the form asks for so many users, or what is wrong with it. What is sent is exactly what was typed. */
export function readEdit(form: EditForm, users: number): { edit: FieldEdit } | { faults: EditFaults } {
  const name = form.field.trim();
  const field = fieldFault(name, form.action);
  if (form.action === "remove") {
    return field ? { faults: { field } } : { edit: { field: name, value: undefined } };
  }
  const read = readTyped(form);
  const value = read.fault ?? coreFault(name, read.value, users);
  if (read.fault === undefined && !field && !value) return { edit: { field: name, value: read.value } };
  return { faults: { ...(field && { field }), ...(value && { value }) } };
}

/** The type of the values that the users have in the field, where they have one: text unless they say otherwise. */
export function typeOfField(users: readonly User[], field: string): ValueType {
  const value = users.find((user) => Object.hasOwn(user, field))?.[field];
  return value === undefined ? "text" : typedOf(value).type;
}

/** What the user comes to by the edit. */
export function applyEdit(user: User, { field, value }: FieldEdit): UserRecord {
  const record = new Map(toRecord(user));
  if (value === undefined) record.delete(field);
  else record.set(field, value);
  return record;
}

function fieldFault(field: string, action: EditForm["action"]): string | undefined {
  if (field === "") return faults.nameless;
  const fault = nameFaultOf(field);
  if (fault === "core") return field === "name" && action === "remove" ? faults.needed : undefined;
  return fault && faults[fault];
}

/** The rules of the fields that are Roster's own, as far as they can be told without the service. */
function coreFault(field: string, value: Json | undefined, users: number): string | undefined {
  if (field !== "name" && field !== "email") return undefined;
  if (typeof value !== "string") return faults.text;
  if (value.trim() === "") return faults.empty;
  return field === "email" && users > 1 ? faults.shared : undefined;
}
