import { ApiError, type ChangedUser, type User } from "../../../client/index.ts";
import { isProblem, roster } from "../../lib/api.ts";
import { fewAtATime, type ManyChange } from "../bulk/many-run.ts";
import { isSameRecord, toRecord, type UserRecord, updateUser } from "../record.ts";

/** A user after an edit, and its record before. */
export interface EditedUser {
  readonly after: User;
  readonly before: UserRecord;
}

/** Finds edited users. Calls `report` with the number of users found so far. */
export type FindEdited = (
  report: (found: number) => void,
  signal: AbortSignal,
) => Promise<readonly EditedUser[]>;

/** What can be wrong with one user: other errors would hit the next users, too. */
const OWN_STATUSES: readonly number[] = [404, 409, 412, 422];

/** Changes edited users back, except those that someone else has changed since. `onUser` gets the current users. */
export function changeBack(find: FindEdited, onUser: (user: User) => void): ManyChange {
  const edited = new Map<number, EditedUser>();
  return {
    async findIds(report, signal) {
      for (const user of await find(report, signal)) edited.set(user.after.id, user);
      return [...edited.keys()];
    },
    change(ids, signal) {
      const users = ids.flatMap((id) => edited.get(id) ?? []);
      return fewAtATime(users, signal, (user) => changeUserBack(user, onUser));
    },
  };
}

async function changeUserBack(user: EditedUser, onUser: (user: User) => void): Promise<ChangedUser> {
  const { id } = user.after;
  try {
    onUser(await writeBefore(user, onUser));
    return { id, status: 200 };
  } catch (error) {
    const isOwn = error instanceof ApiError && OWN_STATUSES.includes(error.status);
    if (!isOwn || !error.problem) throw error;
    return { id, status: error.status, problem: error.problem };
  }
}

async function writeBefore({ after, before }: EditedUser, onUser: (user: User) => void): Promise<User> {
  if (isSameRecord(toRecord(after), before)) return after;
  try {
    return await updateUser(after, before);
  } catch (error) {
    if (!isProblem(error, "version-mismatch")) throw error;
    const current = await roster.users.get(after.id);
    const record = toRecord(current);
    if (isSameRecord(record, before)) return current;
    onUser(current);
    // After the undo of a later change, the version is another one, and the record is the same.
    if (!isSameRecord(record, toRecord(after))) throw error;
    return updateUser(current, before);
  }
}
