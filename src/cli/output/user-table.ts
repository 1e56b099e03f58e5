import type { Json, User } from "../../client/index.ts";
import { fieldType, isStoredAsCustom } from "../../contract/users/user-fields.ts";
import { readPath } from "../../domain/projection.ts";
import type { Screen } from "../command.ts";
import type { Column } from "../flags/output-flag.ts";
import { paint } from "./colour.ts";
import { printable } from "./printable.ts";
import { terminalWidth } from "./screen-width.ts";
import { Table } from "./table.ts";

const MAX_CUSTOM_COLUMNS = 4;
const MAX_CELL_WIDTH = 40;
/** Spaces between two columns. */
const GAP = 2;

/** A table of users. The first users decide the columns, unless `columns` does. */
export class UserTable {
  readonly #stdout: Screen;
  #columns: readonly Column[] | undefined;
  #table: Table | undefined;

  constructor(stdout: Screen, columns: readonly Column[] | undefined) {
    this.#stdout = stdout;
    this.#columns = columns;
  }

  /** The rows of these users; with the head, if they are the first. */
  format(users: readonly User[]): string {
    const terminal = terminalWidth(this.#stdout);
    const columns = this.#columns ?? chooseColumns(users, terminal);
    this.#columns = columns;
    const rows = toRows(users, columns, this.#stdout.isTTY);
    this.#table ??= new Table(columns.map(columnTitle), rows, terminal, rightAligned(columns), (line) =>
      paint(this.#stdout, "dim", line),
    );
    return this.#table.format(rows);
  }
}

/** One user as a table: a line for each field. */
export function formatUserTable(stdout: Screen, user: User, columns?: readonly Column[]): string {
  const rows = (columns ?? Object.keys(user).map((field) => [field])).map((column) => [
    column.join("."),
    formatValue(readPath(user, column)),
  ]);
  return new Table(["FIELD", "VALUE"], rows, terminalWidth(stdout), [], (line) =>
    paint(stdout, "dim", line),
  ).format(rows);
}

function chooseColumns(users: readonly User[], terminal: number): Column[] {
  const custom = customColumns(users);
  const more = [...custom, "updatedAt"];
  // Drop other columns rather than break names and emails: custom fields first.
  for (;;) {
    const columns = ["id", "name", "email", ...more].map((field) => [field]);
    const lines = [columns.map(columnTitle), ...toRows(users, columns, true)];
    if (more.length === 0 || tableWidth(lines) <= terminal) return columns;
    more.splice(Math.max(0, more.length - 2), 1);
  }
}

function toRows(users: readonly User[], columns: readonly Column[], isTTY: boolean): string[][] {
  return users.map((user) =>
    columns.map((column) => {
      const [field = ""] = column;
      const text = formatValue(readPath(user, column));
      if (fieldType(field) === "time") return text.replace(/^(.{10})T(.{5}).*$/, "$1 $2");
      return isTTY ? Bun.sliceAnsi(text, 0, MAX_CELL_WIDTH, "…") : text;
    }),
  );
}

function columnTitle(column: Column): string {
  const title = printable(column.join(".").replace(/^(created|updated)At$/, "$1")).toUpperCase();
  return Bun.sliceAnsi(title, 0, MAX_CELL_WIDTH, "…");
}

function rightAligned(columns: readonly Column[]): number[] {
  return columns.flatMap((column, index) => (/^(id|version)$/.test(column.join(".")) ? [index] : []));
}

function formatValue(value: Json | undefined): string {
  return printable(value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value));
}

function tableWidth(lines: readonly string[][]): number {
  const columns = (lines[0] ?? []).map((_, column) =>
    lines.map((line) => Bun.stringWidth(line[column] ?? "")),
  );
  return columns.reduce((sum, widths) => sum + GAP + widths.reduce((a, b) => Math.max(a, b), 0), -GAP);
}

/** The most common custom fields, and others that are stored like them. What SCIM sends is too long for a table. */
function customColumns(users: readonly User[]): string[] {
  const counts = new Map<string, number>();
  for (const user of users) {
    for (const field of Object.keys(user))
      if (isStoredAsCustom(field) && fieldType(field) !== "object")
        counts.set(field, (counts.get(field) ?? 0) + 1);
  }
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, MAX_CUSTOM_COLUMNS)
    .map(([field]) => field);
}
