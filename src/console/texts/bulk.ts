import { formatNumber, formatUsers } from "./format.ts";

const formatDone = (done: number, total: number) => `${formatNumber(done)} of ${formatUsers(total)}`;
const lists = new Intl.ListFormat("en");

export const bulk = {
  label: "Selected users",
  selected: (count: number) => `${formatNumber(count)} selected`,
  allSelected: (count: number) => `All ${formatNumber(count)} matching users selected`,
  selectMatching: (count: number) => `Select all ${formatNumber(count)} matching`,
  edit: "Edit",
  delete: "Delete",
  clear: "Clear",
  clearHint: "Clear selection (Esc)",
  readOnly: "Your key can read users, but not edit them.",
  more: (count: number) => `and ${formatNumber(count)} more`,

  editing: {
    title: (count: number) => `Edit ${formatUsers(count)}`,
    lead: "Change fields of every selected user. Other fields stay the same.",
    field: "Field",
    action: "Action",
    set: "Set",
    remove: "Remove",
    value: "Value",
    newField: "No user has this field yet.",
    add: "Change another field",
    drop: (field: string) => (field === "" ? "Don't change this field" : `Don't change ${field}`),
    submit: (count: number) => `Update ${formatUsers(count)}`,
    preview: {
      set: (field: string, value: string) => `sets ${field} to ${value}`,
      remove: (field: string) => `removes ${field}`,
      all: (parts: readonly string[], count: number) => {
        const text = lists.format(parts);
        return `${text.charAt(0).toUpperCase()}${text.slice(1)}, for ${formatUsers(count)}.`;
      },
    },
    running: (count: number) => `Updating ${formatUsers(count)}`,
    outcome: (done: number, total: number) => `${formatDone(done, total)} updated`,
    done: (count: number) => `${formatUsers(count)} updated`,
    errors: {
      nameless: "Enter a field name.",
      repeated: "You already change this field.",
      misnamed: "Start with a letter, then use up to 63 letters, digits or _.",
      managed: "Roster sets this field.",
      credential: "Roster stores no passwords, secrets or tokens.",
      reserved: "This name is not allowed.",
      groups: "Choose another name, such as groupNames.",
      needed: "Every user needs a name.",
      text: "This field must be text.",
      empty: "Enter a value.",
      shared: "Emails and user names must be unique. Edit these users one by one.",
      scim: "SCIM clients keep this field.",
    },
    isNow: (field: string, value: string | undefined) =>
      value === undefined ? `${field} is not set now` : `${field} is ${value} now`,
    conflict: (now: readonly string[]) =>
      `Someone else changed this user: ${lists.format(now)}. Try again to edit the current version.`,
  },

  deleting: {
    title: (count: number) => `Delete ${formatUsers(count)}?`,
    text: "You can undo this right afterwards, and restore deleted users until the service purges them.",
    erased:
      "This service does not keep deleted users. Roster erases these users, and their values in all events. You can't undo this.",
    restored: (count: number) => `${formatUsers(count)} restored`,
    notRestored: (count: number) => `${formatUsers(count)} not restored`,
    submit: (count: number) => `Delete ${formatUsers(count)}`,
    running: (count: number) => `Deleting ${formatUsers(count)}`,
    outcome: (done: number, total: number) => `${formatDone(done, total)} deleted`,
    done: (count: number) => `${formatUsers(count)} deleted`,
    conflict: "Someone else changed this user. Try again to delete the current version.",
  },

  progress: {
    value: (done: number, total: number) => `${formatNumber(done)} of ${formatNumber(total)}`,
    failed: (count: number) => `${formatNumber(count)} failed so far.`,
    finding: (found: string) => `Finding users: ${found}`,
    stop: "Stop",
    stopping: "Finishing requests in progress…",
    ended: "Your session has ended. Sign in to continue. Nothing is lost.",
    signIn: "Sign in",
    resume: "Resume",
    left: "Stopped: you left the page",
  },

  outcomes: {
    stopped: (count: number) => `Stopped. ${formatUsers(count)} not changed.`,
    failed: (count: number) => `${formatUsers(count)} failed:`,
    failedList: "Failed users",
    user: (id: number) => `User ${id}`,
    unknown: "No response, so it's not known whether this succeeded. It's safe to try again.",
    missing: "Someone else deleted this user.",
    again: "Retry failed",
    rest: (count: number) => `Continue with the other ${formatNumber(count)}`,
    both: (count: string) => `Retry failed and the other ${count}`,
    download: "Download failures",
    file: "failed-users",
    columns: { id: "id", name: "name", email: "email", problem: "problem" },
    close: "Close",
  },
};

export const exporting = {
  button: "Export",
  title: "Export users",
  titleOf: (count: number) => `Export ${formatUsers(count)}`,
  titleOfMatching: (count: number | undefined) =>
    `Export all ${count === undefined ? "" : `${formatNumber(count)} `}matching users`,
  all: (count: number | undefined) => (count === undefined ? "All users." : `All ${formatUsers(count)}.`),
  matching: (count: number | undefined, capped: boolean, conditions: readonly string[]) => {
    const subject =
      count === undefined ? "The users" : `${capped ? "At least" : "The"} ${formatUsers(count)}`;
    return `${subject} where ${lists.format(conditions)}.`;
  },
  search: (q: string) => `“${q}” is in the name or email`,
  order: "Sorted like the table, with all fields.",
  empty: {
    all: "There are no users to export.",
    matching: "No users match. Clear the search and filters to export all users.",
  },
  format: "Format",
  formats: {
    csv: { name: "CSV", hint: "A table for Excel, Numbers and other spreadsheets." },
    ndjson: { name: "NDJSON", hint: "One JSON object per line, for programs." },
  },
  submit: "Export",
  running: "Exporting",
  waiting: "Waiting for the first users…",
  scanning: "Reading all users to collect their fields…",
  received: {
    users: (count: number, size: string) => `${formatUsers(count)}, ${size}`,
    size: (size: string, seconds: number) => `${size} in ${formatNumber(seconds)} s`,
  },
  failed: (title: string, text: string) => `${title}. Nothing was saved. ${text}`,
  ended: "Your session has ended, and nothing was saved. Sign in, then try again.",
  allDeleted: "All of these users have been deleted. Nothing was saved.",
  tooManyFields: (count: number) =>
    `These users have more than ${formatNumber(count)} different custom fields, too many for CSV. Nothing was saved. Choose NDJSON.`,
  done: (file: string) => `${file} saved`,
  partlyDone: (found: number, missing: number) =>
    `${formatNumber(found)} of ${formatUsers(found + missing)}; ${formatNumber(missing)} ${missing === 1 ? "has" : "have"} been deleted`,
};
