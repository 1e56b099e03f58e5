import type { User } from "../../client/index.ts";
import { fieldFaults, roster } from "../api.ts";
import { bulk } from "../texts/index.ts";
import { ChangedMeanwhile } from "./bulk-job.ts";
import { usualReason } from "./bulk-outcomes.tsx";
import { showValue } from "./columns.tsx";
import { changeOf, type FieldEdit } from "./field-edit.ts";

/** Makes the edit, unless somebody else has changed the user since it was seen. */
export function editUser(seen: User, edit: FieldEdit): Promise<User> {
  const change = changeOf(seen, edit);
  return "patch" in change
    ? roster.users.update(seen.id, change.patch, { ifUnchanged: seen })
    : roster.users.replace(seen.id, change.replacement, { ifUnchanged: seen });
}

/** Why it was not made, in a sentence. */
export function editReason(error: unknown, { field }: FieldEdit): string {
  if (!(error instanceof ChangedMeanwhile)) return fieldFaults(error)[field] ?? usualReason(error);
  // A field may be called like something that every object has.
  const value = Object.hasOwn(error.user, field) ? error.user[field] : undefined;
  return bulk.editing.changedMeanwhile(field, value === undefined ? undefined : quoteValue(value));
}

/** A value within a sentence. */
export function quoteValue(value: User[string]): string {
  if (typeof value === "boolean")
    return value ? bulk.editing.yes.toLowerCase() : bulk.editing.no.toLowerCase();
  const text = showValue(value);
  const short = text.length > LONGEST ? `${[...text].slice(0, LONGEST).join("")}…` : text;
  return typeof value === "string" ? `“${short}”` : short;
}

const LONGEST = 120;
