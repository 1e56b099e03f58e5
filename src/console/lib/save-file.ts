import type { BulkFormat } from "../../client/index.ts";

/** How long the browser has to read the blob before its URL is revoked. */
const REVOKE_AFTER_MS = 60_000;
const types: Record<BulkFormat, string> = { csv: "text/csv;charset=utf-8", ndjson: "application/x-ndjson" };

/** Byte order mark. Without it, Excel does not read a CSV file as UTF-8. */
export const UTF8_BOM = "\ufeff";

/** Downloads the content as a file. */
export function saveFile(content: BlobPart, format: BulkFormat, name: string): void {
  const url = URL.createObjectURL(new Blob([content], { type: types[format] }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_AFTER_MS);
}

/** Downloads a CSV report. Values that a spreadsheet would run as formulas are escaped. */
export async function saveCsvReport(rows: unknown[][], name: string): Promise<void> {
  const { default: papa } = await import("papaparse");
  saveFile(`${UTF8_BOM}${papa.unparse(rows, { escapeFormulae: true })}\r\n`, "csv", name);
}

/** A file name with today's local date: `users-2026-01-31.csv`. */
export function datedFileName(name: string, format: BulkFormat, now = new Date()): string {
  const parts = [now.getFullYear(), now.getMonth() + 1, now.getDate()];
  return `${name}-${parts.map((part) => String(part).padStart(2, "0")).join("-")}.${format}`;
}
