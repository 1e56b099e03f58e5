import type { User } from "../../../client/index.ts";
import { isProblem, roster } from "../../lib/api.ts";
import { changedFields, toRecord, type UserRecord, updateUser } from "../record.ts";

export type SaveOutcome =
  | { readonly kind: "saved"; readonly user: User }
  /** Someone else changed the user. Nothing was saved. */
  | { readonly kind: "changed"; readonly theirs: User }
  | { readonly kind: "deleted" };

/** Saves the record, on the condition that `base` is still the current version. */
export async function saveUser(base: User, record: UserRecord): Promise<SaveOutcome> {
  try {
    return { kind: "saved", user: await updateUser(base, record) };
  } catch (error) {
    if (isProblem(error, "user-not-found")) return { kind: "deleted" };
    if (!isProblem(error, "version-mismatch")) throw error;
  }
  try {
    const theirs = await roster.users.get(base.id);
    // Equal records: someone made the same change, or an earlier try succeeded without a response.
    const isSame = changedFields(record, toRecord(theirs)).length === 0;
    return isSame ? { kind: "saved", user: theirs } : { kind: "changed", theirs };
  } catch (error) {
    if (isProblem(error, "user-not-found")) return { kind: "deleted" };
    throw error;
  }
}
