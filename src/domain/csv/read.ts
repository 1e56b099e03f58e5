import { once } from "node:events";
import { type Parser, parse } from "csv-parse";
import { ByteBuffer } from "../byte-buffer.ts";
import type { Row } from "../imports.ts";
import { ProblemError } from "../problem-error.ts";
import { parseCell, parseTextCell } from "./cells.ts";
import { type Columns, parseColumns } from "./columns.ts";
import { splitUtf8 } from "./split-utf8.ts";

/** A row beyond this has an opening quote that nothing closes: nothing after it can be told apart. */
const LONGEST_ROW = 1_048_576;
const delimiters = [",", ";", "\t"] as const;
const QUOTE = 0x22;
const [LF, CR] = [0x0a, 0x0d];

/**
 * The rows of a table (RFC 4180; with semicolons or tabs, too), some at a time, each as the JSON of a user. The first one
 * names the fields. Fails with `malformed-json`, `too-large` or `invalid-user` where the table as a whole cannot be read,
 * once all that comes before has been handed on.
 */
export async function* readCsvRows(
  body: AsyncIterable<Uint8Array>,
  rowBytes: number,
): AsyncGenerator<Row[], void> {
  const table = new CsvReader(rowBytes);
  for await (const bytes of splitUtf8(body)) {
    const rows = table.take(bytes);
    if (rows.length > 0) yield rows;
    table.requireSound();
    // Others have their turn before the next rows are made.
    await new Promise(setImmediate);
  }
  const rows = await table.end();
  if (rows.length > 0) yield rows;
  table.requireSound();
}

/** A row as it was parsed. */
interface Cells {
  readonly cells: readonly string[];
  /** How many bytes of the table end with it. */
  readonly bytes: number;
  /** How many empty lines there have been. */
  readonly emptyLines: number;
}

class CsvReader {
  readonly #rowBytes: number;
  readonly #head = new HeaderBuffer();
  #parser: Parser | undefined;
  #parsed: Cells[] = [];
  #fault: ProblemError | undefined;
  #columns: Columns | undefined;
  #bytes = 0;
  /** The lines of all rows so far. */
  #lines = 0;

  constructor(rowBytes: number) {
    this.#rowBytes = rowBytes;
  }

