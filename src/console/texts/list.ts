/** What every list says. */
export const list = {
  loading: "Loading…",
  more: "Show more",
  selectAll: "Select all",
  select: (name: string) => `Select ${name}`,
  details: (name: string) => `Details of ${name}`,
};

/** The menu of an entry. */
export const rowMenu = {
  label: (name: string) => `Actions for ${name}`,
  open: "Open",
  select: "Select",
  deselect: "Deselect",
  copyId: "Copy ID",
  copyEmail: "Copy email",
  newTab: "Open in new tab",
  delete: "Delete",
};
