import { readPath } from "../../domain/projection.ts";
import type { Screen } from "../command.ts";
import type { Column, Output } from "../flags/output-flag.ts";
import type { AnyRecord, RecordKind } from "../records/record-kind.ts";
import { pickColumns } from "./columns.ts";
import { JsonList } from "./json-list.ts";
import { formatRecordTable, RecordTable } from "./record-table.ts";

/** What `--output` and `--columns` say. */
export interface RecordOutput {
  readonly output: Output | undefined;
  readonly columns: readonly Column[] | undefined;
}

interface RecordsOutput extends RecordOutput {
  /** The fields that the service returns, if not all: without `columns`, these are the columns of tables and CSV. */
  readonly fields?: readonly Column[] | undefined;
}

/** Prints users or groups part by part. */
export class RecordPrinter {
  readonly #stdout: Screen;
  readonly #kind: RecordKind;
  readonly #output: Output;
  readonly #columns: readonly Column[] | undefined;
  readonly #table: RecordTable;
  readonly #json: JsonList;
  /** The columns that no record has had yet. */
  readonly #missing: Set<Column>;
  #csvStarted = false;
  /** Records that wait for the end: without `columns`, the head of CSV depends on all of them. */
  readonly #waiting: AnyRecord[] = [];

  constructor(stdout: Screen, kind: RecordKind, { output, columns: requested, fields }: RecordsOutput) {
    this.#stdout = stdout;
    this.#kind = kind;
    this.#output = output ?? (stdout.isTTY ? "table" : "ndjson");
    const columns = requested ?? (this.#output === "table" || this.#output === "csv" ? fields : undefined);
    this.#columns = columns;
    this.#table = new RecordTable(stdout, kind, columns);
    this.#json = new JsonList(this.#output === "json");
    this.#missing = new Set(columns);
  }

  async print(records: readonly AnyRecord[]): Promise<void> {
    for (const column of this.#missing) {
      if (records.some((record) => readPath(record, column) !== undefined)) this.#missing.delete(column);
    }
    if (this.#output === "csv" && !this.#columns) this.#waiting.push(...records);
    else await this.#write(await this.#format(records));
  }

  /** Prints the rest. Returns the requested columns that no record has. */
  async end(): Promise<string[]> {
    if (this.#waiting.length > 0) await this.#write(await this.#formatCsv(this.#waiting));
    await this.#write(this.#output === "json" ? this.#json.end() : "");
    return [...this.#missing].map((column) => column.join("."));
  }

  async #format(records: readonly AnyRecord[]): Promise<string> {
    switch (this.#output) {
      case "table":
        return records.length === 0 ? "" : this.#table.format(records);
      case "csv":
        return this.#formatCsv(records);
      default:
        return this.#json.add(records.map((record) => select(record, this.#columns)));
    }
  }

  async #formatCsv(records: readonly AnyRecord[]): Promise<string> {
    const { allColumns, formatCsv, formatCsvHead } = await import("./record-csv.ts");
    const columns = this.#columns ?? allColumns(this.#kind.fields, records);
    const head = this.#csvStarted ? "" : formatCsvHead(columns);
    this.#csvStarted = true;
    return head + formatCsv(this.#kind.fields, records, columns);
  }

  async #write(text: string): Promise<void> {
    if (text !== "" && !this.#stdout.write(text)) await this.#stdout.drained();
  }
}

/** Prints one record: as indented JSON on a terminal and on one line in a pipe, unless `output` says otherwise. */
export async function printRecord(
  stdout: Screen,
  kind: RecordKind,
  record: AnyRecord,
  { output, columns }: RecordOutput,
): Promise<void> {
  switch (output ?? (stdout.isTTY ? "json" : "ndjson")) {
    case "table":
      stdout.write(formatRecordTable(stdout, record, columns));
      break;
    case "csv": {
      const printer = new RecordPrinter(stdout, kind, { output: "csv", columns });
      await printer.print([record]);
      await printer.end();
      break;
    }
    case "json":
      stdout.write(`${JSON.stringify(select(record, columns), undefined, 2)}\n`);
      break;
    default:
      stdout.write(`${JSON.stringify(select(record, columns))}\n`);
  }
}

/** A record after a change. It is undefined if the key must not read it. */
interface ChangedRecord {
  readonly kind: RecordKind;
  readonly id: number;
  readonly record: AnyRecord | undefined;
}

/** Prints the record after a change. If the key must not read it, a terminal gets a line of text. */
export async function printChangedRecord(
  stdout: Screen,
  { kind, id, record }: ChangedRecord,
  options: RecordOutput,
): Promise<void> {
  const { one, many } = kind;
  if (record) await printRecord(stdout, kind, record, options);
  else if (stdout.isTTY && options.output === undefined) {
    const name = one.replace(/^./, (letter) => letter.toUpperCase());
    stdout.write(
      `${name} ${id} is saved. Your key lacks the scope ${many}:read, so the ${one} is not shown.\n`,
    );
  }
}

function select(record: AnyRecord, columns: readonly Column[] | undefined): unknown {
  return columns ? pickColumns(record, columns) : record;
}
