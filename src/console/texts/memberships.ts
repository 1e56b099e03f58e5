import { formatNumber, formatUsers } from "./format.ts";
import { addMembers, groupPage } from "./groups.ts";

/** The groups of a user. */
export const userGroups = {
  title: "Groups",
  count: (count: number, capped: boolean) => `${formatNumber(count)}${capped ? "+" : ""}`,
  list: "Groups of this user",
  none: "Not a member of a group.",
  more: (count: string) => `Show more of the ${count} groups`,
  add: "Add to group",
  remove: (group: string) => `Remove from ${group}`,
  added: (user: string, group: string) => `${user} added to ${group}`,
  removed: groupPage.removedOne,
  wasMember: (user: string, group: string) => `${user} is already a member of ${group}`,
  wasNotMember: (user: string, group: string) => `${user} is not a member of ${group} any more`,
  undone: (user: string, group: string) => `${user} is in ${group} again`,
  undoneAdd: (user: string, group: string) => `${user} is not in ${group} any more`,
};

/** Changes of the groups of many users. */
export const bulkMembers = {
  button: "Groups",
  add: {
    action: "Add to group",
    choose: (count: number) => `Add ${formatUsers(count)} to a group`,
    title: (count: number, group: string) => `Add ${formatUsers(count)} to ${group}?`,
    text: "Users that are members already stay members.",
    submit: (count: number) => `Add ${formatUsers(count)}`,
    running: (count: number, group: string) => `Adding ${formatUsers(count)} to ${group}`,
    outcome: (done: number, total: number) => `${formatNumber(done)} of ${formatUsers(total)} added`,
    done: addMembers.added,
    nothing: (count: number, group: string) =>
      count === 1
        ? `The user is already a member of ${group}`
        : `These users are already members of ${group}`,
    others: (count: number) =>
      `${formatUsers(count)} ${count === 1 ? "was a member" : "were members"} before.`,
  },
  remove: {
    action: "Remove from group",
    choose: (count: number) => `Remove ${formatUsers(count)} from a group`,
    title: (count: number, group: string) => `Remove ${formatUsers(count)} from ${group}?`,
    text: "The users stay users. Those that are not members stay as they are.",
    submit: (count: number) => `Remove ${formatUsers(count)}`,
    running: (count: number, group: string) => `Removing ${formatUsers(count)} from ${group}`,
    outcome: (done: number, total: number) => `${formatNumber(done)} of ${formatUsers(total)} removed`,
    done: groupPage.removed,
    nothing: (count: number, group: string) =>
      count === 1 ? `The user is not a member of ${group}` : `These users are not members of ${group}`,
    others: (count: number) =>
      `${formatUsers(count)} ${count === 1 ? "was not a member" : "were not members"} before.`,
  },
  back: "Choose another group",
};
