import { formatNumber } from "./format.ts";

const plural = (count: number, one: string, many: string) =>
  `${formatNumber(count)} ${count === 1 ? one : many}`;
const formatRows = (count: number) => plural(count, "row", "rows");
const fromRow = (row: number | undefined) => (row === undefined ? "" : ` from row ${formatNumber(row)} on`);

interface CheckedFigures {
  readonly rows: number;
  readonly created: number;
  readonly existing: number;
  readonly failed: readonly unknown[];
}

export const importing = {
  title: "Import",
  lead: "Create or update a user from each row of a file.",
  steps: { label: "Steps", file: "File", columns: "Columns", run: "Import" },

  file: {
    title: "Choose a file",
    drop: "Drop a file here, or choose one",
    dropNow: "Drop the file",
    kinds: "CSV, JSON or NDJSON. You can also paste rows from a spreadsheet.",
    csvText:
      "The first row names the columns. Separate cells with commas, semicolons or tabs. You map the columns next.",
    jsonText: "An array of objects, or one object per line (NDJSON), like an export.",
    sent: "Nothing is changed until you have seen a preview.",
    reading: "Reading the file…",
    oneOnly: "Drop one file at a time.",
    pasted: "Pasted rows",
  },

  fileErrors: {
    encoding: () => ({
      title: "This file is not text in a known encoding",
      text: "Save it again as UTF-8. In Excel: Save as, then “CSV UTF-8 (comma delimited)”.",
    }),
    empty: () => ({
      title: "This file has no rows to import",
      text: "A CSV file has the column names in the first row, and one user in each row below.",
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
    about: (kind: string, size: string, encoding: string) => `${kind}, ${encoding}, ${size}`,
    unnamed: (position: number) => `Column ${position}`,
    noExamples: "no values in the first rows",
    targets: { name: "Name", email: "Email", custom: "Custom field", skip: "Skip" },
    field: (header: string) => `Field for ${header}`,
    type: (header: string) => `Type of ${header}`,
    types: { text: "Text", number: "Number", boolean: "True or false", list: "List", json: "JSON" },
    joined: "Several columns become the name. They are joined with a space.",
    nameless: "Choose the column that has the name. Every user needs one.",
    duplicate: "Another column already becomes this field.",
    managed: "Roster sets this field.",
    credential: "Roster stores no credentials.",
    problem: "Says why a row failed before.",
    core: "Choose it in the list instead.",
    reserved: "This name is not allowed.",
    misnamed: "Start with a letter, then use up to 63 letters, digits or _.",
    otherFile: "Choose another file",
    start: "Import",
    startAll: (count: number) => `Import ${formatRows(count)}`,
    startWithErrors: "Rows with errors are skipped. You can download them.",
    broken: "Correct the columns first.",
  },

  conflict: {
    label: "If a user exists",
    hint: "A row belongs to the user with the same email. An update changes only the fields of the row.",
    actions: { fail: "Reject the row", skip: "Skip the row", update: "Update the user" },
    checking: "Comparing with the users that exist…",
    unchecked: "The rows could not be compared with the users that exist.",
    result: (
      { rows, created, existing, failed }: CheckedFigures,
      action: "fail" | "skip" | "update",
      complete: boolean,
    ) => {
      const parts = [`${plural(created, "user", "users")} to create`];
      if (action !== "fail") parts.push(`${formatNumber(existing)} to ${action}`);
      parts.push(`${formatRows(failed.length)} to reject`);
      return `${complete ? "" : `In the first ${formatRows(rows)}: `}${parts.join(", ")}.`;
    },
  },

  preview: {
    title: "Preview",
    noErrors: (count: number, complete: boolean) =>
      complete ? `${formatRows(count)}, no errors.` : `No errors in the first ${formatRows(count)}.`,
    errors: (errors: number, count: number, complete: boolean) =>
      `${formatNumber(errors)} of ${complete ? "" : "the first "}${formatRows(count)} ${errors === 1 ? "has" : "have"} errors.`,
    shown: (count: number) => `Showing the first ${formatNumber(count)}.`,
    onlyErrors: "Only rows with errors",
    table: "The first rows as they will be created",
    typed: (field: string, type: string) => `${field} (${type.toLowerCase()})`,
    byType: "All cells of a column get the type that you choose for it. Empty cells are left out.",
    row: { csv: "Row", ndjson: "Line", json: "Item" },
  },

  errors: {
    noName: "A name is required.",
    nameNoText: "The name must be text.",
    nameControl: "The name contains control characters.",
    nameLong: (max: number) => `Longer than ${max} characters.`,
    emailNoText: "The email must be text.",
    emailLong: (max: number) => `Longer than ${max} characters.`,
    emailInvalid: "Not a valid email address.",
    emailDuplicate: (row: number) => `Same email as in row ${formatNumber(row)}.`,
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
      boolean: "Neither true nor false.",
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
    created: "Created",
    existing: { update: "Updated", skip: "Skipped" },
    failed: "Failed",
    rate: "Rows per second",
    left: "Time left",
    unknown: "–",
    pause: "Pause",
    resume: "Resume",
    stop: "Stop",
    ending: "Rows that were sent already are finished first.",
    paused: "Nothing is being sent. Resume at any time, and keep this page open.",
    safe: "Resuming repeats the last request. No user is created twice.",
    stay: "Keep this page open. You can use other views while the import runs.",
  },

  outcome: {
    title: {
      done: "Import finished",
      stopped: "Import stopped",
      broken: "Import ended early",
    },
    text: (
      { created, existing, failedCount }: { created: number; existing: number; failedCount: number },
      action: "fail" | "skip" | "update",
    ) => {
      const parts = [`${plural(created, "user", "users")} created`];
      if (action !== "fail")
        parts.push(`${formatNumber(existing)} ${action === "update" ? "updated" : "skipped"}`);
      if (failedCount > 0) parts.push(`${formatRows(failedCount)} failed`);
      return `${parts.join(", ")}.`;
    },
    notImported: (row: number) => `Nothing was imported from row ${formatNumber(row)} on.`,
    unconfirmed: (from: number, to: number) =>
      `The response for rows ${formatNumber(from)} to ${formatNumber(to)} was lost, so it's not known whether they were created. Import the rest to find out. No user is created twice.`,
    resume: "Import the rest",
    see: "View users",
    another: "Import another file",
    failed: "Failed rows",
    first: (shown: number, count: number) => `The first ${formatNumber(shown)} of ${formatNumber(count)}.`,
    field: "Field",
    value: "Value",
    reason: "Reason",
    download: "Download failed rows",
    reasons: "Download reasons",
    csv: "The file has your columns plus a column named problem. Correct the rows and import the file again: the problem column is skipped.",
    ndjson:
      "The lines are unchanged, so you can correct them and import them again. The reasons are in a separate table.",
    json: "The file has the failed items, one per line, so you can correct them and import them again. The reasons are in a separate table.",
    truncated: (stored: number, count: number) =>
      `Only the first ${formatNumber(stored)} of ${formatNumber(count)} can be downloaded.`,
  },
};
