import type { User } from "../client/index.ts";
import type { Screen } from "./command.ts";
import { formatTable } from "./table.ts";

/** Columns beyond these make a table that nobody can read. */
const MOST_OWN_COLUMNS = 4;
const LONGEST_CELL = 40;
/** Would move the cursor, or show what follows them in another order. */
const UNPRINTABLE = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;
const core = new Set(["id", "name", "email", "version", "createdAt", "updatedAt"]);

/** Users as a table for people; for programs, or where JSON is wanted, one JSON object a line. */
export function showUsers(stdout: Screen, users: readonly User[], json: boolean): void {
  if (stdout.isTTY && !json) stdout.write(tableOf(users, stdout.columns || 80));
  else stdout.write(users.map((user) => `${JSON.stringify(user)}\n`).join(""));
}

/** One user whole: for people, over several lines. */
export function showUser(stdout: Screen, user: User, json: boolean): void {
  stdout.write(`${stdout.isTTY && !json ? JSON.stringify(user, undefined, 2) : JSON.stringify(user)}\n`);
}

function tableOf(users: readonly User[], terminal: number): string {
  const own = ownColumns(users);
  const head = ["ID", "NAME", "EMAIL", ...own.map((field) => field.toUpperCase()), "UPDATED"];
  const rows = users.map((user) => [
    String(user.id),
    cell(user.name),
    cell(user.email),
    ...own.map((field) => cell(user[field])),
    user.updatedAt.slice(0, 16).replace("T", "\u00a0"),
  ]);
  return formatTable(head, rows, terminal, [0]);
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
  const shown = text.replace(UNPRINTABLE, "\ufffd");
  return shown.length > LONGEST_CELL ? `${shown.slice(0, LONGEST_CELL - 1)}…` : shown;
}
