import type { User } from "../../client/index.ts";
import { userRecordFields } from "../../contract/users/user-fields.ts";
import { exportColumns } from "../../domain/csv/columns.ts";
import { formatFieldRows } from "../../domain/csv/field-columns.ts";
import { joinRows } from "../../domain/csv/write.ts";
import type { Column } from "../flags/output-flag.ts";

export function formatCsvHead(columns: readonly Column[]): string {
  return joinRows([columns.map((column) => column.join("."))]);
}

/** Rows in the format of an export. */
export function formatCsv(users: readonly User[], columns: readonly Column[]): string {
  return formatFieldRows(userRecordFields, users, columns);
}

/** Every field of these users, in the order of an export. */
export function allColumns(users: readonly User[]): Column[] {
  const fields = new Set(users.flatMap((user) => Object.keys(user)));
  return exportColumns(userRecordFields, userRecordFields.orderStored(fields)).map((field) => [field]);
}
