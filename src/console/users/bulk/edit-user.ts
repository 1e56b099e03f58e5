import type { User } from "../../../client/index.ts";
import { fieldErrors } from "../../lib/api.ts";
import { truncate } from "../../texts/format.ts";
import { bulk, values } from "../../texts/index.ts";
import { formatValue, getFieldValue } from "../fields.ts";
import { updateUser } from "../record.ts";
import { applyEdit, type FieldEdit } from "./field-edit.ts";
import { defaultFailureText } from "./job-result.tsx";
import { EditConflictError } from "./use-bulk-job.ts";

const MAX_VALUE_CHARACTERS = 120;

/** Applies the edit, on the condition that `base` is still the current version. */
export function editUser(base: User, edit: FieldEdit): Promise<User> {
  return updateUser(base, applyEdit(base, edit));
}

/** Why the edit failed. */
export function editFailureText(error: unknown, { field }: FieldEdit): string {
  if (!(error instanceof EditConflictError)) return fieldErrors(error)[field] ?? defaultFailureText(error);
  const value = getFieldValue(error.user, field);
  return bulk.editing.conflict(field, value === undefined ? undefined : quoteValue(value));
}

/** A value for use in a sentence. */
export function quoteValue(value: User[string]): string {
  if (typeof value === "boolean") return (value ? values.yes : values.no).toLowerCase();
  const short = truncate(formatValue(value), MAX_VALUE_CHARACTERS);
  return typeof value === "string" ? `“${short}”` : short;
}
