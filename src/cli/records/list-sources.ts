import type { Client } from "../../client/index.ts";
import type { ListQuery, ListSource } from "./list-records.ts";
import { groupKind, userKind } from "./record-kind.ts";

/** The users of a service; with groups, only their members. */
export function userList(
  { users: calls }: Client,
  membership: { readonly group?: readonly number[] },
): Required<ListSource> {
  const withGroups = (query: ListQuery) => ({ ...query, ...membership });
  return {
    kind: userKind,
    command: "users list",
    empty: "No users yet.",
    async page(query, options) {
      const { users: items, ...rest } = await calls.list(withGroups(query)).page(options);
      return { items, ...rest };
    },
    explain: (query) => calls.list(withGroups(query)).explain(),
    exportCsv: (query) => calls.export(withGroups(query)).stream("csv"),
  };
}

/** The members of a group. A group that does not exist is an error. */
export function memberList(client: Client, group: number): ListSource {
  const { explain, exportCsv, ...users } = userList(client, { group: [group] });
  return {
    ...users,
    // These find no users of a group that does not exist, without an error.
    explain: async (query) => {
      await client.groups.get(group);
      return explain(query);
    },
    exportCsv: async (query) => {
      await client.groups.get(group);
      return exportCsv(query);
    },
    command: "groups members",
    empty: "The group has no members.",
    async page(query, options) {
      const { users: items, ...rest } = await client.groups.members(group, query).page(options);
      return { items, ...rest };
    },
  };
}

export function groupList({ groups: calls }: Client): ListSource {
  return {
    kind: groupKind,
    command: "groups list",
    empty: "No groups yet.",
    async page(query, options) {
      const { groups: items, ...rest } = await calls.list(query).page(options);
      return { items, ...rest };
    },
    explain: (query) => calls.list(query).explain(),
    exportCsv: (query) => calls.export(query).stream("csv"),
  };
}

/** The groups that a user is a member of. */
export function groupsOfUser({ users }: Client, user: number): ListSource {
  return {
    kind: groupKind,
    command: "users groups",
    empty: "The user is not a member of any group.",
    async page(query, options) {
      const { groups: items, ...rest } = await users.groups(user, query).page(options);
      return { items, ...rest };
    },
  };
}
