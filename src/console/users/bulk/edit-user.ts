import type { User } from "../../../client/index.ts";
import { fieldFaults } from "../../lib/api.ts";
import { shorten } from "../../texts/format.ts";
import { bulk, values } from "../../texts/index.ts";
import { showValue, valueIn } from "../fields.ts";
import { changeUser } from "../record.ts";
import { applyEdit, type FieldEdit } from "./field-edit.ts";
import { usualReason } from "./job-result.tsx";
import { ChangedMeanwhile } from "./use-bulk-job.ts";

const LONGEST = 120;

/** Makes the edit, unless somebody else has changed the user since it was seen. */
export function editUser(seen: User, edit: FieldEdit): Promise<User> {
  return changeUser(seen, applyEdit(seen, edit));
}

/** Why it was not made, in a sentence. */
export function editReason(error: unknown, { field }: FieldEdit): string {
  if (!(error instanceof ChangedMeanwhile)) return fieldFaults(error)[field] ?? usualReason(error);
  const value = valueIn(error.user, field);
  return bulk.editing.changedMeanwhile(field, value === undefined ? undefined : quoteValue(value));
}

/** A value within a sentence. */
export function quoteValue(value: User[string]): string {
  if (typeof value === "boolean") return (value ? values.yes : values.no).toLowerCase();
  const short = shorten(showValue(value), LONGEST);
  return typeof value === "string" ? `“${short}”` : short;
}
