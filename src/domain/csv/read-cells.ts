import { pipeline, Readable } from "node:stream";
import { parse } from "csv-parse";

/** A longer row has an opening quote that is never closed. */
const MAX_ROW_BYTES = 1_048_576;

/** Reads the cells of each row of a CSV (RFC 4180). Throws an `Error` if the CSV is malformed. */
export async function* readCells(source: AsyncIterable<Uint8Array>): AsyncGenerator<string[], void> {
  const parser = parse({
    bom: true,
    max_record_size: MAX_ROW_BYTES,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
  });
  // Errors of the source reach the reader of the rows.
  pipeline(Readable.from(source), parser, () => undefined);
  for await (const cells of parser) yield cells;
}
