import { formatNumber } from "./format.ts";

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
  removed: (user: string, group: string) => `${user} removed from ${group}`,
  wasMember: (user: string, group: string) => `${user} is already a member of ${group}`,
  wasNotMember: (user: string, group: string) => `${user} is not a member of ${group} any more`,
  undone: (user: string, group: string) => `${user} is in ${group} again`,
  undoneAdd: (user: string, group: string) => `${user} is not in ${group} any more`,
};
