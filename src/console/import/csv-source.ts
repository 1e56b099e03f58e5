import Papa from "papaparse";
import { UTF8_BOM } from "../lib/save-file.ts";
import { importing as texts } from "../texts/index.ts";
import { FileError, readText } from "./file-text.ts";
import { PROBLEM_COLUMN, type Target, targetField } from "./mapping.ts";
import {
  type Batch,
  type Column,
  type FailedRow,
  pickExamples,
  type Row,
  SAMPLE_ROWS,
  type Source,
} from "./source.ts";

/** A row beyond this has an opening quote that nothing closes: the rest of the file would be one cell. */
const MAX_ROW_CHARACTERS = 262_144;
const delimiters = [",", ";", "\t", "|"];

/** A table: rows of cells, the first of which names the columns. */
export class CsvSource implements Source {
  readonly format = "csv";
  readonly name: string;
  readonly size: number;
  readonly columns: readonly Column[];
  readonly sample: readonly Row[];
  readonly isComplete: boolean;
  /** What stands between the cells. */
  readonly delimiter: string;
  readonly #file: File;

  private constructor(
    file: File,
    delimiter: string,
    head: readonly string[],
    sample: Row[],
    isComplete: boolean,
  ) {
    this.#file = file;
    this.name = file.name;
    this.size = file.size;
    this.delimiter = delimiter;
    this.sample = sample;
    this.isComplete = isComplete;
    this.columns = head.map((header, index) => ({
      header: header.trim(),
      examples: pickExamples(sample.map(({ cells }) => cells[index] ?? "")),
    }));
  }

  static async open(file: File): Promise<CsvSource> {
    const sample: Row[] = [];
    let head: readonly string[] | undefined;
    let delimiter = ",";
    for await (const { rows, form } of readTable(file)) {
      delimiter = form.delimiter;
      for (const row of rows) {
        if (!head) head = dropTrailingEmpty(row.cells);
        else if (sample.length < SAMPLE_ROWS) sample.push(row);
        else return new CsvSource(file, delimiter, head, sample, false);
      }
    }
    return new CsvSource(file, delimiter, head ?? [], sample, true);
  }

  async *read(): AsyncGenerator<Batch, void> {
    let begun = false;
    for await (const { rows, bytes } of readTable(this.#file)) {
      // The first names the columns.
      yield { rows: begun ? rows : rows.slice(1), bytes };
      begun ||= rows.length > 0;
    }
  }

  toRecord({ cells }: Row, targets: readonly Target[]): ReadonlyMap<string, string> {
    const record = new Map<string, string>();
    targets.forEach((target, index) => {
      const field = targetField(target);
      if (field === undefined) return;
      const cell = cells[index] ?? "";
      // The spaces around a name or an email mean nothing, and are seen by nobody.
      const text = target.to === "custom" ? cell : cell.trim();
      const before = record.get(field);
      if (text !== "") record.set(field, before === undefined ? text : `${before} ${text}`);
    });
    return record;
  }

  findRowError({ cells, isAmbiguous }: Row): string | undefined {
    if (isAmbiguous) return texts.errors.quotes;
    const named = this.columns.length;
    const isLonger = cells.slice(named).some((cell) => cell.trim() !== "");
    return isLonger ? texts.errors.cells(cells.length, named) : undefined;
  }

  /** The cells stay the text that they are: the service knows which of them are numbers, or JSON. */
  write(rows: readonly Row[], targets: readonly Target[]): string {
    const own = targets.flatMap((target) => (target.to === "custom" ? [target.field] : []));
    // An email is always named, so that a field of its own that is called Email is not taken for it.
    const fields = ["name", "email", ...own];
    const data = rows.map((row) => {
      const record = this.toRecord(row, targets);
      return fields.map((field) => record.get(field) ?? "");
    });
    return Papa.unparse({ fields, data }, { newline: "\n" });
  }

  /** With the reason in a column of its own, which an import passes over. */
  writeFailed(failed: readonly FailedRow[]): string {
    const kept = this.columns.flatMap(({ header }, index) => (header === PROBLEM_COLUMN ? [] : [index]));
    const head = [...kept.map((index) => this.columns[index]?.header ?? ""), PROBLEM_COLUMN];
    const data = failed.map(({ row: { cells }, reason }) => [
      ...kept.map((index) => cells[index] ?? ""),
      reason,
      // Cells that no column is named for still are too many.
      ...cells.slice(this.columns.length),
    ]);
    return `${UTF8_BOM}${Papa.unparse([head, ...data], { delimiter: this.delimiter })}\r\n`;
  }
}

interface Dialect {
  readonly delimiter: string;
  readonly newline: "\n" | "\r";
}

/** Every row that has anything in it. */
async function* readTable(file: Blob): AsyncGenerator<Batch & { form: Dialect }, void> {
  let form: Dialect | undefined;
  let rest = "";
  let number = 0;
  const toRows = ({ data, misquoted }: ParsedRows): Row[] =>
    data.flatMap((cells, index) => {
      number++;
      if (cells.every((cell) => cell.trim() === "")) return [];
      // It may have taken the rows after it for its own.
      const isAmbiguous = misquoted.has(index) && cells.some((cell) => cell.includes("\n"));
      return [{ number, cells, ...(isAmbiguous && { isAmbiguous }) }];
    });
  for await (const { text, bytes } of readText(file)) {
    form ??= detectDialect(text);
    const isLast = bytes === file.size;
    const parsed = parse(rest + text, form, isLast);
    rest = (rest + text).slice(parsed.read);
    yield { rows: toRows(parsed), bytes, form };
    if (!parsed.isValid || rest.length > MAX_ROW_CHARACTERS) throw new FileError("endlessRow", number + 1);
  }
}

interface ParsedRows {
  readonly data: string[][];
  /** Which of them have a quote that neither ends a cell nor is doubled. */
  readonly misquoted: ReadonlySet<number | undefined>;
  /** How many characters of the text they are. */
  readonly read: number;
  /** Whether every quote that was opened is closed. */
  readonly isValid: boolean;
}

/** As many rows as the text has whole; of the last text all, unless it ends within quotes. */
function parse(text: string, form: Dialect, isLast: boolean): ParsedRows {
  const result: Papa.ParseResult<string[]> = new Papa.Parser(form).parse(text, 0, !isLast);
  const { data, errors, meta } = result;
  const isValid = !errors.some(({ code }) => code === "MissingQuotes");
  // Otherwise the last of them is all that comes after the quote. What follows the last newline is no row either.
  if (!isValid || (isLast && data.at(-1)?.join("") === "")) data.pop();
  // Read by \n alone, a file may have both kinds of newlines.
  if (form.newline === "\n") for (const cells of data) cells.push(dropCarriageReturn(cells.pop() ?? ""));
  const misquoted = new Set(errors.map(({ row }) => row));
  return { data, misquoted, read: isLast ? text.length : meta.cursor, isValid };
}

function dropCarriageReturn(cell: string): string {
  return cell.endsWith("\r") ? cell.slice(0, -1) : cell;
}

function detectDialect(text: string): Dialect {
  // An empty line, as after the last newline, has no cells to guess by: it would outvote a table of two columns.
  const { meta } = Papa.parse(text, { preview: 10, skipEmptyLines: "greedy", delimitersToGuess: delimiters });
  return { delimiter: meta.delimiter, newline: meta.linebreak === "\r" ? "\r" : "\n" };
}

/** Spreadsheets leave empty columns behind. */
function dropTrailingEmpty(cells: readonly string[]): readonly string[] {
  return cells.slice(0, cells.findLastIndex((cell) => cell.trim() !== "") + 1);
}
