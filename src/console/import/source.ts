import type { BulkFormat, Json } from "../../client/index.ts";
import { truncate } from "../texts/format.ts";
import type { Target } from "./mapping.ts";

/** A column of the file; of NDJSON, a field that its objects have. */
export interface Column {
  readonly header: string;
  /** The first values that are there, as text. */
  readonly examples: readonly string[];
}

/** A row of the file, as it stands there. */
export interface Row {
  /** Where it stands, as a spreadsheet or an editor counts: from 1, the names of the columns included. */
  readonly number: number;
  /** The cells of a table; of NDJSON the line alone. */
  readonly cells: readonly string[];
  /** Where it ends is not certain. */
  readonly isAmbiguous?: boolean;
}

/** Some rows, and how many bytes of the file have been read with them. */
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

/** A file that users can be made of. What a column becomes is said by the target at the same place. */
export interface Source {
  readonly name: string;
  readonly size: number;
  readonly format: BulkFormat;
  readonly columns: readonly Column[];
  /** The first rows. */
  readonly sample: readonly Row[];
  /** Whether these are all. */
  readonly isComplete: boolean;
  /** Every row from the first on. Fails with a `FileFault` where the file cannot be read, after the rows before it. */
  read(): AsyncGenerator<Batch, void>;
  /** The user that a row describes, by field; undefined where the row cannot be told apart at all. */
  toRecord(row: Row, targets: readonly Target[]): ReadonlyMap<string, Json> | undefined;
  /** What is wrong with a row as a whole, so that it is not sent. */
  findRowError(row: Row): string | undefined;
  /** What is sent for these rows. */
  write(rows: readonly Row[], targets: readonly Target[]): string;
  /** The rows as they stood in the file, to be corrected and imported again. */
  writeFailed(failed: readonly FailedRow[]): string;
}

/** Of the sample: so many rows are looked at before an import, and the first of them shown. */
export const SAMPLE_ROWS = 1000;

const EXAMPLES = 3;
const EXAMPLE_CHARACTERS = 60;

/** A few values of a column, none of them long. */
export function pickExamples(values: Iterable<string>): string[] {
  const examples = new Set<string>();
  for (const value of values) {
    const short = value.trim();
    if (short === "") continue;
    examples.add(truncate(short, EXAMPLE_CHARACTERS));
    if (examples.size === EXAMPLES) break;
  }
  return [...examples];
}
