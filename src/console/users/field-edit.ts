import type { Json, User, UserInput, UserPatch } from "../../client/index.ts";
import { credentialFields, FIELD_NAME, managedFields } from "../../contract/user.ts";
import { bulk } from "../texts/index.ts";
import { readJsonText, readNumber } from "./json-text.ts";

const { faults } = bulk.editing;

export type ValueType = "text" | "number" | "boolean" | "json";
export const valueTypes: readonly ValueType[] = ["text", "number", "boolean", "json"];

/** What somebody typed. */
export interface EditForm {
  readonly field: string;
  readonly action: "set" | "remove";
  readonly type: ValueType;
  readonly value: string;
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

const managed = new Set<string>(managedFields);
const credentials = new Set<string>(credentialFields);
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** What the form asks for so many users, or what is wrong with it. What is sent is exactly what was typed. */
export function readEdit(form: EditForm, users: number): { edit: FieldEdit } | { faults: EditFaults } {
  const name = form.field.trim();
  const field = fieldFault(name, form.action);
  if (form.action === "remove") {
    return field ? { faults: { field } } : { edit: { field: name, value: undefined } };
  }
  const read = readValue(form);
  const value = read.fault ?? coreFault(name, read.value, users);
  if (read.fault === undefined && !field && !value) return { edit: { field: name, value: read.value } };
  return { faults: { ...(field && { field }), ...(value && { value }) } };
}

/** The type of the values that the users have in the field, where they have one: text unless they say otherwise. */
export function typeOfField(users: readonly User[], field: string): ValueType {
  const value = users.find((user) => Object.hasOwn(user, field))?.[field];
  if (typeof value === "number") return "number";
  if (typeof value === "boolean") return "boolean";
  return typeof value === "object" ? "json" : "text";
}

export type Change = { readonly patch: UserPatch } | { readonly replacement: UserInput };

/**
 * How to make the edit. A merge patch takes null for "remove" and mixes an object into the one that is there: where the
 * value is one of these, the whole record is replaced, as it was seen and with the value in it.
 */
export function changeOf(user: User, { field, value }: FieldEdit): Change {
  if (value === undefined) return { patch: { [field]: null } };
  const exact = typeof value !== "object" || Array.isArray(value);
  return exact ? { patch: { [field]: value } } : { replacement: { ...user, [field]: value } };
}

function fieldFault(field: string, action: EditForm["action"]): string | undefined {
  if (field === "") return faults.nameless;
  if (managed.has(field)) return faults.managed;
  if (credentials.has(field)) return faults.credential;
  if (!new RegExp(FIELD_NAME).test(field)) return faults.misnamed;
  return field === "name" && action === "remove" ? faults.needed : undefined;
}

/** The rules of the fields that are Roster's own, as far as they can be told without the service. */
function coreFault(field: string, value: Json | undefined, users: number): string | undefined {
  if (field !== "name" && field !== "email") return undefined;
  if (typeof value !== "string") return faults.text;
  if (value.trim() === "") return faults.empty;
  return field === "email" && users > 1 ? faults.shared : undefined;
}

type Read =
  | { readonly value: Json; readonly fault?: never }
  | { readonly value?: never; readonly fault: string };

function readValue({ type, value }: EditForm): Read {
  if (type === "text") return { value };
  if (type === "boolean") return { value: value === "yes" };
  if (type === "json") return readJsonText(value);
  const digits = value.trim();
  if (!NUMBER.test(digits)) return { fault: faults.number };
  const number = readNumber(digits);
  return number === undefined ? { fault: faults.large } : { value: number };
}
