import type { Group, User } from "../../client/index.ts";
import { roster } from "../lib/api.ts";
import { groupPage as texts } from "../texts/groups.ts";
import { reportError, showToast } from "../ui/toasts.tsx";
import { removeCachedMembers } from "../users/queries.ts";
import { offerUndo } from "../users/undo/undo.ts";
import { importMembers } from "./import-members.ts";
import { showOwnChange, showOwnMembers } from "./queries.ts";

/** Removes users from a group, and offers to add them again. */
export async function removeMembers(group: Group, users: readonly User[]): Promise<void> {
  const { id, name } = group;
  const ids = users.map((user) => user.id);
  const [first] = users;
  try {
    await roster.groups.remove(id, ids);
  } catch (error) {
    reportError(error);
    // Some of the requests can have succeeded.
    await showOwnMembers(id);
    return;
  }
  removeCachedMembers(id, new Set(ids));
  void showOwnChange(id);
  const title =
    first && ids.length === 1 ? texts.removedOne(first.name, name) : texts.removed(ids.length, name);
  offerUndo(title, () => addAgain(group, ids));
}

async function addAgain({ id, name }: Group, ids: readonly number[]): Promise<boolean> {
  // Line by line: some of the users can have been deleted since.
  const { added, missing } = await importMembers(id, ids);
  showToast({ title: texts.restored(added.length, name) });
  if (missing.length > 0) showToast({ title: texts.notRestored(missing.length), kind: "failed" });
  await showOwnMembers(id);
  return true;
}
