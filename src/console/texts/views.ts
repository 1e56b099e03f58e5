import { formatNumber } from "./format.ts";

export const views = {
  button: "Views",
  current: (name: string) => `View: ${name}`,
  list: "Views",
  all: "All users",
  save: "Save current view…",
  copyLink: "Copy link",
  manage: "Manage views…",
  linkHint: "Saved view",
};

export const saveView = {
  title: "Save current view",
  lead: "Your browser stores the search, the filters, the sort order and the columns under this name.",
  name: "Name",
  missing: "Enter a name.",
  full: (count: number) => `You can save ${formatNumber(count)} views. Delete one, or replace a view.`,
  long: "This view is too long to save. Use a shorter filter.",
  replaces: "A view has this name. It is replaced.",
  save: "Save view",
  replace: "Replace view",
  done: (name: string) => `View “${name}” saved`,
};

export const manageViews = {
  title: "Manage views",
  name: (name: string) => `Name of ${name}`,
  duplicate: "Another view has this name.",
  delete: (name: string) => `Delete ${name}`,
  empty: "No views left.",
  save: "Save changes",
};
