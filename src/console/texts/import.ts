import { bulkLimits } from "../../contract/bulk/bulk.ts";
import { formatList, formatNumber } from "./format.ts";

const plural = (count: number, one: string, many: string) =>
  `${formatNumber(count)} ${count === 1 ? one : many}`;
const formatRows = (count: number) => plural(count, "row", "rows");
const fromRow = (row: number | undefined) => (row === undefined ? "" : ` from row ${formatNumber(row)} on`);

const delimiters: Readonly<Record<string, string>> = {
  ",": "commas",
  ";": "semicolons",
  "\t": "tabs",
  "|": "vertical bars",
};
/** What the cells of a column are not. */
const misfits = {
  text: "not text",
  number: "not a number",
  commaNumber: "not a number",
  boolean: "neither true nor false",
  date: "not a date like 2026-12-31",
  dayFirst: "not a date like 31.12.2026",
  monthFirst: "not a date like 12/31/2026",
  list: "not a list",
  json: "not JSON",
};
/** The fields by which rows find users or groups. */
const names = { email: "email", userName: "user name", name: "name" };
const belongs = (match: keyof typeof names) =>
  [
    `A row belongs to the ${match === "name" ? "group" : "user"} with the same ${names[match]}.`,
    ...(match === "userName" ? ["The email of a row without a user name is its user name."] : []),
  ].join(" ");
/** What happened to rows whose user, group or membership existed. */
const existed = {
  update: (count: number) => `${formatNumber(count)} updated`,
  skip: (count: number) => `${formatNumber(count)} skipped`,
  add: (count: number) => plural(count, "was a member before", "were members before"),
};
const actions = {
  fail: "Reject the row",
  skip: "Skip the row",
  add: "Add the user to the group",
  remove: "Remove the user from the group",
};
type Kind = "users" | "groups" | "memberships";
type Action = "fail" | "skip" | "update" | "add" | "remove";
interface Plan {
  readonly kind: Kind;
  readonly action: Action;
  readonly match: keyof typeof names;
}
const list = (values: readonly string[]) => values.map((value) => `“${value}”`).join(", ");

