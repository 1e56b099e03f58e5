import Papa from "papaparse";
import type { Json } from "../../client/index.ts";
import { MORE_COLUMN } from "../../contract/bulk/bulk.ts";
import { csvDelimiters, dropTrailingEmpty, MAX_CSV_ROW } from "../../contract/bulk/csv.ts";
import { UTF8_BOM } from "../lib/save-file.ts";
import { importing as texts } from "../texts/import.ts";
import { ColumnProfile } from "./column-profile.ts";
import { type ColumnType, formatCell, parseCell } from "./column-type.ts";
import { describeErrors } from "./failures.ts";
import { FileError, type TextFile } from "./file-text.ts";
import { type ImportKind, kinds } from "./import-kinds.ts";
import { listTargetFields, PROBLEM_COLUMN, type Target, targetField } from "./mapping.ts";
import {
  type Batch,
  type Contents,
  type FailedRow,
  FIRST_ROWS,
  FileSource,
  MAX_COLUMNS,
  type OpenOptions,
  type Row,
  type RowError,
  type Source,
} from "./source.ts";

/** A CSV file. Its first row contains the column names. */
export class CsvSource extends FileSource implements Source {
  readonly kind = "csv";
  readonly format = "csv";

  private constructor(
    file: TextFile,
    readonly delimiter: string,
    contents: Contents,
  ) {
    super(file, contents);
  }

  static async open(file: TextFile, { onProgress, signal }: OpenOptions): Promise<CsvSource> {
    let columns: { readonly header: string; readonly profile: ColumnProfile }[] | undefined;
    let delimiter = ",";
    let rowCount = 0;
    const firstRows: Row[] = [];
    for await (const { rows, bytes, dialect } of readTable(file)) {
      signal?.throwIfAborted();
      delimiter = dialect.delimiter;
      for (const row of rows) {
        if (!columns) {
          const head = dropTrailingEmpty(row.cells);
          if (head.length > MAX_COLUMNS) throw new FileError("wide");
          columns = head.map((header) => ({ header: header.trim(), profile: new ColumnProfile() }));
          continue;
        }
        rowCount++;
        if (firstRows.length < FIRST_ROWS) firstRows.push(row);
        for (const [index, { profile }] of columns.entries()) profile.add(row.cells[index] ?? "");
      }
      onProgress?.(bytes);
    }
    const found = (columns ?? []).map(({ header, profile }) => {
      const { examples } = profile;
      // The service reads this column: its cells have no type here.
      return header === MORE_COLUMN ? { header, examples } : { header, examples, profile };
    });
    return new CsvSource(file, delimiter, { columns: found, rowCount, firstRows });
  }

  async *read(): AsyncGenerator<Batch, void> {
    let isHeaderRead = false;
    for await (const { rows, bytes } of readTable(this.file)) {
      yield { rows: isHeaderRead ? rows : rows.slice(1), bytes };
      isHeaderRead ||= rows.length > 0;
    }
  }

  toRecord({ cells }: Row, targets: readonly Target[]): ReadonlyMap<string, Json> {
    const record = new Map<string, Json>();
    targets.forEach((target, index) => {
      const field = targetField(target);
      if (field === undefined) return;
      const cell = cells[index] ?? "";
      if (cell.trim() === "") return;
      // Trim names, emails and user names. Text in custom fields keeps its spaces.
      const keepsSpaces = target.to === "custom" && (target.type ?? "text") === "text";
      const text = keepsSpaces ? cell : cell.trim();
      const before = record.get(field);
      const { value = text, error } = (target.to === "custom" && parseTarget(text, target)) || {};
      if (error !== undefined && target.to === "custom" && target.omitsMisfits) return;
      record.set(field, before === undefined ? value : `${before} ${text}`);
    });
    return record;
  }

  findErrors(row: Row, targets: readonly Target[]): readonly RowError[] {
    const { cells, isAmbiguous } = row;
    if (isAmbiguous) return [rowError(row, texts.errors.quotes)];
    const columns = this.columns.length;
    if (cells.slice(columns).some((cell) => cell.trim() !== "")) {
      return [rowError(row, texts.errors.cells(cells.length, columns))];
    }
    return targets.flatMap((target, index) => {
      const value = cells[index] ?? "";
      if (target.to !== "custom" || target.omitsMisfits || value.trim() === "") return [];
      const reason = parseTarget(value, target)?.error;
      return reason === undefined ? [] : [{ kind: reason, reason, field: target.field, value }];
    });
  }

