import type { Json } from "../../client/index.ts";
import { readPath } from "../../domain/projection.ts";
import type { Screen } from "../command.ts";
import type { Column } from "../flags/output-flag.ts";
import type { AnyRecord, RecordKind } from "../records/record-kind.ts";
import { paint } from "./colour.ts";
import { printable } from "./printable.ts";
import { terminalWidth } from "./screen-width.ts";
import { Table } from "./table.ts";

const MAX_CUSTOM_COLUMNS = 4;
const MAX_CELL_WIDTH = 40;
/** Spaces between two columns. */
const GAP = 2;

/** A table of users or groups. The first ones decide the columns, unless `columns` does. */
export class RecordTable {
  readonly #stdout: Screen;
  readonly #kind: RecordKind;
  #columns: readonly Column[] | undefined;
  #table: Table | undefined;

  constructor(stdout: Screen, kind: RecordKind, columns: readonly Column[] | undefined) {
    this.#stdout = stdout;
    this.#kind = kind;
    this.#columns = columns;
  }

  /** The rows of these records; with the head, if they are the first. */
  format(records: readonly AnyRecord[]): string {
    const terminal = terminalWidth(this.#stdout);
    const columns = this.#columns ?? chooseColumns(this.#kind, records, terminal);
    this.#columns = columns;
    const rows = toRows(this.#kind, records, columns, this.#stdout.isTTY);
    this.#table ??= new Table(
      columns.map(columnTitle),
      rows,
      terminal,
      rightAligned(this.#kind, columns),
      (line) => paint(this.#stdout, "dim", line),
    );
    return this.#table.format(rows);
  }
}

/** One record as a table: a line for each field. */
export function formatRecordTable(stdout: Screen, record: AnyRecord, columns?: readonly Column[]): string {
  const rows = (columns ?? Object.keys(record).map((field) => [field])).map((column) => [
    column.join("."),
    formatValue(readPath(record, column)),
  ]);
  return new Table(["FIELD", "VALUE"], rows, terminalWidth(stdout), [], (line) =>
    paint(stdout, "dim", line),
  ).format(rows);
}

function chooseColumns(kind: RecordKind, records: readonly AnyRecord[], terminal: number): Column[] {
  const custom = customColumns(kind, records);
  const more = [...custom, "updatedAt"];
  // Drop other columns rather than break names and emails: custom fields first.
  for (;;) {
    const columns = [...kind.mainColumns, ...more].map((field) => [field]);
    const lines = [columns.map(columnTitle), ...toRows(kind, records, columns, true)];
    if (more.length === 0 || tableWidth(lines) <= terminal) return columns;
    more.splice(Math.max(0, more.length - 2), 1);
  }
}

function toRows(
  { fields }: RecordKind,
  records: readonly AnyRecord[],
  columns: readonly Column[],
  isTTY: boolean,
): string[][] {
  return records.map((record) =>
    columns.map((column) => {
      const [field = ""] = column;
      const text = formatValue(readPath(record, column));
      if (fields.typeOf(field) === "time") return text.replace(/^(.{10})T(.{5}).*$/, "$1 $2");
      return isTTY ? Bun.sliceAnsi(text, 0, MAX_CELL_WIDTH, "…") : text;
    }),
  );
}

function columnTitle(column: Column): string {
  const title = printable(
    column
      .join(".")
      .replace(/^(created|updated)At$/, "$1")
      .replace(/^memberCount$/, "members"),
  ).toUpperCase();
  return Bun.sliceAnsi(title, 0, MAX_CELL_WIDTH, "…");
}

function rightAligned({ fields }: RecordKind, columns: readonly Column[]): number[] {
  return columns.flatMap((column, index) => (fields.typeOf(column.join(".")) === "number" ? [index] : []));
}

function formatValue(value: Json | undefined): string {
  return printable(value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value));
}

function tableWidth(lines: readonly string[][]): number {
  const columns = (lines[0] ?? []).map((_, column) =>
    lines.map((line) => Bun.stringWidth(line[column] ?? "")),
  );
  return columns.reduce((sum, widths) => sum + GAP + widths.reduce((a, b) => Math.max(a, b), 0), -GAP);
}

/** The most common custom fields, and others that are stored like them. What SCIM sends is too long for a table. */
function customColumns({ fields }: RecordKind, records: readonly AnyRecord[]): string[] {
  const counts = new Map<string, number>();
  for (const record of records) {
    for (const field of Object.keys(record))
      if (fields.isStoredAsCustom(field) && fields.typeOf(field) !== "object")
        counts.set(field, (counts.get(field) ?? 0) + 1);
  }
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, MAX_CUSTOM_COLUMNS)
    .map(([field]) => field);
}
