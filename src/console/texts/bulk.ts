import { formatNumber } from "./format.ts";

const people = (count: number) => (count === 1 ? "1 user" : `${formatNumber(count)} users`);
const lists = new Intl.ListFormat("en");
const of = (done: number, total: number) => `${formatNumber(done)} of ${people(total)}`;

export const bulk = {
  label: "Selected users",
  selected: (count: number) => `${formatNumber(count)} selected`,
  edit: "Edit",
  delete: "Delete",
  clear: "Clear",
  clearHint: "Clear the selection (Esc)",
  readOnly: "Your key may read users, not change them.",
  more: (count: number) => `and ${formatNumber(count)} more`,

  editing: {
    title: (count: number) => `Edit ${people(count)}`,
    lead: "Changes one field of everybody who is selected. Their other fields stay as they are.",
    field: "Field",
    action: "What to do",
    set: "Set it",
    remove: "Remove it",
    type: "Type",
    value: "Value",
    submit: (count: number) => `Change ${people(count)}`,
    preview: {
      set: (field: string, value: string, count: number) => `Sets ${field} to ${value} for ${people(count)}.`,
      remove: (field: string, count: number) => `Removes ${field} from ${people(count)}.`,
    },
    running: (count: number) => `Changing ${people(count)}`,
    outcome: (done: number, total: number) => `${of(done, total)} changed`,
    done: (count: number) => `${people(count)} changed`,
    errors: {
      nameless: "Name a field.",
      misnamed: "A field begins with a letter, and goes on with letters, digits and _: 64 at most.",
      managed: "The service writes this field by itself.",
      credential: "No passwords, secrets or tokens: Roster does not keep them.",
      hazardous: "This name is not allowed.",
      needed: "Everybody needs a name.",
      text: "This field is text.",
      empty: "Type something.",
      shared: "No two users can have the same email. Edit them one by one.",
    },
    changedMeanwhile: (field: string, value: string | undefined) =>
      value === undefined
        ? `Somebody else changed this user meanwhile; it has no ${field} now. Trying again takes it as it is now.`
        : `Somebody else changed this user meanwhile; ${field} is ${value} now. Trying again takes it as it is now.`,
  },

  deleting: {
    title: (count: number) => `Delete ${people(count)}?`,
    text: "This cannot be undone.",
    submit: (count: number) => `Delete ${people(count)}`,
    running: (count: number) => `Deleting ${people(count)}`,
    outcome: (done: number, total: number) => `${of(done, total)} deleted`,
    done: (count: number) => `${people(count)} deleted`,
    changedMeanwhile: "Somebody else changed this user meanwhile. Trying again deletes it as it is now.",
  },

  progress: {
    value: (done: number, total: number) => `${formatNumber(done)} of ${formatNumber(total)}`,
    failed: (count: number) =>
      count === 1 ? "1 has failed so far." : `${formatNumber(count)} have failed so far.`,
    stop: "Stop",
    stopping: "Waiting for those that have been begun…",
    ended: "Your session has ended. Nothing is lost: sign in, and it goes on by itself.",
    signIn: "Sign in",
    goOn: "Go on",
    left: "You left the page: the rest were not begun.",
  },

  outcomes: {
    stopped: (count: number) => `Stopped. ${people(count)} left as before.`,
    failed: (count: number) => `${people(count)} failed:`,
    failedList: "Users that failed",
    uncertain: "No answer came, so it is not known whether this was done. Trying again is safe.",
    missing: "Somebody else has deleted this user.",
    again: "Try the failed ones again",
    rest: (count: number) => `Go on with the other ${formatNumber(count)}`,
    both: (count: string) => `Try these and the other ${count}`,
    download: "Download the failures",
    file: "failed-users",
    columns: { id: "id", name: "name", email: "email", problem: "problem" },
    close: "Close",
  },
};

export const exporting = {
  button: "Export",
  title: "Export users",
  all: (count: number | undefined) => (count === undefined ? "All users." : `All ${people(count)}.`),
  those: (count: number | undefined, capped: boolean, conditions: readonly string[]) => {
    const session = count === undefined ? "The users" : `${capped ? "More than" : "The"} ${people(count)}`;
    return `${session} with ${lists.format(conditions)}.`;
  },
  matching: (q: string) => `“${q}” in the name or email`,
  where: (field: string, values: readonly string[]) =>
    `${field} ${values.map((value) => `“${value}”`).join(" or ")}`,
  order: "Sorted as the table is, with every field they have.",
  nobody: {
    all: "There are no users yet, so there is nothing to export.",
    those: "Nobody matches the search and the filters. Clear them to export everybody.",
  },
  format: "Format",
  formats: {
    csv: { name: "CSV", hint: "A table, for Excel, Numbers and other spreadsheets." },
    ndjson: { name: "NDJSON", hint: "One JSON record a line, for programs." },
  },
  submit: "Export",
  running: "Exporting",
  waiting: "Waiting for the first users…",
  looking: "Going through all users for their fields…",
  received: {
    users: (count: number, size: string) => `${people(count)}, ${size}`,
    size: (size: string, seconds: number) => `${size} in ${formatNumber(seconds)} s`,
  },
  failed: (title: string, text: string) => `${title}. Nothing was saved. ${text}`,
  ended: "Your session has ended, and nothing was saved. Sign in, then try again.",
  done: (file: string) => `${file} saved`,
};
