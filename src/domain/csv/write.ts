import { stringify } from "csv-stringify/sync";
import type { Json } from "../../contract/user.ts";
import type { User } from "../../contract/user-schemas.ts";
import { formatCell, formatTextCell } from "./cells.ts";
import { leadingColumns, trailingColumns } from "./columns.ts";

/** The row with the column names. */
export function formatCsvHeader(customFields: readonly string[]): string {
  return joinRows([[...leadingColumns, ...customFields, ...trailingColumns]]);
}

/** A row for each user, with these custom fields. */
export function formatCsvRows(users: readonly User[], customFields: readonly string[]): string {
  return joinRows(users.map((user) => formatRow(user, customFields)));
}

function formatRow(
  { id, name, email = "", version, createdAt, updatedAt, ...custom }: User,
  customFields: readonly string[],
): string[] {
  const values: { [field: string]: Json } = custom;
  const cells = customFields.map((field) =>
    formatCell(Object.hasOwn(values, field) ? values[field] : undefined),
  );
  return [
    String(id),
    formatTextCell(name),
    formatTextCell(email),
    ...cells,
    String(version),
    createdAt,
    updatedAt,
  ];
}

const NEEDS_QUOTES = /[",\r\n]/;

/** Joins rows that need no quotes itself, at a tenth of the cost of csv-stringify. */
function joinRows(rows: readonly (readonly string[])[]): string {
  let text = "";
  let quotedRows: string[][] = [];
  for (const row of rows) {
    if (row.some((cell) => NEEDS_QUOTES.test(cell))) quotedRows.push([...row]);
    else {
      text += `${quoteRows(quotedRows)}${row.join()}\r\n`;
      if (quotedRows.length > 0) quotedRows = [];
    }
  }
  return text + quoteRows(quotedRows);
}

function quoteRows(rows: string[][]): string {
  return rows.length === 0 ? "" : stringify(rows, { record_delimiter: "windows", quoted_match: /[\r\n]/ });
}
