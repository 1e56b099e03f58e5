import { formatNumber, formatUsers } from "./format.ts";

export const deletedUsers = {
  title: "Deleted users",
  lead: (days: string) => `You can restore deleted users for ${days} days. Then Roster erases them.`,
  search: "Search by name or email",
  clearSearch: "Clear search",
  list: "Deleted users",
  noEmail: "No email",
  columns: {
    name: "Name",
    email: "Email",
    id: "ID",
    deleted: "Deleted",
    deletedBy: "Deleted by",
    erasure: "Erasure",
  },
  selectAll: { all: "Select all deleted users", found: "Select all matching" },
  selected: "Selected deleted users",
  values: "Last values",
  restore: "Restore",
  purge: "Erase for good",
  restored: (name: string) => `${name} restored`,
  openRestored: "Open",
  gone: {
    title: "This user is no longer deleted",
    text: "Someone has restored or erased this user in the meantime.",
  },
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
};

export const restoreUser = {
  title: (name: string) => `Restore ${name}`,
  /** What the name is for the other user. */
  taken: {
    email: (email: string) => `Another user has the email ${email} now.`,
    userName: (name: string) => `Another user has the user name ${name} now.`,
  },
  fields: {
    email: {
      label: "Email",
      lead: "Enter another email, or restore the user without one.",
      hint: "Leave empty to restore the user without an email.",
    },
    userName: {
      label: "User name",
      lead: "Enter another user name, or restore the user without one.",
      hint: "Leave empty to restore the user without a user name. Then the email is the user name.",
    },
  },
  action: "Restore",
};

export const restoreUsers = {
  running: (count: number) => `Restoring ${formatUsers(count)}`,
  outcome: (done: number, total: number) => `${formatNumber(done)} of ${formatUsers(total)} restored`,
  done: (count: number) => `${formatUsers(count)} restored`,
};

export const purgeUsers = {
  title: (count: number) => `Erase ${formatUsers(count)} for good?`,
  text: (count: number) =>
    `Roster erases ${formatUsers(count)}, and their values in all events. Nobody can restore them afterwards. The activity keeps only the IDs, and who erased them.`,
  confirm: (count: number) => `Type the number of users, ${count}, to confirm`,
  action: (count: number) => `Erase ${formatUsers(count)}`,
  running: (count: number) => `Erasing ${formatUsers(count)}`,
  outcome: (done: number, total: number) => `${formatNumber(done)} of ${formatUsers(total)} erased`,
  done: (count: number) => `${formatUsers(count)} erased`,
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