  write(
    rows: readonly Row[],
    targets: readonly Target[],
    isFirst = true,
    kind: ImportKind = "users",
  ): string {
    const typed = new Set(
      targets.flatMap((target) => (target.to === "custom" && target.type ? [target.field] : [])),
    );
    const fields = [...new Set<string>([...kinds[kind].written, ...listTargetFields(targets)])];
    const data = rows.map((row) => {
      const record = this.toRecord(row, targets);
      return fields.map((field) => {
        const value = record.get(field);
        if (value === undefined) return "";
        return typed.has(field) ? formatCell(value) : value;
      });
    });
    return Papa.unparse({ fields, data }, { newline: "\n", header: isFirst });
  }

  /** Adds the reason in a column that the next import skips. */
  writeFailed(failed: readonly FailedRow[]): string {
    const columns = this.columns.flatMap(({ header }, index) => (header === PROBLEM_COLUMN ? [] : [index]));
    const head = [...columns.map((index) => this.columns[index]?.header ?? ""), PROBLEM_COLUMN];
    const data = failed.map(({ row: { cells }, errors }) => [
      ...columns.map((index) => cells[index] ?? ""),
      describeErrors(errors),
      // Keep surplus cells: the row still has the same error.
      ...cells.slice(this.columns.length),
    ]);
    return `${UTF8_BOM}${Papa.unparse([head, ...data], { delimiter: this.delimiter })}\r\n`;
  }
}

function rowError({ cells }: Row, reason: string): RowError {
  return { kind: reason, reason, value: cells.join(" · ") };
}

function parseTarget(cell: string, { type }: { readonly type?: ColumnType | undefined }) {
  return type && parseCell(cell, type);
}

interface Dialect {
  readonly delimiter: string;
  readonly newline: "\n" | "\r";
}

/** Every row that is not blank. */
async function* readTable(file: TextFile): AsyncGenerator<Batch & { dialect: Dialect }, void> {
  let dialect: Dialect | undefined;
  let rest = "";
  let number = 0;
  const toRows = ({ data, misquoted }: ParsedRows): Row[] =>
    data.flatMap((cells, index) => {
      number++;
      if (cells.every((cell) => cell.trim() === "")) return [];
      // The row may have swallowed rows that follow.
      const isAmbiguous = misquoted.has(index) && cells.some((cell) => cell.includes("\n"));
      return [{ number, cells, ...(isAmbiguous && { isAmbiguous }) }];
    });
  for await (const { text, bytes } of file.read()) {
    dialect ??= detectDialect(text);
    const isLast = bytes === file.size;
    const parsed = parse(rest + text, dialect, isLast);
    rest = (rest + text).slice(parsed.read);
    yield { rows: toRows(parsed), bytes, dialect };
    if (!parsed.isValid || rest.length > MAX_CSV_ROW) throw new FileError("endlessRow", number + 1);
  }
}

interface ParsedRows {
  readonly data: string[][];
  /** Indexes of rows with a stray quote. */
  readonly misquoted: ReadonlySet<number | undefined>;
  /** Number of characters that were parsed. */
  readonly read: number;
  /** Whether every quote is closed. */
  readonly isValid: boolean;
}

/** Parses the complete rows of the text. The last text is complete unless it ends inside quotes. */
function parse(text: string, dialect: Dialect, isLast: boolean): ParsedRows {
  const result: Papa.ParseResult<string[]> = new Papa.Parser(dialect).parse(text, 0, !isLast);
  const { data, errors, meta } = result;
  const isValid = !errors.some(({ code }) => code === "MissingQuotes");
  // Drop the rest after an unclosed quote, and the empty row after the last newline.
  if (!isValid || (isLast && data.at(-1)?.join("") === "")) data.pop();
  // Splitting at \n leaves \r at the end of the last cell.
  if (dialect.newline === "\n") for (const cells of data) cells.push(dropCarriageReturn(cells.pop() ?? ""));
  const misquoted = new Set(errors.map(({ row }) => row));
  return { data, misquoted, read: isLast ? text.length : meta.cursor, isValid };
}

function dropCarriageReturn(cell: string): string {
  return cell.endsWith("\r") ? cell.slice(0, -1) : cell;
}

function detectDialect(text: string): Dialect {
  // Skip empty lines: they distort the guess for tables with two columns.
  const delimitersToGuess = [...csvDelimiters, "|"];
  const { meta } = Papa.parse(text, { preview: 10, skipEmptyLines: "greedy", delimitersToGuess });
  return { delimiter: meta.delimiter, newline: meta.linebreak === "\r" ? "\r" : "\n" };
}
