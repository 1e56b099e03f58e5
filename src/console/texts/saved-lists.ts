import { formatNumber } from "./format.ts";

export const savedLists = {
  button: "Lists",
  current: (name: string) => `List: ${name}`,
  /** The list that was shown last has other filters, another order or other columns now. */
  isEdited: "edited",
  edited: (name: string) => `${name} (edited)`,
  update: (name: string) => `Update “${name}”`,
  list: "Saved lists",
  all: "All users",
  save: "Save current list…",
  copyLink: "Copy link",
  manage: "Manage saved lists…",
  linkHint: "Saved list",
};

export const saveList = {
  title: "Save current list",
  lead: "Your browser stores the search, the filters, the sort order and the columns under this name.",
  name: "Name",
  missing: "Enter a name.",
  full: (count: number) => `You can save ${formatNumber(count)} lists. Delete one, or replace one.`,
  long: "This list is too long to save. Use a shorter filter.",
  replaces: "A list has this name. It is replaced.",
  save: "Save list",
  replace: "Replace list",
  done: (name: string) => `List “${name}” saved`,
};

export const manageLists = {
  title: "Manage saved lists",
  name: (name: string) => `Name of ${name}`,
  duplicate: "Another list has this name.",
  delete: (name: string) => `Delete ${name}`,
  empty: "No lists left.",
  save: "Save changes",
};
