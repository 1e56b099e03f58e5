import type { User } from "../../../client/index.ts";
import { fieldErrors } from "../../lib/api.ts";
import { truncate } from "../../texts/format.ts";
import { bulk, values } from "../../texts/index.ts";
import { formatValue, getFieldValue } from "../fields.ts";
import { updateUser } from "../record.ts";
import { applyEdits, type FieldEdits } from "./field-edit.ts";
import { defaultFailureText } from "./job-result.tsx";
import { EditConflictError } from "./use-bulk-job.ts";

const MAX_VALUE_CHARACTERS = 120;

/** Applies the edits, on the condition that `base` is still the current version. */
export function editUser(base: User, edits: FieldEdits): Promise<User> {
  return updateUser(base, applyEdits(base, edits));
}

/** Why the edit failed. */
export function editFailureText(error: unknown, edits: FieldEdits): string {
  const fields = [...edits.keys()];
  if (error instanceof EditConflictError) {
    const now = fields.map((field) => {
      const value = getFieldValue(error.user, field);
      return bulk.editing.isNow(field, value === undefined ? undefined : quoteValue(value));
    });
    return bulk.editing.conflict(now);
  }
  const errors = fieldErrors(error);
  const found = fields.flatMap((field) =>
    errors[field] === undefined ? [] : [[field, errors[field]] as const],
  );
  if (found.length === 0) return defaultFailureText(error);
  return found.map(([field, text]) => (fields.length > 1 ? `${field}: ${text}` : text)).join(" ");
}

/** A value for use in a sentence. */
export function quoteValue(value: User[string]): string {
  if (typeof value === "boolean") return (value ? values.yes : values.no).toLowerCase();
  const short = truncate(formatValue(value), MAX_VALUE_CHARACTERS);
  return typeof value === "string" ? `“${short}”` : short;
}
