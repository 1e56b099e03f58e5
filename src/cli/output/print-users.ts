import type { User } from "../../client/index.ts";
import type { Screen } from "../command.ts";
import { paint } from "./colour.ts";
import { printable } from "./printable.ts";
import { formatTable } from "./table.ts";

const MAX_CUSTOM_COLUMNS = 4;
const MAX_CELL_WIDTH = 40;
/** Spaces between two columns. */
const GAP = 2;
const standardFields = new Set(["id", "name", "email", "version", "createdAt", "updatedAt"]);

/** Prints a table on a terminal; in a pipe, or with `json`, one JSON object per line. */
export function printUsers(stdout: Screen, users: readonly User[], json: boolean): void {
  if (stdout.isTTY && !json) stdout.write(formatUsers(stdout, users));
  else stdout.write(users.map((user) => `${JSON.stringify(user)}\n`).join(""));
}

/** Prints one user as JSON, indented on a terminal. */
export function printUser(stdout: Screen, user: User, json: boolean): void {
  stdout.write(`${JSON.stringify(user, undefined, stdout.isTTY && !json ? 2 : 0)}\n`);
}

/** Prints the user after a change. The user is undefined if the key must not read it: a terminal then gets a line of text. */
export function printChangedUser(stdout: Screen, id: number, user: User | undefined, json: boolean): void {
  if (user) printUser(stdout, user, json);
  else if (stdout.isTTY && !json) {
    stdout.write(`User ${id} is saved. Your key lacks the scope users:read, so the user is not shown.\n`);
  }
}

/** For example `user 7, Ada <ada@example.com>`. */
export function describeUser({ id, name, email }: User): string {
  return printable(`user ${id}, ${name}${email === undefined ? "" : ` <${email}>`}`);
}

function formatUsers(stdout: Screen, users: readonly User[]): string {
  const terminal = stdout.columns || 80;
  const columns = customColumns(users);
  // Drop custom columns rather than break names and emails.
  let lines = toLines(users, columns);
  while (columns.length > 0 && tableWidth(lines) > terminal) {
    columns.pop();
    lines = toLines(users, columns);
  }
  const [head = [], ...rows] = lines;
  return formatTable(head, rows, terminal, [0], (line) => paint(stdout, "dim", line));
}

/** The head and the rows of the table. */
function toLines(users: readonly User[], columns: readonly string[]): string[][] {
  const rows = users.map((user) => [
    String(user.id),
    formatCell(user.name),
    formatCell(user.email),
    ...columns.map((field) => formatCell(user[field])),
    user.updatedAt.slice(0, 16).replace("T", " "),
  ]);
  return [
    ["ID", "NAME", "EMAIL", ...columns.map((field) => formatCell(field.toUpperCase())), "UPDATED"],
    ...rows,
  ];
}

function tableWidth(lines: readonly string[][]): number {
  const columns = (lines[0] ?? []).map((_, column) =>
    lines.map((line) => Bun.stringWidth(line[column] ?? "")),
  );
  return columns.reduce((sum, widths) => sum + GAP + widths.reduce((a, b) => Math.max(a, b), 0), -GAP);
}

/** The most common custom fields. */
function customColumns(users: readonly User[]): string[] {
  const counts = new Map<string, number>();
  for (const user of users) {
    for (const field of Object.keys(user))
      if (!standardFields.has(field)) counts.set(field, (counts.get(field) ?? 0) + 1);
  }
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, MAX_CUSTOM_COLUMNS)
    .map(([field]) => field);
}

function formatCell(value: User[string]): string {
  const text = value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
  return Bun.sliceAnsi(printable(text), 0, MAX_CELL_WIDTH, "…");
}
