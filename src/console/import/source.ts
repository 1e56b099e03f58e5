import type { BulkFormat, Json } from "../../client/index.ts";
import type { ColumnProfile } from "./column-profile.ts";
import type { Encoding, TextFile } from "./file-text.ts";
import type { ImportKind } from "./import-kinds.ts";
import type { Target } from "./mapping.ts";

/** A column of a CSV file, or a field of JSON objects. */
export interface Column {
  readonly header: string;
  /** The first different values, as text. */
  readonly examples: ReadonlySet<string>;
  /** What the values can be read as. Absent for a column that the service reads. */
  readonly profile?: ColumnProfile;
  /** The types that the values have in a JSON file, without null. */
  readonly types?: ReadonlySet<string>;
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

/** One thing that is wrong with a row. */
export interface RowError {
  /** What the errors of this kind have in common: without the value. */
  readonly kind: string;
  readonly reason: string;
  /** Undefined: the whole row. */
  readonly field?: string | undefined;
  readonly value?: string | undefined;
}

/** A row that can't be imported, and why. */
export interface FailedRow {
  readonly row: Row;
  readonly errors: readonly RowError[];
}

/** `json`: a JSON array, or a JSON object over several lines. */
export type SourceKind = "csv" | "ndjson" | "json";

/** A file to import. `targets[i]` says what `columns[i]` becomes. */
export interface Source {
  readonly name: string;
  readonly size: number;
  /** When the file was last changed, in milliseconds. */
  readonly modified: number;
  readonly encoding: Encoding;
  readonly kind: SourceKind;
  /** What separates the cells of a CSV file. */
  readonly delimiter?: string;
  /** The format of request bodies. */
  readonly format: BulkFormat;
  readonly columns: readonly Column[];
  /** How many rows the file has. */
  readonly rowCount: number;
  /** The first rows. */
  readonly firstRows: readonly Row[];
  /** All rows. Throws a `FileError` where the file can't be read, after the rows before it. */
  read(): AsyncGenerator<Batch, void>;
  /** The values of a row by field. Undefined if the row can't be parsed. */
  toRecord(row: Row, targets: readonly Target[]): ReadonlyMap<string, Json> | undefined;
  /** Why a row can't be sent. The service finds all other errors. */
  findErrors(row: Row, targets: readonly Target[]): readonly RowError[];
  /** The request body for these rows. `isFirst`: the body begins with them. */
  write(rows: readonly Row[], targets: readonly Target[], isFirst?: boolean, kind?: ImportKind): string;
  /** A file with the original rows, to correct and import again. */
  writeFailed(failed: readonly FailedRow[]): string;
}

/** What the rows of a file tell about it. */
export interface Contents {
  readonly columns: readonly Column[];
  readonly rowCount: number;
  readonly firstRows: readonly Row[];
}

/** What every source knows of its file. */
export abstract class FileSource {
  readonly name: string;
  readonly size: number;
  readonly modified: number;
  readonly encoding: Encoding;
  readonly columns: readonly Column[];
  readonly rowCount: number;
  readonly firstRows: readonly Row[];

  constructor(
    protected readonly file: TextFile,
    { columns, rowCount, firstRows }: Contents,
  ) {
    this.name = file.name;
    this.size = file.size;
    this.modified = file.modified;
    this.encoding = file.encoding;
    this.columns = columns;
    this.rowCount = rowCount;
    this.firstRows = firstRows;
  }
}

/** How a file is opened. */
export interface OpenOptions {
  /** Called with the bytes that are read. */
  readonly onProgress?: ((bytes: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Rows that the preview shows. */
export const FIRST_ROWS = 20;
/** More columns are not practical to map. */
export const MAX_COLUMNS = 500;
