import type { BulkFormat, ImportOptions } from "../../contract/bulk/bulk.ts";
import type { ImportedRecord, LineResult } from "../import-row.ts";
import type { ListQuery } from "../lists/listing.ts";
import type { Meter } from "../meter.ts";
import { type ExportedRecords, exportRecords } from "./exports.ts";
import type { ImportRequest, ImportRunner, ImportStore } from "./import-runner.ts";
import type { RowOutcome } from "./imports.ts";
import type { RowReader } from "./row-reader.ts";

interface RecordStore<Column extends string> extends ImportStore<ImportOptions, ImportedRecord> {
  list: ExportedRecords<Column>["list"];
  /** The size of each of these records, in bytes of JSON. Records that do not exist are left out. */
  measure(ids: readonly number[]): Promise<ReadonlyMap<number, number>>;
}

/** How records of one kind are imported and exported. */
export interface ImportExportParts<Column extends string> {
  readonly store: RecordStore<Column>;
  readonly runner: ImportRunner;
  /** Reads rows as the options say. Returns undefined if records cannot be found by the field of `match`. */
  createRowReader(format: BulkFormat, options: ImportOptions): Promise<RowReader | undefined>;
  /** What tells an import with these options from others with the same rows and the same idempotency key. */
  variantOf(options: ImportOptions): string;
}

/** Imports and exports records of one kind. Methods throw a `ProblemError` if they fail. */
export class ImportExport<Column extends string> {
  readonly #parts: ImportExportParts<Column>;

  constructor(parts: ImportExportParts<Column>) {
    this.#parts = parts;
  }

  /** Every record that matches the query, in order. Ends early when the signal aborts. */
  export(
    format: BulkFormat,
    query: ListQuery<Column>,
    signal: AbortSignal,
    meter?: Meter,
  ): AsyncGenerator<Uint8Array, void> {
    return exportRecords(this.#parts.store, format, query, signal, meter);
  }

  createRowReader(format: BulkFormat, options: ImportOptions): Promise<RowReader | undefined> {
    return this.#parts.createRowReader(format, options);
  }

  /** Creates or updates a record for each row, or yields the outcomes that this would have now. */
  import(
    request: ImportRequest,
    options: ImportOptions,
    dryRun: boolean,
  ): AsyncGenerator<RowOutcome<ImportedRecord>[], void> {
    const { store, runner, variantOf } = this.#parts;
    const work = { store, options, dryRun, variant: variantOf(options) };
    if (options.onConflict !== "update") return runner.run(request, work);
    /** An update writes the whole record, however short its row is. */
    const countWritten = async (results: readonly LineResult<ImportedRecord>[]) => {
      const ids = results.flatMap((line) => ("created" in line && !line.created ? (line.id ?? []) : []));
      const sizes = ids.length > 0 ? await store.measure(ids) : new Map<number, number>();
      return sizes.values().reduce((sum, size) => sum + size, 0);
    };
    return runner.run(request, { ...work, countWritten });
  }
}