  /** The rows that these bytes bring to their end. */
  take(bytes: Uint8Array): Row[] {
    if (this.#parser) return this.#parse(this.#parser, bytes);
    this.#head.add(bytes);
    const waiting = !this.#head.whole && this.#head.bytes.length <= this.#rowBytes;
    return waiting ? [] : this.#parse(this.#begin(), this.#head.bytes);
  }

  /** The last row, if it lacks its newline. */
  async end(): Promise<Row[]> {
    const rows = this.#parser ? [] : this.#parse(this.#begin(), this.#head.bytes);
    const ended = this.#parser && once(this.#parser, "finish");
    this.#parser?.end();
    try {
      await ended;
    } catch {
      this.#fault ??= unclosed(this.#line);
    }
    rows.push(...this.#rows());
    if (!this.#columns)
      this.#fault ??= new ProblemError(
        "malformed-json",
        "The table is empty: its first row names the fields.",
      );
    return rows;
  }

  /** Fails where there is no more to be made of the table. */
  requireSound(): void {
    if (this.#fault) throw this.#fault;
  }

  /** Where the row begins that is being read. */
  get #line(): number {
    return 1 + this.#lines + (this.#parser?.info.empty_lines ?? 0);
  }

  #begin(): Parser {
    const parser = parse({
      bom: true,
      delimiter: delimiterOf(new TextDecoder().decode(this.#head.row.subarray(0, this.#rowBytes))),
      max_record_size: Math.max(LONGEST_ROW, this.#rowBytes),
      record_delimiter: ["\r\n", "\n", "\r"],
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      // Taken here, and not read from the stream: each is there as soon as its bytes are written.
      on_record: (cells: string[], { bytes: end, empty_lines: emptyLines }) => {
        this.#parsed.push({ cells, bytes: end, emptyLines });
        return null;
      },
    });
    // What it cannot read is told by `errored`, and at its end.
    parser.on("error", () => undefined);
    this.#parser = parser;
    return parser;
  }

  #parse(parser: Parser, bytes: Uint8Array): Row[] {
    parser.write(bytes);
    const rows = this.#rows();
    if (parser.errored) this.#fault ??= unclosed(this.#line);
    return rows;
  }

  #rows(): Row[] {
    const rows: Row[] = [];
    for (const { cells, bytes, emptyLines } of this.#parsed) {
      if (this.#fault) break;
      const line = 1 + this.#lines + emptyLines;
      const atMost = bytes - this.#bytes;
      this.#bytes = bytes;
      this.#lines += 1 + breaksIn(cells);
      const long = atMost > this.#rowBytes && bytesOf(cells) > this.#rowBytes;
      if (this.#columns)
        rows.push({ line, ...(long ? tooLongRow(this.#rowBytes) : toUser(this.#columns, cells)) });
      else if (long) this.#fault = tooLong(this.#rowBytes);
      else this.#nameColumns(cells);
    }
    this.#parsed = [];
    return rows;
  }

  #nameColumns(names: readonly string[]): void {
    try {
      this.#columns = parseColumns(names);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      this.#fault = error;
    }
  }
}

/** The first bytes of a table, as far as its first row goes. */
class HeaderBuffer {
  readonly #pieces = new ByteBuffer();
  #begun = false;
  #quoted = false;
  #rowBytes: number | undefined;

  add(bytes: Uint8Array): void {
    const before = this.#pieces.length;
    this.#pieces.add(bytes);
    for (let i = 0; i < bytes.length && this.#rowBytes === undefined; i++) {
      const byte = bytes[i];
      const ends = byte === LF || byte === CR;
      if (byte === QUOTE) this.#quoted = !this.#quoted;
      // Empty lines before it are none of it.
      else if (ends && this.#begun && !this.#quoted) this.#rowBytes = before + i;
      if (!ends) this.#begun = true;
    }
  }

  get bytes(): Uint8Array {
    return this.#pieces.bytes;
  }

  /** Whether the row has come to its end. */
  get whole(): boolean {
    return this.#rowBytes !== undefined;
  }

  /** As much of it as has come. */
  get row(): Uint8Array {
    return this.bytes.subarray(0, this.#rowBytes);
  }
}

/** What stands between the cells of the first row most often. */
function delimiterOf(row: string): string {
  const bare = row.replace(/"[^"]*"/g, "");
  const counts = delimiters.map((delimiter) => bare.split(delimiter).length);
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ",";
}

function toUser(
  columns: Columns,
  cells: readonly string[],
): { json: string } | { problem: ProblemError["data"] } {
  if (cells.length > columns.length && cells.slice(columns.length).some((cell) => cell !== "")) {
    const detail = `The row has ${cells.length} cells, and the first row names ${columns.length}.`;
    return { problem: new ProblemError("invalid-user", detail, [{ pointer: "", detail }]).data };
  }
  const members: string[] = [];
  cells.forEach((cell, index) => {
    const field = columns[index];
    if (field !== undefined && cell !== "") members.push(`"${field}":${toJson(field, cell)}`);
  });
  return { json: `{${members.join()}}` };
}

/** Objects and arrays stand as they were written: a number in them that cannot be kept is to be refused, not changed. */
function toJson(field: string, cell: string): string {
  if (field === "name" || field === "email") return JSON.stringify(parseTextCell(cell));
  const value = parseCell(cell);
  return typeof value === "object" && value !== null ? cell : JSON.stringify(value);
}

function bytesOf(cells: readonly string[]): number {
  return cells.reduce((sum, cell) => sum + Buffer.byteLength(cell) + 1, 0);
}

/** How many lines the cells go on for, after the first. */
function breaksIn(cells: readonly string[]): number {
  let breaks = 0;
  for (const cell of cells) {
    if (cell.includes("\n") || cell.includes("\r")) breaks += cell.split(/\r\n|\n|\r/).length - 1;
  }
  return breaks;
}

function tooLongRow(most: number): { problem: ProblemError["data"] } {
  return { problem: new ProblemError("too-large", `The row is over ${most} bytes.`).data };
}

function tooLong(most: number): ProblemError {
  return new ProblemError("too-large", `The first row is over ${most} bytes.`);
}

function unclosed(line: number): ProblemError {
  return new ProblemError(
    "malformed-json",
    `A quote that opens on line ${line} or after it is never closed.`,
  );
}
