import { type Parser, parse } from "csv-parse";

const delimiters = [",", ";", "\t"] as const;

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
    bom: true,
    delimiter: detectDelimiter(new TextDecoder().decode(header)),
    max_record_size: maxRowBytes,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    on_record: (cells: string[], end) => {
      onRow(cells, end);
      return null;
    },
  });
  parser.on("error", () => undefined);
  return parser;
}

/** The most frequent delimiter in the header. */
function detectDelimiter(header: string): string {
  const unquoted = header.replace(/"[^"]*"/g, "");
  const counts = delimiters.map((delimiter) => unquoted.split(delimiter).length);
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ",";
}
