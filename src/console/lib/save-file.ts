import type { BulkFormat } from "../../client/index.ts";

/** How long a browser may take to fetch what it saves. */
const REVOKE_AFTER_MS = 60_000;
const types: Record<BulkFormat, string> = { csv: "text/csv;charset=utf-8", ndjson: "application/x-ndjson" };

/** Spreadsheets take a table for UTF-8 only if it begins with this. */
export const UTF8_BOM = "\ufeff";

/** Gives the person a file, in the way that every browser knows. */
export function saveFile(content: BlobPart, format: BulkFormat, name: string): void {
  const url = URL.createObjectURL(new Blob([content], { type: types[format] }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_AFTER_MS);
}

/** The same for a table that is only looked at: its values may be anything, and none of them may be run. */
export async function saveCsvReport(rows: unknown[][], name: string): Promise<void> {
  const { default: papa } = await import("papaparse");
  saveFile(`${UTF8_BOM}${papa.unparse(rows, { escapeFormulae: true })}\r\n`, "csv", name);
}

/** A file's name with today's date, where the person is: `users-2026-01-31.csv`. */
export function datedFileName(name: string, format: BulkFormat, now = new Date()): string {
  const parts = [now.getFullYear(), now.getMonth() + 1, now.getDate()];
  return `${name}-${parts.map((part) => String(part).padStart(2, "0")).join("-")}.${format}`;
}
