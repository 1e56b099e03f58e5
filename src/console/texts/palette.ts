export const palette = {
  title: "Search and commands",
  open: "Search",
  placeholder: "Find a user, a group, a view or an action",
  groups: { users: "Users found", groups: "Groups found", views: "Go to", actions: "Actions" },
  newUser: "New user",
  exportUsers: "Export users",
  theme: { system: "Use the theme of the system", light: "Use the light theme", dark: "Use the dark theme" },
  signOut: "Sign out",
  searching: "Searching…",
  nothing: "Nothing found",
  failed: "Users and groups can't be searched now.",
  keys: "Choose with the arrow keys, open with Enter",
};
