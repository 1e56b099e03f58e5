import { formatNumber, formatUsers } from "./format.ts";
import { user } from "./user.ts";

const formatMembers = (count: number) => (count === 1 ? "1 member" : `${formatNumber(count)} members`);

/** The field that finds a group. */
export const groupChoice = {
  label: "Find a group",
  create: (name: string) => `Create group “${name}”`,
  nothing: "No group matches.",
  failed: "Groups can't be searched now.",
  searching: "Searching…",
};

export const groups = {
  title: "Groups",
  lead: "Teams, departments and other sets of users. A user can be a member of any number of groups.",
  list: "Groups",
  count: (count: string, capped: boolean) => (capped ? `at least ${count}` : count),
  newGroup: "New group",
  search: "Search by name",
  clearSearch: "Clear search",
  sort: "Sort by",
  sorts: {
    name: "Name A–Z",
    "-name": "Name Z–A",
    "-memberCount": "Most members",
    memberCount: "Fewest members",
    "-createdAt": "Newest",
    createdAt: "Oldest",
  },
  columns: { name: "Name", members: "Members", created: "Created", updated: "Updated" },
  empty: {
    title: "No groups yet",
    text: "A group is a named set of users, such as a team, a department or the guests of an event. Create one, then add its members. Programs read the members from the API.",
    readOnly:
      "Your key can only read groups. To create one, sign in with a key that has the scope groups:write.",
  },
  nothing: { title: "No matching groups", text: "Try other words." },
  back: "Groups",
  export: { title: "Export groups", lead: "The groups of the list, with all fields and without members." },
};

/** The page of one group. */
export const groupPage = {
  parts: { members: "Members", fields: "Fields", history: "History" },
  navigation: "Parts of the group",
  members: formatMembers,
  membersTitle: "Members",
  noRead: {
    title: "Your key can't see members",
    text: "Members are users. This needs a key with the scope users:read. Sign in with one that has it.",
  },
  noEvents: {
    title: "Your key can't see the history",
    text: "This needs a key with the scope events:read. Sign in with one that has it.",
  },
  empty: {
    title: "No members yet",
    text: "Find users by their names, or paste a list of IDs, emails or user names.",
    readOnly: "To add members, sign in with a key that has the scopes groups:write and users:read.",
  },
  add: "Add members",
  remove: "Remove from group",
  /** Phones show the first part. */
  removeShort: "Remove",
  removeRest: "from group",
  removed: (count: number, group: string) => `${formatUsers(count)} removed from ${group}`,
  removedOne: (name: string, group: string) => `${name} removed from ${group}`,
  restored: (count: number, group: string) => `${formatUsers(count)} added to ${group} again`,
  notRestored: (count: number) => `${formatUsers(count)} not added again`,
  gone: "The group was deleted.",
  more: (name: string) => `Actions for ${name}`,
  delete: "Delete group",
  copyId: "Copy ID",
};

export const addMembers = {
  title: (group: string) => `Add members to ${group}`,
  find: "Find a user by name, email or user name",
  nobody: "No user matches.",
  failed: "Users can't be searched now.",
  searching: "Searching…",
  paste: "IDs, emails or user names",
  pasteHint: (most: number) =>
    `One per line, or separated by commas. At most ${formatNumber(most)} at once. Digits are an ID.`,
  chosen: "Users to add",
  drop: (name: string) => `Don't add ${name}`,
  check: "Check",
  submit: (count: number) => `Add ${formatUsers(count)}`,
  empty: "Find a user, or paste at least one ID, email or user name.",
  tooMany: (count: number, most: number) =>
    `These are ${formatNumber(count)}. Add at most ${formatNumber(most)} at once.`,
  edit: "Back",
  results: {
    label: "What was found",
    found: (count: number) => `${formatUsers(count)} found`,
    members: (count: number) =>
      count === 1 ? "1 is a member already" : `${formatNumber(count)} are members already`,
    missing: (count: number) =>
      count === 1
        ? "1 was not found, and is left out"
        : `${formatNumber(count)} were not found, and are left out`,
    more: (count: number) => `and ${formatNumber(count)} more`,
    named: (name: string, id: string) => `${name} (${id})`,
    none: "None of these users can be added. Go back to change the list.",
  },
  added: (count: number, group: string) => `${formatUsers(count)} added to ${group}`,
  notAdded: (count: number) => `${formatUsers(count)} not added`,
  undone: (count: number, group: string) => `${formatUsers(count)} removed from ${group} again`,
};

export const deleteGroup = {
  title: (name: string) => `Delete the group ${name}?`,
  text: (count: number) =>
    count === 0
      ? "The group has no members. It can't be restored."
      : `${formatMembers(count)} ${count === 1 ? "loses" : "lose"} the membership, and stay${count === 1 ? "s" : ""} in the directory. The group can't be restored.`,
  typeName: (name: string) => `Type ${name} to confirm`,
  mismatch: "This is not the name of the group.",
  action: "Delete group",
  deleted: (name: string) => `${name} deleted`,
};

/** The form of a group: where it says something else than that of a user. */
export const group: typeof user = {
  ...user,
  newTitle: "New group",
  loadingTitle: "Group",
  create: "Create group",
  readOnly: "Read-only. To edit, sign in with a key that has the scope groups:write.",
  customFields: {
    ...user.customFields,
    hint: "Any other data that your programs store about a group, such as its owner.",
  },
  gone: {
    title: "Group not found",
    text: "This group was deleted or never existed.",
    action: "Back to groups",
  },
  deleted: {
    ...user.deleted,
    title: "Group was deleted",
    text: (name) =>
      `Someone deleted ${name} while you were editing. Your input is still here: you can create the group again with it, under a new ID and without members.`,
  },
  others: {
    ...user.others,
    changed: (time) => `changed this group at ${time}:`,
    deleted: "deleted this group.",
    deletedAt: (time) => `deleted this group at ${time}.`,
    erased:
      "You can't save your changes now. Your input is still here: you can create the group again with it, under a new ID and without members.",
  },
};
