import { once } from "node:events";
import type { Parser } from "csv-parse";
import { MORE_COLUMN } from "../../contract/bulk/bulk.ts";
import { MAX_CSV_ROW } from "../../contract/bulk/csv.ts";
import { isObject } from "../../contract/json.ts";
import { summarizeErrors } from "../../contract/problems.ts";
import type { Row } from "../import-row.ts";
import { type ProblemData, ProblemError } from "../problem-error.ts";
import { loopShare } from "../scheduling/loop-share.ts";
import { parseCell, parseTextCell, parseTypedCell } from "./cells.ts";
import { type Columns, type CsvRules, parseColumns } from "./columns.ts";
import { HeaderBuffer } from "./header-buffer.ts";
import { openCsvParser } from "./open-parser.ts";
import { splitUtf8 } from "./split-utf8.ts";

/** Parsed at once: takes up to two milliseconds if each of 100 rows has another number of cells than the header. */
const PIECE_BYTES = 256;

/**
 * Reads CSV (RFC 4180, also with semicolons or tabs) and yields rows, each as the JSON of a record. The first row names
 * the fields. If the CSV is malformed, yields the rows before the error and then fails with `malformed-json`,
 * `too-large` or the problem of the rules.
 */
export async function* readCsvRows(
  body: AsyncIterable<Uint8Array>,
  rowBytes: number,
  rules: CsvRules,
): AsyncGenerator<Row[], void> {
  const reader = new CsvReader(rowBytes, rules);
  for await (const bytes of splitUtf8(body)) {
    await reader.add(bytes);
    const rows = await reader.takeRows();
    if (rows.length > 0) yield rows;
    reader.throwIfFailed();
  }
  await reader.end();
  const rows = await reader.takeRows();
  if (rows.length > 0) yield rows;
  reader.throwIfFailed();
}

interface ParsedRow {
  readonly cells: readonly string[];
  /** Bytes of the CSV up to the end of this row. */
  readonly endByte: number;
  /** Empty lines before this row. */
  readonly emptyLines: number;
}

class CsvReader {
  readonly #rowBytes: number;
  readonly #rules: CsvRules;
  readonly #maxParsedRowBytes: number;
  readonly #headerBuffer = new HeaderBuffer();
  #parser: Parser | undefined;
  #parsed: ParsedRow[] = [];
  #parserFailed = false;
  #endlessRow = false;
  /** Bytes since the last complete row. */
  #unparsedBytes = 0;
  #ended = false;
  #problem: ProblemError | undefined;
  #columns: Columns | undefined;
  #endByte = 0;
  /** Lines of all rows so far, without empty lines. */
  #lines = 0;

  constructor(rowBytes: number, rules: CsvRules) {
    this.#rowBytes = rowBytes;
    this.#rules = rules;
    this.#maxParsedRowBytes = Math.max(MAX_CSV_ROW, rowBytes);
  }

