import type { Client } from "../../client/index.ts";
import { membershipLimits } from "../../contract/groups/group.ts";
import { findGroupId } from "../find-group.ts";
import {
  readFields,
  readLimit,
  readSearch,
  readText,
  requireGroup,
  requireIds,
  type ToolArguments,
} from "./arguments.ts";
import { fillPage, itemLimits, readBoundedPage } from "./bounded-page.ts";
import type { Tool } from "./tool.ts";
import {
  adds,
  after,
  fieldsArgument,
  groupArgument,
  limitOf,
  overwrites,
  reads,
  searchArguments,
} from "./tool-parts.ts";

const group = groupArgument("The id of the group, or its name. Case does not matter. Digits are an id.");
const users = {
  type: "array",
  items: { type: "integer", minimum: 1 },
  minItems: 1,
  maxItems: membershipLimits.patchIds,
  description: "The ids of the users. search_users finds them.",
};

/** What the tools that change members have in common. */
const changeOfMembers = {
  scopes: ["groups:write", "users:read"],
  inputSchema: {
    type: "object",
    properties: { group, users },
    required: ["group", "users"],
    additionalProperties: false,
  },
} satisfies Partial<Tool>;

/** Tools for groups and their members. */
export const groupTools: readonly Tool[] = [
  {
    name: "list_groups",
    title: "List groups",
    description:
      "Lists groups, such as teams and departments, with the number of their members (memberCount). Returns one page, and `next` if there are more: pass it as `after`. For the members of a group, use search_users with group.",
    scopes: ["groups:read"],
    inputSchema: {
      type: "object",
      properties: {
        ...searchArguments({
          q: "Words that all occur in the name, in any order, ignoring case and accents.",
          filter:
            'A condition as in search_users, such as: memberCount ge 10 and (name sw "Sales" or region eq "north").',
          sort: "A field, with - in front for descending order: -memberCount lists the largest groups first.",
        }),
        fields: fieldsArgument("name or memberCount"),
        limit: limitOf(itemLimits),
        after,
      },
      additionalProperties: false,
    },
    annotations: reads,
    run: (client, args, addNote) => {
      const fields = readFields(args);
      const sort = readText(args, "sort");
      const query = { ...readSearch(args), ...(sort !== undefined && { sort }), ...(fields && { fields }) };
      const start = readText(args, "after");
      return readBoundedPage(readLimit(args, itemLimits, addNote), async (size) => {
        const { items, next } = await fillPage<object>(size, start, async (limit, position) => {
          const page = await client.groups.list({ ...query, limit, after: position }).page();
          return { items: page.groups, next: page.next };
        });
        return { groups: items, next };
      });
    },
  },
  {
    name: "get_group",
    title: "Read a group",
    description: `Reads one group with its first ${itemLimits.standard} members, by their ids. \`hasMoreMembers\` tells whether there are more: search_users with group lists all of them.`,
    scopes: ["groups:read", "users:read"],
    inputSchema: { type: "object", properties: { group }, required: ["group"], additionalProperties: false },
    annotations: reads,
    run: async (client, args) => {
      const id = await findGroupId(client, requireGroup(args));
      const [found, { users: members, next }] = await Promise.all([
        client.groups.get(id),
        client.groups.members(id, { fields: ["name", "email"], limit: itemLimits.standard }).page(),
      ]);
      return { group: found, members, hasMoreMembers: next !== undefined };
    },
  },
  {
    name: "add_to_group",
    title: "Add users to a group",
    description:
      "Makes users members of a group: all of them, or none if one does not exist. `unchanged` counts those that were members before.",
    ...changeOfMembers,
    annotations: { ...adds, idempotentHint: true },
    run: async (client, args) => {
      const { id, ids } = await readMembers(client, args);
      const { added } = await client.groups.add(id, ids);
      return { group: id, added, unchanged: ids.length - added };
    },
  },
  {
    name: "remove_from_group",
    title: "Remove users from a group",
    description:
      "Ends the memberships of users in a group. The users stay. `unchanged` counts those that were not members.",
    ...changeOfMembers,
    annotations: overwrites,
    run: async (client, args) => {
      const { id, ids } = await readMembers(client, args);
      const { removed } = await client.groups.remove(id, ids);
      return { group: id, removed, unchanged: ids.length - removed };
    },
  },
];

/** The group and the users of a change. */
async function readMembers(client: Client, args: ToolArguments) {
  const ids = requireIds(args, "users", membershipLimits.patchIds);
  return { id: await findGroupId(client, requireGroup(args)), ids };
}
