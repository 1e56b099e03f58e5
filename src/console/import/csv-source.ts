import Papa from "papaparse";
import type { Json } from "../../client/index.ts";
import { MORE_COLUMN } from "../../contract/bulk/bulk.ts";
import { csvDelimiters, dropTrailingEmpty, MAX_CSV_ROW } from "../../contract/bulk/csv.ts";
import { UTF8_BOM } from "../lib/save-file.ts";
import { importing as texts } from "../texts/index.ts";
import type { FieldInfo } from "../users/field-info.ts";
import { type ColumnType, chooseType, formatCell, parseCell } from "./column-type.ts";
import { FileError, type TextFile } from "./file-text.ts";
import { PROBLEM_COLUMN, type Target, targetField } from "./mapping.ts";
import {
  type Batch,
  type FailedRow,
  FileSource,
  pickExamples,
  type Row,
  SAMPLE_ROWS,
  type Source,
} from "./source.ts";

/** A CSV file. Its first row contains the column names. */
export class CsvSource extends FileSource implements Source {
  readonly #delimiter: string;
  readonly kind = "csv";
  readonly format = "csv";

  private constructor(
    file: TextFile,
    delimiter: string,
    head: readonly string[],
    sample: Row[],
    isComplete: boolean,
  ) {
    const columns = head.map((header, index) => ({
      header: header.trim(),
      examples: pickExamples(sample.map(({ cells }) => cells[index] ?? "")),
    }));
    super(file, columns, sample, isComplete);
    this.#delimiter = delimiter;
  }

  static async open(file: TextFile): Promise<CsvSource> {
    const sample: Row[] = [];
    let head: readonly string[] | undefined;
    let delimiter = ",";
    for await (const { rows, dialect } of readTable(file)) {
      delimiter = dialect.delimiter;
      for (const row of rows) {
        if (!head) head = dropTrailingEmpty(row.cells);
        else if (sample.length < SAMPLE_ROWS) sample.push(row);
        else return new CsvSource(file, delimiter, head, sample, false);
      }
    }
    return new CsvSource(file, delimiter, head ?? [], sample, true);
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
      // Trim names and emails. Text in custom fields keeps its spaces.
      const keepsSpaces = target.to === "custom" && (target.type ?? "text") === "text";
      const text = keepsSpaces ? cell : cell.trim();
      if (text === "") return;
      const before = record.get(field);
      const { value = text } = (target.to === "custom" && parseTarget(text, target)) || {};
      record.set(field, before === undefined ? value : `${before} ${text}`);
    });
    return record;
  }

  findTypeErrors({ cells }: Row, targets: readonly Target[]): ReadonlyMap<string, string> {
    const errors = new Map<string, string>();
    targets.forEach((target, index) => {
      const cell = cells[index] ?? "";
      if (target.to !== "custom" || cell.trim() === "") return;
      const error = parseTarget(cell, target)?.error;
      if (error !== undefined) errors.set(target.field, error);
    });
    return errors;
  }

  chooseType(column: number, info: FieldInfo | undefined): ColumnType | undefined {
    if (this.columns[column]?.header === MORE_COLUMN) return undefined;
    return chooseType(
      this.sample.map(({ cells }) => cells[column] ?? ""),
      info,
    );
  }

  findRowError({ cells, isAmbiguous }: Row): string | undefined {
    if (isAmbiguous) return texts.errors.quotes;
    const columns = this.columns.length;
    const isLonger = cells.slice(columns).some((cell) => cell.trim() !== "");
    return isLonger ? texts.errors.cells(cells.length, columns) : undefined;
  }

  write(rows: readonly Row[], targets: readonly Target[]): string {
    const customFields = targets.flatMap((target) => (target.to === "custom" ? [target.field] : []));
    const typed = new Set(
      targets.flatMap((target) => (target.to === "custom" && target.type ? [target.field] : [])),
    );
    // Always name the email column. Otherwise the service would take a custom field "Email" for it.
    const fields = ["name", "email", ...customFields];
    const data = rows.map((row) => {
      const record = this.toRecord(row, targets);
      return fields.map((field) => {
        const value = record.get(field);
        if (value === undefined) return "";
        return typed.has(field) ? formatCell(value) : value;
      });
    });
    return Papa.unparse({ fields, data }, { newline: "\n" });
  }

  /** Adds the reason in a column that the next import skips. */
  writeFailed(failed: readonly FailedRow[]): string {
    const columns = this.columns.flatMap(({ header }, index) => (header === PROBLEM_COLUMN ? [] : [index]));
    const head = [...columns.map((index) => this.columns[index]?.header ?? ""), PROBLEM_COLUMN];
    const data = failed.map(({ row: { cells }, reason }) => [
      ...columns.map((index) => cells[index] ?? ""),
      reason,
      // Keep surplus cells: the row still has the same error.
      ...cells.slice(this.columns.length),
    ]);
    return `${UTF8_BOM}${Papa.unparse([head, ...data], { delimiter: this.#delimiter })}\r\n`;
  }
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
