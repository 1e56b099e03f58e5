import type { User } from "../../client/index.ts";
import { isStoredAsCustom } from "../../contract/users/user-fields.ts";
import { formatCell, formatTextCell } from "../../domain/csv/cells.ts";
import { exportColumns, isTextColumn } from "../../domain/csv/columns.ts";
import { joinRows } from "../../domain/csv/write.ts";
import { readPath } from "../../domain/projection.ts";
import type { Column } from "../flags/output-flag.ts";

export function formatCsvHead(columns: readonly Column[]): string {
  return joinRows([columns.map((column) => column.join("."))]);
}

/** Rows in the format of an export. */
export function formatCsv(users: readonly User[], columns: readonly Column[]): string {
  return joinRows(
    users.map((user) =>
      columns.map((column) => {
        const value = readPath(user, column);
        if (typeof value === "string" && isTextColumn(column.join("."))) return formatTextCell(value);
        return formatCell(value);
      }),
    ),
  );
}

/** Every field of these users, in the order of an export. */
export function allColumns(users: readonly User[]): Column[] {
  const fields = new Set(users.flatMap((user) => Object.keys(user)));
  return exportColumns([...fields].filter(isStoredAsCustom)).map((field) => [field]);
}
