import { pipeline, Readable } from "node:stream";
import { type Parser, parse } from "csv-parse";
import { detectDelimiter } from "../../contract/bulk/csv.ts";

/** CSV by RFC 4180, and what spreadsheets make of it. */
const rules = {
  bom: true,
  relax_column_count: true,
  relax_quotes: true,
  skip_empty_lines: true,
} as const;

interface RowEnd {
  /** Bytes of the CSV up to the end of the row. */
  readonly bytes: number;
  /** Empty lines before the row. */
  readonly empty_lines: number;
}

/**
 * A parser of CSV as imports accept it: `write` calls `onRow` at once for each complete row. Reading the stream would deliver rows
 * later. Errors are in `errored`, and at the end of the stream.
 */
export function openCsvParser(
  header: Uint8Array,
  maxRowBytes: number,
  onRow: (cells: string[], end: RowEnd) => void,
): Parser {
  const parser = parse({
    ...rules,
    delimiter: detectDelimiter(new TextDecoder().decode(header)),
    max_record_size: maxRowBytes,
    record_delimiter: ["\r\n", "\n", "\r"],
    on_record: (cells: string[], end) => {
      onRow(cells, end);
      return null;
    },
  });
  parser.on("error", () => undefined);
  return parser;
}

/** Exports of other systems have longer rows than imports accept. */
const MAX_EXPORT_ROW_BYTES = 1_048_576;

/** Reads the cells of each row of another system's export, with commas. Throws an `Error` if the CSV is malformed. */
export async function* readCells(source: AsyncIterable<Uint8Array>): AsyncGenerator<string[], void> {
  const parser = parse({ ...rules, max_record_size: MAX_EXPORT_ROW_BYTES });
  // Errors of the source reach the reader of the rows.
  pipeline(Readable.from(source), parser, () => undefined);
  for await (const cells of parser) yield cells;
}
