export const deletedUsers = {
  title: "Deleted users",
  lead: (days: string) => `You can restore deleted users for ${days} days. Then Roster erases them.`,
  search: "Search by name or email",
  clearSearch: "Clear search",
  list: "Deleted users",
  noEmail: "No email",
  idOf: (id: number) => `ID ${id}`,
  deletedBy: "by",
  deleted: "Deleted",
  left: (days: number) =>
    days < 1
      ? "Erased within 24 hours"
      : days < 1.5
        ? "Erased in 1 day"
        : `Erased in ${Math.round(days)} days`,
  erasedOn: (moment: string) => `Erased on ${moment}`,
  show: (name: string) => `Show the fields of ${name}`,
  hide: (name: string) => `Hide the fields of ${name}`,
  values: "Last values",
  restore: "Restore",
  restoreOf: (name: string) => `Restore ${name}`,
  purge: "Erase",
  purgeOf: (name: string) => `Erase ${name} for good`,
  restored: (name: string) => `${name} restored`,
  openRestored: "Open",
  gone: {
    title: "This user is no longer deleted",
    text: "Someone has restored or erased this user in the meantime.",
  },
  more: "Show more",
  readOnly: "To restore users, sign in with a key that has the scope users:write.",
  empty: {
    title: "No deleted users",
    text: (days: string) => `Users that you delete appear here for ${days} days, and you can restore them.`,
    off: "This service erases users as soon as they are deleted (ROSTER_DELETED_DAYS is 0).",
    action: "Go to users",
  },
  nothing: {
    title: "No matching deleted users",
    text: "Try other words.",
  },
  forbidden: {
    title: "Your key can't read users",
    text: "This needs a key with the scope users:read.",
  },
};

export const restoreUser = {
  title: (name: string) => `Restore ${name}`,
  taken: (email: string) =>
    `Another user has the email ${email} now. Enter another email, or restore the user without one.`,
  email: "Email",
  emailHint: "Leave empty to restore the user without an email.",
  action: "Restore",
};

export const purgeUser = {
  title: (name: string) => `Erase ${name} for good?`,
  text: "Roster erases the user, and the user's values in all events. Nobody can restore the user afterwards. The activity keeps only the ID, and who erased it.",
  backups: "Backups that were made before still contain the user.",
  confirm: (id: string) => `Type the ID ${id} to confirm`,
  mismatch: (id: string) => `Type ${id}.`,
  action: "Erase for good",
  done: (name: string) => `${name} erased`,
};
