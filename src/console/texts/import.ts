import { formatNumber } from "./format.ts";

const count = (many: number, one: string, more: string) => `${formatNumber(many)} ${many === 1 ? one : more}`;
const rows = (many: number) => count(many, "row", "rows");
const rowFrom = (row: number | undefined) => (row === undefined ? "" : ` from row ${formatNumber(row)} on`);

export const importing = {
  title: "Import",
  lead: "Create a user from each row of a file.",
  steps: { label: "Steps", file: "File", columns: "Columns", run: "Import" },

  file: {
    title: "Choose a file",
    drop: "Drop a file here, or choose one",
    dropNow: "Let go to take it",
    kinds: "CSV or NDJSON, in UTF-8. You can paste rows from a spreadsheet, too.",
    csv: "CSV",
    csvText: "The first row names the columns. Commas, semicolons or tabs; you say next what each column is.",
    ndjson: "NDJSON",
    ndjsonText: "A JSON object on each line, as an export gives it.",
    sent: "Nothing is sent before you have seen what becomes of it.",
    reading: "Looking into the file…",
    oneOnly: "Drop one file at a time.",
    pasted: "Pasted rows",
  },

  fileErrors: {
    notUtf8: () => ({
      title: "This file is not in UTF-8",
      text: "Save it again as UTF-8. In Excel: Save as, then “CSV UTF-8 (comma delimited)”.",
    }),
    empty: () => ({
      title: "There is nothing to import in this file",
      text: "A CSV file names its columns in the first row and has a user in each one after it.",
    }),
    array: () => ({
      title: "This file is one JSON array",
      text: "Write each object on a line of its own, for example with jq -c '.[]' users.json > users.ndjson.",
    }),
    workbook: () => ({
      title: "This is a workbook, not a table as text",
      text: "In your spreadsheet, save it as CSV in UTF-8, then choose that file.",
    }),
    wide: () => ({
      title: "This file has too many columns",
      text: "Of its first rows at most 500 different fields can be told what they become. Take away what no user is to have.",
    }),
    endlessRow: (row: number | undefined) => ({
      title: `The file cannot be told apart${rowFrom(row)}`,
      text: "Most often a quote is opened there and never closed. Correct that in the file.",
    }),
    unreadable: () => ({
      title: "The file cannot be read any more",
      text: "It has been changed, moved or taken away since you chose it. Choose it again.",
    }),
  },

  columns: {
    title: "What is what",
    lead: "Choose what becomes of each column. The first values are below its name.",
    about: (kind: string, size: string) => `${kind}, ${size}`,
    unnamed: (place: number) => `Column ${place}`,
    noExamples: "no values in the first rows",
    targets: { name: "Name", email: "Email", custom: "Own field", skip: "Skip" },
    field: (header: string) => `Field for ${header}`,
    joined: "Several columns are the name: they are joined by a space.",
    nameless: "Choose the column that has the name. Every user needs one.",
    twice: "Another column goes there already.",
    managed: "The service writes this itself.",
    credential: "Roster keeps no credentials.",
    problem: "Why a row failed before.",
    core: "Choose it in the list instead.",
    hazardous: "This name is not allowed.",
    misnamed: "A letter, then up to 63 letters, digits or _.",
    otherFile: "Choose another file",
    begin: "Import",
    startAll: (many: number) => `Import ${rows(many)}`,
    startWithErrors: "Rows with faults are refused, and yours to download; the others are imported.",
    broken: "Correct the columns first.",
  },

  preview: {
    title: "Preview",
    fine: (many: number, whole: boolean) =>
      whole
        ? many === 1
          ? "The one row looks right."
          : `All ${rows(many)} look right.`
        : `The first ${rows(many)} look right.`,
    withErrors: (withErrors: number, many: number, whole: boolean) =>
      whole
        ? `${formatNumber(withErrors)} of ${rows(many)} ${withErrors === 1 ? "has a fault" : "have faults"}.`
        : `Of the first ${rows(many)}, ${formatNumber(withErrors)} ${withErrors === 1 ? "has a fault" : "have faults"}.`,
    shown: (many: number) => `The first ${formatNumber(many)} are shown.`,
    onlyErrors: "Only rows with faults",
    table: "The first rows as they will be created",
    asText: "Numbers, true, false and JSON in your own fields become values; everything else stays text.",
    row: { csv: "Row", ndjson: "Line" },
  },

  errors: {
    noName: "A user needs a name.",
    nameNoText: "The name is not text.",
    nameControl: "The name has control characters in it.",
    nameLong: (most: number) => `Over ${most} characters long.`,
    emailNoText: "The email is not text.",
    emailLong: (most: number) => `Over ${most} characters long.`,
    emailShape: "Not shaped like an address.",
    emailTwice: (row: number) => `The same email as in row ${formatNumber(row)}.`,
    cells: (has: number, named: number) =>
      `The row has ${count(has, "cell", "cells")}, and the first row names ${formatNumber(named)}.`,
    quotes: "A quote in this row is not closed as it should be: it may have swallowed rows that follow.",
    noObject: "The line is not a JSON object that can be kept.",
  },

  run: {
    title: {
      running: "Importing",
      pausing: "Pausing",
      stopping: "Stopping",
      paused: "Paused",
      failed: "Interrupted",
    },
    bar: "How much of the file is imported",
    created: "Created",
    refused: "Refused",
    rate: "Rows a second",
    left: "Time left",
    unknown: "–",
    pause: "Pause",
    goOn: "Go on",
    stop: "Stop",
    ending: "The rows that are under way are finished first.",
    paused: "Nothing is being sent. Go on whenever you like; keep this page open.",
    safe: "Going on repeats what was under way. Nobody is created twice.",
    stay: "Keep this page open. You can look at other views meanwhile.",
  },

  outcome: {
    title: {
      done: "The import is done",
      stopped: "The import was stopped",
      broken: "The import ended early",
    },
    text: (created: number, refused: number) =>
      refused === 0
        ? `${count(created, "user was", "users were")} created.`
        : `${count(created, "user was", "users were")} created, ${rows(refused)} refused.`,
    restFrom: (row: number) => `From row ${formatNumber(row)} on, nothing has been imported.`,
    unconfirmedRows: (from: number, to: number) =>
      `Rows ${formatNumber(from)} to ${formatNumber(to)} may have been created or not: no answer came. Go on to find out; nobody is created twice.`,
    goOn: "Go on with the rest",
    see: "See the users",
    another: "Import another file",
    refused: "Rows that were refused",
    first: (shown: number, many: number) => `The first ${formatNumber(shown)} of ${formatNumber(many)}.`,
    field: "Field",
    value: "Value",
    reason: "Reason",
    download: "Download the rows that failed",
    reasons: "Download the reasons",
    csv: "The file has your columns and one more, problem. Correct the rows and import it again: that column is skipped.",
    ndjson:
      "The lines are as they were, so that you can correct them and import them again. The reasons are in a table of their own.",
    kept: (kept: number, many: number) =>
      `Only the first ${formatNumber(kept)} of ${formatNumber(many)} could be kept for the download.`,
    finished: "The import has ended",
  },
};
