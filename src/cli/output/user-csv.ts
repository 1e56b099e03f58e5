import type { User } from "../../client/index.ts";
import { isStoredAsCustom, orderStoredFields } from "../../contract/users/user-fields.ts";
import { exportColumns } from "../../domain/csv/columns.ts";
import { formatPath } from "../../domain/csv/field-columns.ts";
import { joinRows } from "../../domain/csv/write.ts";
import type { Column } from "../flags/output-flag.ts";

export function formatCsvHead(columns: readonly Column[]): string {
  return joinRows([columns.map((column) => column.join("."))]);
}

/** Rows in the format of an export. */
export function formatCsv(users: readonly User[], columns: readonly Column[]): string {
  return joinRows(users.map((user) => columns.map((column) => formatPath(user, column))));
}

/** Every field of these users, in the order of an export. */
export function allColumns(users: readonly User[]): Column[] {
  const fields = new Set(users.flatMap((user) => Object.keys(user)));
  return exportColumns(orderStoredFields([...fields].filter(isStoredAsCustom))).map((field) => [field]);
}
