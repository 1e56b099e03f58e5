import type { BulkFormat, Json } from "../../client/index.ts";
import { truncate } from "../texts/format.ts";
import type { FieldInfo } from "../users/field-info.ts";
import type { ColumnType } from "./column-type.ts";
import type { Encoding, TextFile } from "./file-text.ts";
import type { Target } from "./mapping.ts";

/** A column of a CSV file, or a field of JSON objects. */
export interface Column {
  readonly header: string;
  /** The first values, as text. */
  readonly examples: readonly string[];
}

/** An unparsed row of the file. */
export interface Row {
  /** Row number as in a spreadsheet: counted from 1, including the header row. */
  readonly number: number;
  /** The cells of a CSV row. For JSON, the line or item as the only element. */
  readonly cells: readonly string[];
  /** A stray quote makes it unclear where the row ends. */
  readonly isAmbiguous?: boolean;
}

/** Rows, and the bytes of the file read so far. */
export interface Batch {
  readonly rows: readonly Row[];
  readonly bytes: number;
}

/** A row that was not imported, and why. */
export interface FailedRow {
  readonly row: Row;
  readonly reason: string;
  readonly field?: string | undefined;
  readonly value?: string | undefined;
}

/** `json`: a JSON array, or a JSON object over several lines. */
export type SourceKind = "csv" | "ndjson" | "json";

/** A file to import. `targets[i]` says what `columns[i]` becomes. */
export interface Source {
  readonly name: string;
  readonly size: number;
  readonly encoding: Encoding;
  readonly kind: SourceKind;
  /** The format of request bodies. */
  readonly format: BulkFormat;
  readonly columns: readonly Column[];
  /** The first rows. */
  readonly sample: readonly Row[];
  /** Whether the sample contains all rows. */
  readonly isComplete: boolean;
  /** All rows. Throws a `FileError` where the file can't be read, after the rows before it. */
  read(): AsyncGenerator<Batch, void>;
  /** The values of a row by field. Undefined if the row can't be parsed. */
  toRecord(row: Row, targets: readonly Target[]): ReadonlyMap<string, Json> | undefined;
  /** The error of a row that can't be sent. */
  findRowError(row: Row): string | undefined;
  /** Errors of cells that do not have the type of their column, by field. */
  findTypeErrors(row: Row, targets: readonly Target[]): ReadonlyMap<string, string>;
  /** The type for a column that becomes this field. Undefined if the values of the file have types. */
  chooseType(column: number, info: FieldInfo | undefined): ColumnType | undefined;
  /** The request body for these rows. */
  write(rows: readonly Row[], targets: readonly Target[]): string;
  /** A file with the original rows, to correct and import again. */
  writeFailed(failed: readonly FailedRow[]): string;
}

/** What every source knows of its file. */
export abstract class FileSource {
  readonly name: string;
  readonly size: number;
  readonly encoding: Encoding;

  constructor(
    protected readonly file: TextFile,
    readonly columns: readonly Column[],
    readonly sample: readonly Row[],
    readonly isComplete: boolean,
  ) {
    this.name = file.name;
    this.size = file.size;
    this.encoding = file.encoding;
  }
}

/** Number of rows to check before an import. */
export const SAMPLE_ROWS = 1000;

const MAX_EXAMPLES = 3;
const EXAMPLE_CHARACTERS = 60;

/** The first different values of a column, truncated. */
export function pickExamples(values: Iterable<string>): string[] {
  const examples = new Set<string>();
  for (const value of values) {
    const short = value.trim();
    if (short === "") continue;
    examples.add(truncate(short, EXAMPLE_CHARACTERS));
    if (examples.size === MAX_EXAMPLES) break;
  }
  return [...examples];
}
