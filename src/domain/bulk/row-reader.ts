import type { BulkFormat } from "../../contract/bulk/bulk.ts";
import type { CsvRules } from "../csv/columns.ts";
import { readCsvRows } from "../csv/read.ts";
import type { Row } from "../import-row.ts";
import { readNdjsonRows } from "./ndjson-rows.ts";

/** Splits the body of an import into rows. A row may have `maxRowBytes`. */
export type RowReader = (body: AsyncIterable<Uint8Array>, maxRowBytes: number) => AsyncGenerator<Row[], void>;

/** Reads rows of a format. NDJSON needs no rules. */
export function createRowReader(format: BulkFormat, rules: CsvRules): RowReader {
  if (format === "ndjson") return readNdjsonRows;
  return (body, maxRowBytes) => readCsvRows(body, maxRowBytes, rules);
}