export const importing = {
  title: "Import",
  lead: "Create or update users, groups and memberships from the rows of a file.",
  kind: "The rows are",
  of: {
    users: {
      name: "Users",
      lead: "Create or update a user from each row of a file.",
      required: "Choose the column that has the name. Every user needs one.",
      exists: "If a user exists",
      update: "Update the user",
      noUpdate: "To update users, your key needs the scope users:read.",
      changed: "They change the user of that row. Correct the file if they are different people.",
      created: (count: number) => `${plural(count, "user", "users")} created`,
      see: "View users",
    },
    groups: {
      name: "Groups",
      lead: "Create or update a group from each row of a file.",
      required: "Choose the column that has the name. Every group needs one.",
      exists: "If a group exists",
      update: "Update the group",
      noUpdate: "To update groups, your key needs the scope groups:read.",
      changed: "They change the group of that row. Correct the file if they are different groups.",
      created: (count: number) => `${plural(count, "group", "groups")} created`,
      see: "View groups",
    },
    memberships: {
      name: "Memberships",
      lead: "Add a user to a group with each row of a file, or remove the user.",
      required: "Choose the columns that have the group and the user.",
      exists: "With each row",
      update: "",
      noUpdate: "",
      changed: "",
      created: (count: number) => `${plural(count, "user", "users")} added`,
      see: "View groups",
    },
  } satisfies Record<Kind, object>,
  steps: { label: "Steps", file: "File", columns: "Columns", check: "Check", run: "Import" },

  file: {
    title: "Choose a file",
    drop: "Drop a file here, or choose one",
    dropNow: "Drop the file",
    kinds: "CSV, JSON or NDJSON. You can also paste rows from a spreadsheet.",
    csvText:
      "The first row names the columns. Separate cells with commas, semicolons or tabs. You map the columns next.",
    jsonText: "An array of objects, or one object per line (NDJSON), like an export.",
    sent: "Nothing is changed until the service has checked all rows and you start the import.",
    reading: (percent: string) => `Reading the file… ${percent}`,
    oneOnly: "Drop one file at a time.",
    pasted: "Pasted rows",
  },

  unfinished: {
    title: (name: string) => `The import of ${name} was not finished`,
    text: (rows: number, all: number) =>
      `${formatNumber(rows)} of ${formatRows(all)} were done when this page was closed. Choose the same file to continue. Nothing is imported twice.`,
    choose: (name: string) => `Drop ${name} here, or choose it`,
    forget: "Import something else",
    otherFile: (name: string) => ({
      title: "This is another file",
      text: `Choose ${name} as it was, or click “Import something else”.`,
    }),
  },

  fileErrors: {
    encoding: () => ({
      title: "This file is not text in a known encoding",
      text: "Save it again as UTF-8. In Excel: Save as, then “CSV UTF-8 (comma delimited)”.",
    }),
    empty: () => ({
      title: "This file has no rows to import",
      text: "A CSV file has the column names in the first row, and the values in the rows below.",
    }),
    json: (row: number | undefined) => ({
      title: `The JSON can't be read${row === undefined ? "" : ` from item ${formatNumber(row)} on`}`,
      text: "Usually a bracket or a quote is missing there. Correct it in the file.",
    }),
    workbook: () => ({
      title: "This file is a spreadsheet, not CSV",
      text: "In your spreadsheet program, save it as CSV, then choose that file.",
    }),
    wide: () => ({
      title: "This file has too many columns",
      text: "Its first rows have more than 500 different fields. Remove the ones that you don't need.",
    }),
    endlessRow: (row: number | undefined) => ({
      title: `The file can't be read${fromRow(row)}`,
      text: "Usually a quote is opened there and never closed. Correct it in the file.",
    }),
    large: (row: number | undefined) => ({
      title: `The check ended before row ${formatNumber(row ?? 0)}`,
      text: `The service can check ${formatNumber(bulkLimits.dryRunEmails)} emails, user names and unique values at a time, of all checks together. Split the file, or try again later.`,
    }),
    unreadable: () => ({
      title: "The file can no longer be read",
      text: "It was changed, moved or deleted after you chose it. Choose it again.",
    }),
  },

  kinds: { csv: "CSV", ndjson: "NDJSON", json: "JSON" },
  encodings: {
    "utf-8": "UTF-8",
    "utf-16le": "UTF-16",
    "utf-16be": "UTF-16",
    "windows-1252": "Windows-1252",
  },

  columns: {
    lead: "Choose what each column becomes. Its first values are shown below its name.",
    csv: (delimiter: string) => `CSV with ${delimiters[delimiter] ?? `“${delimiter}”`}`,
    rows: formatRows,
    unnamed: (position: number) => `Column ${position}`,
    noExamples: "no values",
    targets: {
      name: "Name",
      email: "Email",
      userName: "User name",
      group: "Group",
      user: "User",
      custom: "Custom field",
      skip: "Skip",
    },
    field: (header: string) => `Field for ${header}`,
    type: (header: string) => `Type of ${header}`,
    types: {
      text: "Text",
      number: "Number 1234.5",
      commaNumber: "Number 1234,5",
      boolean: "True or false",
      date: "Date 2026-12-31",
      dayFirst: "Date 31.12.2026",
      monthFirst: "Date 12/31/2026",
      list: "List",
      json: "JSON",
    },
    asInFile: "As in the file",
    joined: "Several columns become the name. They are joined with a space.",
    missing: (fields: readonly string[], action: Action) =>
      `The schema requires ${formatList(fields)}, but no column becomes ${fields.length === 1 ? "this field" : "these fields"}. The service rejects ${action === "fail" ? "the rows" : "rows of new users"}.`,
    duplicate: "Another column already becomes this field.",
    managed: "Roster sets this field.",
    credential: "Roster stores no credentials.",
    problem: "Says why a row failed before.",
    core: "Choose it in the list instead.",
    reserved: "This name is not allowed.",
    groups: "Choose another name, such as groupNames.",
    misnamed: "Start with a letter, then use up to 63 letters, digits or _.",
    otherFile: "Choose another file",
    check: (count: number) => `Check ${formatRows(count)}`,
    next: "The service checks every row. Nothing is changed yet.",
    broken: "Correct the columns first.",
  },

  misfits: {
    label: (count: number, all: number, type: keyof typeof misfits, examples: readonly string[]) =>
      `${formatNumber(count)} of ${plural(all, "value", "values")} ${count === 1 ? "is" : "are"} ${misfits[type]}: ${list(examples)}${count > examples.length ? ", …" : ""}`,
    choices: {
      reject: "Reject these rows",
      omit: "Leave these values out",
      text: "Import the column as text",
    },
  },

  conflict: {
    hint: (match: keyof typeof names) => `${belongs(match)} An update changes only the fields of the row.`,
    action: (action: Action, update: string) => (action === "update" ? update : actions[action]),
    noUpdate: (match: keyof typeof names, needs: string) => `${belongs(match)} ${needs}`,
    memberships: "A membership that exists already, or does not exist any more, is not an error.",
    match: "Find users by",
  },

  preview: {
    title: "Preview",
    shown: (count: number) => `Showing the first ${formatNumber(count)}.`,
    table: "The first rows as they will be imported",
    typed: (field: string, type: string) => `${field} (${type.toLowerCase()})`,
    byType: "All cells of a column get the type that you choose for it. Empty cells are left out.",
    references:
      "Digits are an ID. Other text is the name of a group, or the user name or the email of a user.",
    row: { csv: "Row", ndjson: "Line", json: "Item" },
  },

  check: {
    title: (count: number) => `Checking ${formatRows(count)}`,
    lead: "The service compares every row with its rules, with what it stores and with the other rows. Nothing is changed. You can use other views in the meantime.",
    bar: "Check progress",
    failed: "The check was interrupted",
    again: "Check again",
    back: "Change columns",
    result: (importable: number, all: number) =>
      importable === all
        ? `All ${formatRows(all)} can be imported`
        : `${formatNumber(importable)} of ${formatRows(all)} can be imported`,
    created: { fail: "To create", skip: "To create", update: "To create", add: "To add" },
    existing: { update: "To update", skip: "To skip", add: "Members already", remove: "To remove" },
    rejected: "Rejected",
    repeated: (count: number, first: readonly number[], { kind, action, match }: Plan) => {
      const rows = first.map(formatNumber);
      const named = formatList(count > rows.length ? [...rows, "others"] : rows);
      return [
        `${count === 1 ? "Row" : "Rows"} ${named}: an earlier row has the same ${names[match]}.`,
        action === "skip" ? "These rows are skipped." : importing.of[kind].changed,
      ].join(" ");
    },
    unchanged: "Nothing is changed yet.",
    large:
      "If hundreds of thousands of rows are rejected, their errors are too many for one check: split the file.",
    trial: (rejected: number, rows: number) =>
      `${formatNumber(rejected)} of the first ${formatRows(rows)} are rejected`,
    trialText: "The other rows were not checked. Correct the file or change the columns, then check again.",
    all: (rows: number) => `Check all ${formatRows(rows)}`,
    nothing: "Correct the file or change the columns, then check again.",
    start: (importable: number, all: number) =>
      importable === all
        ? `Import ${formatRows(all)}`
        : `Import ${formatNumber(importable)} of ${formatNumber(all)}`,
    failedRows: "Rejected rows",
  },

  errors: {
    other: "Other errors",
    cells: (cells: number, columns: number) =>
      `The row has ${plural(cells, "cell", "cells")}, but the first row names ${plural(columns, "column", "columns")}.`,
    quotes: "A quote in this row is not closed correctly. The row may include rows that follow.",
    noObject: {
      ndjson: "The line is not a valid JSON object.",
      json: "The item is not a valid JSON object.",
    },
    types: {
      text: "Not text.",
      number: "Not a number.",
      commaNumber: "Not a number with a decimal comma.",
      boolean: "Neither true nor false.",
      date: "Not a date like 2026-12-31.",
      dayFirst: "Not a date like 31.12.2026.",
      monthFirst: "Not a date like 12/31/2026.",
      list: "Not a list.",
      json: "Not valid JSON.",
    },
  },

  run: {
    title: {
      running: "Importing",
      pausing: "Pausing",
      stopping: "Stopping",
      paused: "Paused",
      failed: "Interrupted",
    },
    bar: "Import progress",
    created: { fail: "Created", skip: "Created", update: "Created", add: "Added" },
    existing: { update: "Updated", skip: "Skipped", add: "Members before", remove: "Removed" },
    failed: "Failed",
    rate: "Rows per second",
    left: "Time left",
    unknown: "–",
    pause: "Pause",
    resume: "Resume",
    stop: "Stop",
    ending: "Rows that were sent already are finished first.",
    paused: "Nothing is being sent. Resume at any time, and keep this page open.",
    safe: "Resuming repeats the last request. Nothing is imported twice.",
    stay: "Keep this page open. You can use other views while the import runs.",
  },

  outcome: {
    title: {
      done: "Import finished",
      stopped: "Import stopped",
      broken: "Import ended early",
    },
    text: (
      { created, existing }: { created: number; existing: number },
      failedCount: number,
      { kind, action }: Pick<Plan, "kind" | "action">,
    ) => {
      const parts = [
        action === "remove"
          ? `${plural(existing, "user", "users")} removed`
          : importing.of[kind].created(created),
      ];
      if (action === "update" || action === "skip" || action === "add") parts.push(existed[action](existing));
      if (failedCount > 0) parts.push(`${formatRows(failedCount)} failed`);
      return `${parts.join(", ")}.`;
    },
    notImported: (row: number) => `Nothing was imported from row ${formatNumber(row)} on.`,
    unconfirmed: (from: number, to: number) =>
      `The response for rows ${formatNumber(from)} to ${formatNumber(to)} was lost, so it's not known whether they were imported. Import the rest to find out. Nothing is imported twice.`,
    resume: "Import the rest",
    seeChanged: "View users, last changed first",
    another: "Import another file",
    failed: "Failed rows",
  },

  failed: {
    count: {
      csv: formatRows,
      ndjson: (count: number) => plural(count, "line", "lines"),
      json: (count: number) => plural(count, "item", "items"),
    },
    firstRow: { csv: "First row", ndjson: "First line", json: "First item" },
    rows: { csv: "Rows", ndjson: "Lines", json: "Items" },
    others: (count: string) => `Not shown: ${count}.`,
    field: "Field",
    value: "Value",
    reason: "Reason",
    empty: "empty",
    download: "Download failed rows",
    reasons: "Download reasons",
    csv: "The download has your columns plus a column named problem. Correct the rows, then import the download: the problem column is skipped.",
    ndjson:
      "The lines are unchanged, so you can correct them and import them again. The reasons are in a separate table.",
    json: "The file has the failed items, one per line, so you can correct them and import them again. The reasons are in a separate table.",
    truncated: (stored: number, count: number) =>
      `Only the first ${formatNumber(stored)} of ${formatNumber(count)} can be downloaded.`,
  },
};
