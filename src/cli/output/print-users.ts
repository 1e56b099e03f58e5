import type { User } from "../../client/index.ts";
import type { Screen } from "../command.ts";
import { paint } from "./colour.ts";
import { printable, printableJson } from "./printable.ts";
import { formatTable } from "./table.ts";

/** Columns beyond these make a table that nobody can read. */
const MOST_OWN_COLUMNS = 4;
const WIDEST_CELL = 40;
/** Between two columns. */
const GAP = 2;
const core = new Set(["id", "name", "email", "version", "createdAt", "updatedAt"]);

/** Users as a table for people; for programs, or where JSON is wanted, one JSON object a line. */
export function printUsers(stdout: Screen, users: readonly User[], json: boolean): void {
  if (stdout.isTTY && !json) stdout.write(formatUsers(stdout, users));
  else stdout.write(users.map((user) => `${JSON.stringify(user)}\n`).join(""));
}

/** One user whole: for people, over several lines. */
export function printUser(stdout: Screen, user: User, json: boolean): void {
  const text =
    stdout.isTTY && !json ? printableJson(JSON.stringify(user, undefined, 2)) : JSON.stringify(user);
  stdout.write(`${text}\n`);
}

/** Who it is, in a sentence. */
export function describeUser({ id, name, email }: User): string {
  return printable(`user ${id}, ${name}${email === undefined ? "" : ` <${email}>`}`);
}

function formatUsers(stdout: Screen, users: readonly User[]): string {
  const terminal = stdout.columns || 80;
  const own = ownColumns(users);
  // Fields that make it too wide are left out rather than to break names and addresses in two.
  let lines = linesOf(users, own);
  while (own.length > 0 && widthOf(lines) > terminal) {
    own.pop();
    lines = linesOf(users, own);
  }
  const [head = [], ...rows] = lines;
  return formatTable(head, rows, terminal, [0], (line) => paint(stdout, "dim", line));
}

/** The head, and a row for each. */
function linesOf(users: readonly User[], own: readonly string[]): string[][] {
  const rows = users.map((user) => [
    String(user.id),
    cell(user.name),
    cell(user.email),
    ...own.map((field) => cell(user[field])),
    user.updatedAt.slice(0, 16).replace("T", " "),
  ]);
  return [["ID", "NAME", "EMAIL", ...own.map((field) => field.toUpperCase()), "UPDATED"], ...rows];
}

function widthOf(lines: readonly string[][]): number {
  const columns = (lines[0] ?? []).map((_, place) => lines.map((line) => Bun.stringWidth(line[place] ?? "")));
  return columns.reduce((sum, widths) => sum + GAP + widths.reduce((a, b) => Math.max(a, b), 0), -GAP);
}

/** The fields that most of them have. */
function ownColumns(users: readonly User[]): string[] {
  const counts = new Map<string, number>();
  for (const user of users) {
    for (const field of Object.keys(user))
      if (!core.has(field)) counts.set(field, (counts.get(field) ?? 0) + 1);
  }
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, MOST_OWN_COLUMNS)
    .map(([field]) => field);
}

function cell(value: User[string]): string {
  const text = value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
  return Bun.sliceAnsi(printable(text), 0, WIDEST_CELL, "…");
}
