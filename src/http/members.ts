import type { ChangedMembers } from "../contract/groups/member-schemas.ts";
import { operations } from "../contract/operations.ts";
import type { Groups } from "../domain/groups/groups.ts";
import type { Members } from "../domain/groups/members.ts";
import type { Users } from "../domain/users/users.ts";
import { groupQueries } from "./query/group-queries.ts";
import { formatEtag } from "./query/headers.ts";
import { userQueries } from "./query/user-queries.ts";
import { createListHandler, type RecordRouteParts } from "./records.ts";
import { originOf } from "./request-context.ts";
import { emptyResponse, jsonResponse, versionedResponse } from "./responses.ts";
import type { Router } from "./router.ts";

interface MemberParts {
  readonly users: Users;
  readonly groups: Groups;
  readonly members: Members;
}

/** Registers the handlers of members of groups. */
export function serveMembers(
  router: Router,
  { users, groups, members }: MemberParts,
  parts: RecordRouteParts,
): void {
  const { listMembers, changeMembers, readMember, addMember, removeMember, listUserGroups } = operations;
  const respondWithMembers = createListHandler(
    parts,
    { records: users, queries: userQueries, parents: groups },
    listMembers,
  );
  const respondWithGroups = createListHandler(
    parts,
    { records: groups, queries: groupQueries, parents: users },
    listUserGroups,
  );

  router.serve(listMembers, (context, { id, ...input }) => respondWithMembers(context, input, id));
  router.serve(listUserGroups, (context, { id, ...input }) => respondWithGroups(context, input, id));

  router.serve(changeMembers, async (context, { id, body, precondition }) => {
    const outcome = await members.change(originOf(context), id, body, precondition);
    const { added, removed } = outcome;
    const changed: ChangedMembers = { added, removed };
    return jsonResponse(context, 200, JSON.stringify(changed), { etag: formatEtag(outcome) });
  });

  router.serve(readMember, async (context, { id: groupId, userId, precondition, ifNoneMatch }) => {
    const user = await members.read({ groupId, userId }, precondition);
    return versionedResponse(context, user.json, user, ifNoneMatch);
  });

  router.serve(addMember, async (context, { id: groupId, userId, precondition }) => {
    await members.add(originOf(context), { groupId, userId }, precondition);
    return emptyResponse(context, 204);
  });

  router.serve(removeMember, async (context, { id: groupId, userId, precondition }) => {
    await members.remove(originOf(context), { groupId, userId }, precondition);
    return emptyResponse(context, 204);
  });
}
