import type { User } from "../../../client/index.ts";
import { isProblem, roster } from "../../lib/api.ts";
import { changedFields, toRecord, type UserRecord, updateUser } from "../record.ts";

/** What came of saving. */
export type SaveOutcome =
  | { readonly kind: "saved"; readonly user: User }
  /** Somebody else had changed it; nothing was saved. */
  | { readonly kind: "changed"; readonly theirs: User }
  | { readonly kind: "deleted" };

/** Makes the user what the record says, unless somebody else has changed it since it was `base`. */
export async function saveUser(base: User, record: UserRecord): Promise<SaveOutcome> {
  try {
    return { kind: "saved", user: await updateUser(base, record) };
  } catch (error) {
    if (isProblem(error, "user-not-found")) return { kind: "deleted" };
    if (!isProblem(error, "version-mismatch")) throw error;
  }
  try {
    const theirs = await roster.users.get(base.id);
    // They did the same; or it was done before, and the answer was lost.
    const alike = changedFields(record, toRecord(theirs)).length === 0;
    return alike ? { kind: "saved", user: theirs } : { kind: "changed", theirs };
  } catch (error) {
    if (isProblem(error, "user-not-found")) return { kind: "deleted" };
    throw error;
  }
}
