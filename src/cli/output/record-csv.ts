import type { FieldsOfRecord } from "../../contract/record-fields.ts";
import { exportColumns } from "../../domain/csv/columns.ts";
import { formatFieldRows } from "../../domain/csv/field-columns.ts";
import { joinRows } from "../../domain/csv/write.ts";
import type { Column } from "../flags/output-flag.ts";
import type { AnyRecord } from "../records/record-kind.ts";

export function formatCsvHead(columns: readonly Column[]): string {
  return joinRows([columns.map((column) => column.join("."))]);
}

/** Rows in the format of an export. */
export function formatCsv(
  fields: FieldsOfRecord,
  records: readonly AnyRecord[],
  columns: readonly Column[],
): string {
  return formatFieldRows(fields, records, columns);
}

/** Every field of these records, in the order of an export. */
export function allColumns(fields: FieldsOfRecord, records: readonly AnyRecord[]): Column[] {
  const present = new Set(records.flatMap((record) => Object.keys(record)));
  return exportColumns(fields, fields.orderStored(present)).map((field) => [field]);
}
