import { formatNumber } from "./format.ts";

export const users = {
  title: "Users",
  count: (count: string, capped: boolean) => (capped ? `more than ${count}` : count),
  newUser: "New user",
  refresh: "Refresh",
  help: "Keyboard shortcuts (?)",
  search: "Search by name or email",
  searchHint: "Press / to search",
  clearSearch: "Clear search",
  table: "Users",
  select: (name: string) => `Select ${name}`,
  selectAll: "Select all loaded users",
  noEmail: "No email",
  loadingMore: "Loading more…",
  end: (count: number) => (count === 1 ? "1 user" : `${formatNumber(count)} users`),
  sort: {
    by: "Sort by",
    choice: (field: string, descending: boolean) => `${field} ${descending ? "↓" : "↑"}`,
  },
  fields: new Map([
    ["id", "ID"],
    ["name", "Name"],
    ["email", "Email"],
    ["version", "Version"],
    ["createdAt", "Created"],
    ["updatedAt", "Updated"],
  ]),
  columns: {
    button: "Columns",
    title: "Columns",
    lead: "Custom fields appear here as users load.",
    reset: "Reset to default",
  },
  filter: {
    button: "Filter",
    title: "Add a filter",
    field: "Field",
    value: "Value",
    hint: "Exact match. To match any of several values, add the field again.",
    add: "Add filter",
    chip: (field: string, value: string) => `${field} is ${value}`,
    remove: (field: string, value: string) => `Remove filter ${field} is ${value}`,
    clear: "Clear all",
    nameless: "Enter a field name.",
    reserved: (field: string) => `You can't filter by ${field}: this name is reserved in URLs.`,
  },
  empty: {
    title: "No users yet",
    text: "Create the first user, import a file, or call the API.",
  },
  nothing: {
    title: "No matching users",
    text: "Try other words, or remove a filter.",
    action: "Clear search and filters",
  },
};

export const help = {
  title: "Keyboard shortcuts",
  keys: [
    ["/", "Search"],
    ["n", "New user"],
    ["↑ ↓", "Move through the table"],
    ["Enter", "Open the user"],
    ["Space", "Select the user"],
    ["Delete", "Delete the user"],
    ["Esc", "Close"],
    ["?", "Show this help"],
  ],
} as const;
