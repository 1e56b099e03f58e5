import { ApiError, type ChangedUser, type DeletedUser } from "../../client/index.ts";
import { roster } from "../lib/api.ts";
import { fewAtATime, type ManyChange } from "../users/bulk/many-run.ts";

/** Users per page when all of them are read. */
const PAGE_SIZE = 1000;

/** Every deleted user that the search finds. */
export async function readAllDeleted(q: string): Promise<DeletedUser[]> {
  const users: DeletedUser[] = [];
  for await (const user of roster.deletedUsers.list({ limit: PAGE_SIZE, ...(q !== "" && { q }) })) {
    users.push(user);
  }
  return users;
}

export function restoreMany(users: readonly DeletedUser[]): ManyChange {
  return {
    findIds: async () => users.map(({ id }) => id),
    change: (ids) => roster.users.bulk({ ids, restore: true }),
  };
}

export function purgeMany(users: readonly DeletedUser[]): ManyChange {
  const byId = new Map(users.map((user) => [user.id, user]));
  return {
    findIds: async () => [...byId.keys()],
    change: (ids, signal) =>
      fewAtATime(
        ids.flatMap((id) => byId.get(id) ?? []),
        signal,
        purge,
      ),
  };
}

/** Errors that the next user would get too are thrown. */
async function purge(user: DeletedUser): Promise<ChangedUser> {
  const { id } = user;
  try {
    await roster.deletedUsers.purge(id, { ifUnchanged: user });
    return { id, status: 204 };
  } catch (error) {
    const isOwn = error instanceof ApiError && (error.status === 404 || error.status === 412);
    if (!isOwn || !error.problem) throw error;
    return { id, status: error.status, problem: error.problem };
  }
}
