import type { User } from "../../contract/users/user-schemas.ts";
import { type FieldPath, formatFieldPath } from "../field-path.ts";
import { readPath } from "../projection.ts";
import { formatCell, formatTextCell } from "./cells.ts";
import { formatField, joinRows } from "./write.ts";

/** The header row of an export of chosen fields. */
export function formatFieldHeader(columns: readonly FieldPath[]): string {
  return joinRows([columns.map((path) => formatTextCell(formatFieldPath(path)))]);
}

/** A row for each user, with these columns. */
export function formatFieldRows(users: readonly User[], columns: readonly FieldPath[]): string {
  return joinRows(users.map((user) => columns.map((path) => formatPath(user, path))));
}

export function formatPath(user: User, path: FieldPath): string {
  const value = readPath(user, path);
  return path.length === 1 ? formatField(path[0] ?? "", value) : formatCell(value);
}
