import type { User } from "../../client/index.ts";
import { formatCell, formatTextCell } from "../../domain/csv/cells.ts";
import { coreFields, isTextColumn, leadingColumns, trailingColumns } from "../../domain/csv/columns.ts";
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
  const custom = [...fields].filter((field) => !coreFields.has(field));
  return [...leadingColumns, ...custom, ...trailingColumns].map((field) => [field]);
}
