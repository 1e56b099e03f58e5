/** The field that finds a group. */
export const groupChoice = {
  label: "Find a group",
  create: (name: string) => `Create group “${name}”`,
  nothing: "No group matches.",
  failed: "Groups can't be searched now.",
  searching: "Searching…",
};
