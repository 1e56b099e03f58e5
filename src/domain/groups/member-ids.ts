import { loopShare } from "../scheduling/loop-share.ts";
import type { GroupStore, MemberPatch } from "./group-store.ts";
import type { Ids } from "./id-list.ts";
import { sortIds } from "./sort-ids.ts";

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
  readonly ids: Ids;
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
  const wanted = await sortIds(ids);
  const [add, remove]: [number[], number[]] = [[], []];
  const isFull = () => add.length + remove.length === patchChanges;
  const take = () => ({ add: add.splice(0), remove: remove.splice(0) });
  let position = 0;
  const addBefore = function* (memberId: number): Generator<MemberPatch> {
    for (let id = wanted[position]; id !== undefined && id < memberId; id = wanted[++position]) {
      add.push(id);
      if (isFull()) yield take();
    }
  };
  for await (const page of memberIds(groups, groupId)) {
    for (const id of page) {
      yield* addBefore(id);
      if (wanted[position] === id) position++;
      else remove.push(id);
      if (isFull()) yield take();
    }
    if (loopShare.isSpent) await loopShare.nextTurn();
  }
  yield* addBefore(Number.POSITIVE_INFINITY);
  if (add.length + remove.length > 0) yield take();
}
