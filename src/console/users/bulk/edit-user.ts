import type { User } from "../../../client/index.ts";
import { fieldErrors, isOutcomeUnknown } from "../../lib/api.ts";
import { truncate } from "../../texts/format.ts";
import { bulk, values } from "../../texts/index.ts";
import { formatValue, getFieldValue } from "../fields.ts";
import { isSameRecord, toRecord, updateUser } from "../record.ts";
import type { EditedUser } from "../undo/edited-users.ts";
import { applyEdits, type FieldEdits } from "./field-edit.ts";
import { defaultFailureText } from "./job-result.tsx";
import { EditConflictError } from "./use-bulk-job.ts";

const MAX_VALUE_CHARACTERS = 120;

/** Edits users one by one, and remembers them as they were. */
export class UserEdits {
  readonly edited: EditedUser[] = [];
  /** Users before a request without a response, which may have changed them. */
  readonly #unanswered = new Map<number, User>();
  readonly #running = new Set<Promise<User>>();

  /** Applies the edits, on the condition that `seen` is still the current version. */
  async apply(seen: User, edits: FieldEdits): Promise<User> {
    const running = this.#update(seen, edits);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** All edited users, after the requests that run now. */
  async findEdited(): Promise<readonly EditedUser[]> {
    await Promise.allSettled(this.#running);
    return this.edited;
  }

  async #update(seen: User, edits: FieldEdits): Promise<User> {
    try {
      const after = await updateUser(seen, applyEdits(seen, edits));
      this.edited.push({ before: toRecord(this.#findBefore(seen, after, edits)), after });
      return after;
    } catch (error) {
      if (isOutcomeUnknown(error) && !this.#unanswered.has(seen.id)) this.#unanswered.set(seen.id, seen);
      throw error;
    }
  }

  #findBefore(seen: User, after: User, edits: FieldEdits): User {
    const earlier = this.#unanswered.get(seen.id);
    const isOnlyChange =
      earlier?.version === after.version - 1 && isSameRecord(applyEdits(earlier, edits), toRecord(after));
    return earlier && isOnlyChange ? earlier : seen;
  }
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
