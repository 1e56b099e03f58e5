import { ConfigError } from "../../config/config.ts";
import { parseTextCell } from "../../domain/csv/cells.ts";
import { readCells } from "../../domain/csv/open-parser.ts";
import { isObject } from "./conversions.ts";
import type { SourceRecord } from "./source.ts";

const BATCH_ROWS = 100;

/**
 * Yields the rows of a CSV export, in batches. The first row names the columns, unless `columns` does. A name with dots, such as
 * `user_metadata.country`, is a path. Throws a `ConfigError` if the CSV is malformed.
 */
export async function* readCsvRecords(
  source: AsyncIterable<Uint8Array>,
  columns?: readonly string[],
): AsyncGenerator<SourceRecord[], void> {
  let names = columns;
  let records: SourceRecord[] = [];
  try {
    for await (const cells of readCells(source)) {
      if (names) records.push(toRecord(names, cells));
      else names = cells.map((cell) => parseTextCell(cell).trim());
      if (records.length < BATCH_ROWS) continue;
      yield records;
      records = [];
    }
  } catch (error) {
    if (error instanceof Error && "code" in error && String(error.code).startsWith("CSV_"))
      throw new ConfigError(`The CSV is malformed: ${error.message}`);
    throw error;
  }
  if (records.length > 0) yield records;
}

function toRecord(names: readonly string[], cells: readonly string[]): SourceRecord {
  const record: Record<string, unknown> = {};
  cells.forEach((cell, index) => {
    const column = names[index] ?? "";
    const [first = "", ...rest] = column.split(".");
    if (first === "") return;
    // An object has no members without a value.
    if (cell === "") {
      record[column] = "";
      return;
    }
    // Auth0 puts an apostrophe in front of text, so that no spreadsheet runs it as a formula.
    const text = cell.startsWith("'") ? cell.slice(1) : cell;
    if (rest.length === 0) record[first] = text;
    else {
      const object = record[first];
      record[first] = { ...(isObject(object) && object), [rest.join(".")]: text };
    }
  });
  return record;
}
