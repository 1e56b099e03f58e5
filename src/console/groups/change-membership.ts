import type { Group, User } from "../../client/index.ts";
import { eventsQuery } from "../activity/queries.ts";
import { queryClient, roster } from "../lib/api.ts";
import { userGroups as texts } from "../texts/memberships.ts";
import { showToast } from "../ui/toasts.tsx";
import { offerUndo } from "../users/undo/undo.ts";
import { showOwnChange } from "./queries.ts";

type NamedGroup = Pick<Group, "id" | "name">;
type NamedUser = Pick<User, "id" | "name">;

/** Makes a user a member of a group, and offers to undo it. */
export async function addToGroup(user: NamedUser, group: NamedGroup): Promise<void> {
  if (!(await add(user, group))) return void showToast({ title: texts.wasMember(user.name, group.name) });
  offerUndo(texts.added(user.name, group.name), async () => {
    await remove(user, group);
    showToast({ title: texts.undoneAdd(user.name, group.name) });
    return true;
  });
}

/** Removes a user from a group, and offers to undo it. */
export async function removeFromGroup(user: NamedUser, group: NamedGroup): Promise<void> {
  if (!(await remove(user, group)))
    return void showToast({ title: texts.wasNotMember(user.name, group.name) });
  offerUndo(texts.removed(user.name, group.name), async () => {
    await add(user, group);
    showToast({ title: texts.undone(user.name, group.name) });
    return true;
  });
}

/** Whether the user was not a member before. */
const add = (user: NamedUser, group: NamedGroup) =>
  change(user, group, async () => (await roster.groups.add(group.id, [user.id])).added === 1);

/** Whether the user was a member before. */
const remove = (user: NamedUser, group: NamedGroup) =>
  change(user, group, async () => (await roster.groups.remove(group.id, [user.id])).removed === 1);

/** Shows the groups and the history of the user again, also after an error: a group may have been deleted. */
async function change(user: NamedUser, group: NamedGroup, send: () => Promise<boolean>): Promise<boolean> {
  try {
    return await send();
  } finally {
    void showOwnChange(group.id);
    void queryClient.invalidateQueries({ queryKey: eventsQuery({ historyOf: user.id }).queryKey });
  }
}
