import type { JsonObject } from "../../contract/json.ts";
import { scimLimits } from "../../contract/scim/scim.ts";
import type { GroupListQuery } from "../../domain/groups/group-list-fields.ts";
import { groupIdText } from "../../scim/group-document.ts";
import type { RequestContext } from "../request-context.ts";
import { locateFor, type ScimParts } from "./scim-parts.ts";

/** The values of the attribute `groups`: the first groups that the user is a member of, in the order of their ids. */
export async function readGroupsOfUser(
  context: RequestContext,
  userId: number,
  parts: ScimParts,
): Promise<JsonObject[]> {
  const locate = locateFor(context, parts);
  const findOwner = () => parts.limits.findOwner(context);
  const groups: JsonObject[] = [];
  let from: GroupListQuery["from"];
  do {
    const limit = scimLimits.groupsOfUser - groups.length;
    const page = await parts.groups.list({ ...groupsOf(userId), from, limit }, findOwner);
    const found: { readonly id: number; readonly name: string }[] = JSON.parse(decoder.decode(page.body));
    for (const { id, name } of found) {
      const value = groupIdText(id);
      groups.push({ value, $ref: locate(`/Groups/${value}`), display: name, type: "direct" });
    }
    from = page.next;
  } while (from && groups.length < scimLimits.groupsOfUser);
  return groups;
}

const decoder = new TextDecoder();

function groupsOf(userId: number): Omit<GroupListQuery, "from" | "limit"> {
  return {
    sort: "id",
    descending: false,
    offset: 0,
    search: undefined,
    filters: [{ kind: "membership", by: "id", values: [userId] }],
    count: false,
    fields: [["id"], ["name"]],
  };
}
