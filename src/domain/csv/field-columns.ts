import type { FieldsOfRecord } from "../../contract/record-fields.ts";
import { type FieldPath, formatFieldPath } from "../field-path.ts";
import { type Members, readPath } from "../projection.ts";
import { formatCell, formatTextCell } from "./cells.ts";
import { formatField, joinRows } from "./write.ts";

/** The header row of an export of chosen fields. */
export function formatFieldHeader(columns: readonly FieldPath[]): string {
  return joinRows([columns.map((path) => formatTextCell(formatFieldPath(path)))]);
}

/** A row for each record, with these columns. */
export function formatFieldRows(
  fields: FieldsOfRecord,
  records: readonly Members[],
  columns: readonly FieldPath[],
): string {
  return joinRows(records.map((record) => columns.map((path) => formatPath(fields, record, path))));
}

function formatPath(fields: FieldsOfRecord, record: Members, path: FieldPath): string {
  const value = readPath(record, path);
  return path.length === 1 ? formatField(fields, path[0] ?? "", value) : formatCell(value);
}
