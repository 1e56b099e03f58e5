import type { Match, MixedChange, ScimGroupBody } from "./changes.ts";
import type { MixedModel } from "./model.ts";

/** The change that a draft stands for: with the ids of users and groups, and the versions, that there are. */
export function resolveDraft(draft: MixedChange, model: MixedModel): MixedChange {
  const users = [...model.users.keys()];
  const groups = [...model.groups.keys(), ...model.removedGroups.slice(-1)];
  const userId = (position: number) => users[position % users.length] ?? 0;
  const groupId = (position: number) => groups[position % groups.length] ?? 0;
  const userIds = (positions: readonly number[]) => [...new Set(positions.map(userId))];
  const target = (records: ReadonlyMap<number, { version: number }>, id: number, match: Match) => ({
    id,
    match: match === "any" ? match : (records.get(id)?.version ?? 1) + match,
  });
  switch (draft.kind) {
    case "api-create-user":
    case "scim-post-user":
    case "api-create-group":
      return draft;
    case "restore-user":
      return { ...draft, id: userId(draft.id) };
    case "bulk-patch":
    case "bulk-delete":
      return { ...draft, ids: userIds(draft.ids) };
    case "api-patch-user":
    case "api-put-user":
    case "api-delete-user":
    case "scim-delete-user":
    case "scim-put-user":
    case "scim-patch-user":
      return { ...draft, ...target(model.users, userId(draft.id), draft.match) };
    case "scim-post-group":
      return { ...draft, body: withMembers(draft.body, userIds) };
  }
  const { id, match } = target(model.groups, groupId(draft.id), draft.match);
  switch (draft.kind) {
    case "scim-put-group":
      return { ...draft, id, match, body: withMembers(draft.body, userIds) };
    case "scim-replace-members":
      return { ...draft, id, match, members: userIds(draft.members) };
    case "api-set-member":
      return { ...draft, id, match, userId: userId(draft.userId) };
    case "bulk-members":
      return { ...draft, id, match, ids: userIds(draft.ids) };
    case "api-patch-members":
    case "scim-patch-group": {
      const add = userIds(draft.add);
      const remove = userIds(draft.remove).filter((each) => !add.includes(each));
      return { ...draft, id, match, add, remove };
    }
    default:
      return { ...draft, id, match };
  }
}

function withMembers(body: ScimGroupBody, idsAt: (positions: readonly number[]) => number[]): ScimGroupBody {
  return body.members ? { ...body, members: idsAt(body.members) } : body;
}
