import type { User } from "../../contract/users/user-schemas.ts";
import { type FieldPath, formatFieldPath } from "../field-path.ts";
import { readPath } from "../projection.ts";
import { formatCell, formatTextCell } from "./cells.ts";
import { isTextColumn } from "./columns.ts";
import { joinRows } from "./write.ts";

/** The header row of an export of chosen fields. */
export function formatFieldHeader(columns: readonly FieldPath[]): string {
  return joinRows([columns.map((path) => formatTextCell(formatFieldPath(path)))]);
}

/** A row for each user, with these columns. */
export function formatFieldRows(users: readonly User[], columns: readonly FieldPath[]): string {
  return joinRows(users.map((user) => columns.map((path) => formatField(user, path))));
}

function formatField(user: User, path: FieldPath): string {
  const value = readPath(user, path);
  const isText = path.length === 1 && isTextColumn(path[0] ?? "");
  return isText && typeof value === "string" ? formatTextCell(value) : formatCell(value);
}
