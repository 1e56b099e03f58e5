import { loopShare } from "../scheduling/loop-share.ts";
import type { GroupStore, MemberPatch } from "./group-store.ts";
import { IdSet } from "./id-set.ts";

/** The ids of the members of a group that follow `after`, in order and in pages. Of a group that does not exist, there are none. */
export async function* memberIds(
  groups: Pick<GroupStore, "listMemberships">,
  groupId: number,
  after = 0,
): AsyncGenerator<readonly number[]> {
  let position = { groupId, userId: after };
  for (;;) {
    const page = await groups.listMemberships({ after: position, groupIds: [groupId], names: false });
    if (page.rows.length > 0) yield page.rows.map(([, userId]) => Number(userId));
    if (!page.next) return;
    position = page.next;
  }
}

interface WantedMembers {
  readonly groupId: number;
  readonly ids: Iterable<number>;
  /** Changes of one patch. */
  readonly patchChanges: number;
}

/**
 * What has to change so that exactly these users are members of a group, in patches; the last one may have fewer changes. Members are
 * read between the patches: a patch may be applied before the next one is asked for.
 */
export async function* differenceOfMembers(
  groups: Pick<GroupStore, "listMemberships">,
  { groupId, ids, patchChanges }: WantedMembers,
): AsyncGenerator<MemberPatch> {
  const missing = new IdSet();
  for (const id of ids) {
    missing.add(id);
    if (loopShare.isSpent) await loopShare.nextTurn();
  }
  const remove: number[] = [];
  for await (const page of memberIds(groups, groupId)) {
    for (const id of page) if (!missing.delete(id)) remove.push(id);
    if (remove.length >= patchChanges) yield { add: [], remove: remove.splice(0, patchChanges) };
    if (loopShare.isSpent) await loopShare.nextTurn();
  }
  const add: number[] = [];
  for (const id of missing) {
    add.push(id);
    if (add.length + remove.length === patchChanges) {
      yield { add: add.splice(0), remove: remove.splice(0) };
    }
    if (loopShare.isSpent) await loopShare.nextTurn();
  }
  if (add.length + remove.length > 0) yield { add, remove };
}