  /** Parses the rows that these bytes complete. */
  async add(bytes: Uint8Array): Promise<void> {
    if (loopShare.isSpent) await loopShare.nextTurn();
    if (this.#parser) return this.#parse(this.#parser, bytes);
    const buffer = this.#headerBuffer;
    buffer.add(bytes);
    const isWaiting = !buffer.isComplete && buffer.bytes.length <= this.#rowBytes;
    if (!isWaiting) await this.#parse(this.#startParser(), buffer.bytes);
  }

  /** Parses the last row, if it has no line end. */
  async end(): Promise<void> {
    if (!this.#parser) await this.#parse(this.#startParser(), this.#headerBuffer.bytes);
    const finished = this.#parser && once(this.#parser, "finish");
    this.#parser?.end();
    try {
      await finished;
    } catch {
      this.#parserFailed = true;
    }
    this.#ended = true;
  }

  throwIfFailed(): void {
    if (this.#problem) throw this.#problem;
  }

  /** The first line of the row that the parser is reading. */
  get #currentLine(): number {
    return 1 + this.#lines + (this.#parser?.info.empty_lines ?? 0);
  }

  #startParser(): Parser {
    const header = this.#headerBuffer.header.subarray(0, this.#rowBytes);
    const parser = openCsvParser(header, this.#maxParsedRowBytes, (cells, end) =>
      this.#parsed.push({ cells, endByte: end.bytes, emptyLines: end.empty_lines }),
    );
    this.#parser = parser;
    return parser;
  }

  async #parse(parser: Parser, bytes: Uint8Array): Promise<void> {
    for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
      if (loopShare.isSpent) await loopShare.nextTurn();
      const piece = bytes.subarray(start, start + PIECE_BYTES);
      const { empty_lines: emptyLines } = parser.info;
      const rows = this.#parsed.length;
      parser.write(piece);
      const isNewRow = this.#parsed.length > rows || parser.info.empty_lines > emptyLines;
      this.#unparsedBytes = isNewRow ? 0 : this.#unparsedBytes + piece.length;
      // The parser's own limit does not count delimiters: a row of empty cells could grow without end.
      if (this.#unparsedBytes > this.#maxParsedRowBytes) this.#endlessRow = true;
      if (parser.errored || this.#endlessRow) break;
    }
    if (parser.errored) this.#parserFailed = true;
  }

  /** The records of the parsed rows. */
  async takeRows(): Promise<Row[]> {
    const rows: Row[] = [];
    for (const { cells, endByte, emptyLines } of this.#parsed) {
      if (this.#problem) break;
      if (loopShare.isSpent) await loopShare.nextTurn();
      const line = 1 + this.#lines + emptyLines;
      // Includes empty lines before the row, so the cells are counted only if this is over the limit.
      const maxBytes = endByte - this.#endByte;
      this.#endByte = endByte;
      this.#lines += 1 + (cells.length > COUNTED_CELLS ? await countManyBreaks(cells) : countBreaks(cells));
      const isTooLong = maxBytes > this.#rowBytes && exceedsBytes(cells, this.#rowBytes);
      if (this.#columns) {
        rows.push({
          line,
          ...(isTooLong ? longRow(this.#rowBytes) : toRecord(this.#columns, cells, this.#rules)),
        });
      } else if (isTooLong) this.#problem = longHeader(this.#rowBytes);
      else this.#readHeader(cells);
    }
    this.#parsed = [];
    if (this.#endlessRow) this.#problem ??= endlessRow(this.#currentLine, this.#maxParsedRowBytes);
    if (this.#parserFailed) this.#problem ??= unclosedQuote(this.#currentLine);
    if (this.#ended && !this.#columns) {
      this.#problem ??= new ProblemError(
        "malformed-json",
        "The CSV is empty. Its first row names the fields.",
      );
    }
    return rows;
  }

  #readHeader(names: readonly string[]): void {
    try {
      this.#columns = parseColumns(names, this.#rules);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      this.#problem = error;
    }
  }
}

// A literal, not a `ProblemError`: a stack trace for each of a million rows would take seconds.
function toRecord(
  columns: Columns,
  cells: readonly string[],
  rules: CsvRules,
): { json: string } | { problem: ProblemData } {
  if (cells.length > columns.length && cells.slice(columns.length).some((cell) => cell !== "")) {
    const detail = `The row has ${cells.length} cells, but the header row has ${columns.length}.`;
    return { problem: { type: rules.invalid, detail, errors: [{ pointer: "", detail }] } };
  }
  const members: string[] = [];
  let more = "";
  cells.forEach((cell, index) => {
    const field = columns[index];
    if (field === undefined || cell === "") return;
    if (field === MORE_COLUMN) more = cell;
    else members.push(`"${field}":${toJson(field, cell, rules)}`);
  });
  if (more === "") return { json: `{${members.join()}}` };
  const moreFields = listMoreFields(more);
  const badMore = (field: string, detail: string) => {
    const errors = [{ pointer: `/${field}`, detail }];
    return { problem: new ProblemError(rules.invalid, summarizeErrors(errors), errors).data };
  };
  if (!moreFields) return badMore(MORE_COLUMN, "This cell must be empty or a JSON object of fields.");
  const duplicate = moreFields.find((field) => (cells[columns.indexOf(field)] ?? "") !== "");
  if (duplicate !== undefined)
    return badMore(duplicate, `This field has a column and is also in ${MORE_COLUMN}.`);
  if (moreFields.length > 0) members.push(more.trim().slice(1, -1));
  return { json: `{${members.join()}}` };
}

/** The names of the fields in a `MORE_COLUMN` cell; undefined if the cell is not a JSON object. */
function listMoreFields(cell: string): string[] | undefined {
  const value = parseCell(cell.trim());
  return isObject(value) ? Object.keys(value) : undefined;
}

/** Copies objects and arrays as text: parsing them would change numbers that are too large, instead of rejecting them. */
function toJson(field: string, cell: string, { isText, readText = parseTextCell, types }: CsvRules): string {
  if (isText(field)) return JSON.stringify(readText(cell));
  const allowed = types?.get(field);
  const value = allowed ? parseTypedCell(cell, allowed) : parseCell(cell);
  return typeof value === "object" && value !== null ? cell : JSON.stringify(value);
}

/** Whether the cells, each with its delimiter, have more bytes than the limit. */
function exceedsBytes(cells: readonly string[], maxBytes: number): boolean {
  if (cells.length > maxBytes) return true;
  return cells.reduce((sum, cell) => sum + Buffer.byteLength(cell) + 1, 0) > maxBytes;
}

/** A row that is too long may have a million cells. */
const COUNTED_CELLS = 10_000;

async function countManyBreaks(cells: readonly string[]): Promise<number> {
  let count = 0;
  for (let start = 0; start < cells.length; start += COUNTED_CELLS) {
    if (loopShare.isSpent) await loopShare.nextTurn();
    count += countBreaks(cells.slice(start, start + COUNTED_CELLS));
  }
  return count;
}

function countBreaks(cells: readonly string[]): number {
  let count = 0;
  for (const cell of cells) {
    if (cell.includes("\n") || cell.includes("\r")) count += cell.split(/\r\n|\n|\r/).length - 1;
  }
  return count;
}

function longRow(maxBytes: number): { problem: ProblemData } {
  return { problem: { type: "too-large", detail: `The row is longer than ${maxBytes} bytes.` } };
}

function longHeader(maxBytes: number): ProblemError {
  return new ProblemError("too-large", `The header row is longer than ${maxBytes} bytes.`);
}

function endlessRow(line: number, maxBytes: number): ProblemError {
  return new ProblemError(
    "malformed-json",
    `The row on line ${line} does not end within ${maxBytes} bytes. Is an opening quote never closed?`,
  );
}

function unclosedQuote(line: number): ProblemError {
  return new ProblemError("malformed-json", `A quote that opens on line ${line} or later is never closed.`);
}
