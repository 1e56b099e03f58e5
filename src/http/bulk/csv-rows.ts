import { parse } from "csv-parse";
import {
  credentialFields,
  FIELD_NAME,
  hazardousNames,
  type Json,
  managedFields,
} from "../../contract/user.ts";
import { fromCell, fromPlainCell } from "../../domain/cells.ts";
import { Faults } from "../../domain/faults.ts";
import type { Row } from "../../domain/imports.ts";
import { Refusal } from "../../domain/refusal.ts";

/** How much is made into rows in one go: the event loop has other things to do. */
const BLOCK = 65_536;
/** A row beyond this has an opening quote that nothing closes: nothing after it can be told apart. */
const LONGEST_ROW = 1_048_576;
const delimiters = [",", ";", "\t"] as const;

type Columns = readonly (string | undefined)[];
interface Parsed {
  readonly record: string[];
  /** Where the row has ended. */
  readonly info: { readonly lines: number; readonly bytes: number };
}

/**
 * The rows of a table (RFC 4180; with semicolons or tabs, too), some at a time, each as the JSON of a user. The first one
 * names the fields. Fails with `malformed-json` or `invalid-user` where the table as a whole cannot be read.
 */
export async function* csvRows(
  body: AsyncIterable<Uint8Array>,
  rowBytes: number,
): AsyncGenerator<Row[], void> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let table: Table | undefined;
  let head = "";
  for await (const chunk of body) {
    for (let start = 0; start < chunk.length; start += BLOCK) {
      const text = decode(decoder, chunk.subarray(start, start + BLOCK));
      if (table) yield table.take(text);
      else {
        head += text;
        const end = endOfRow(head);
        if (end < 0 && head.length <= rowBytes) continue;
        table = new Table(delimiterOf(head.slice(0, end < 0 ? undefined : end)), rowBytes);
        yield table.take(head);
      }
    }
  }
  const last = decode(decoder);
  table ??= new Table(delimiterOf(head), rowBytes);
  yield [...table.take(head === "" || table.begun ? last : head + last), ...(await table.end())];
}

class Table {
  readonly #parser;
  readonly #rowBytes: number;
  #columns: Columns | undefined;
  #taken = 0;
  #ended = 0;
  #lines = 0;

  constructor(delimiter: string, rowBytes: number) {
    this.#rowBytes = rowBytes;
    this.#parser = parse({
      bom: true,
      delimiter,
      info: true,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
    });
    // Whatever it cannot read is told by `end`.
    this.#parser.on("error", () => undefined);
  }

  get begun(): boolean {
    return this.#taken > 0;
  }

  /** The rows that this text brings to their end. */
  take(text: string): Row[] {
    this.#taken += Buffer.byteLength(text);
    this.#parser.write(text);
    const rows = this.#read();
    if (this.#taken - this.#ended > LONGEST_ROW) throw unclosed(this.#lines + 1);
    return rows;
  }

  async end(): Promise<Row[]> {
    const { promise, resolve, reject } = Promise.withResolvers<Row[]>();
    this.#parser.once("error", () => reject(unclosed(this.#lines + 1)));
    this.#parser.once("end", () => resolve(rows));
    const rows: Row[] = [];
    this.#parser.on("readable", () => rows.push(...this.#read()));
    this.#parser.end();
    rows.push(...this.#read());
    const last = await promise;
    if (!this.#columns)
      throw new Refusal("malformed-json", "The table is empty: its first row names the fields.");
    return last;
  }

  #read(): Row[] {
    const rows: Row[] = [];
    for (;;) {
      const parsed: Parsed | null = this.#parser.read();
      if (parsed === null) return rows;
      const { record, info } = parsed;
      const inside = record.reduce((sum, cell) => sum + newlinesIn(cell), 0);
      const bytes = info.bytes - this.#ended;
      this.#ended = info.bytes;
      this.#lines = info.lines;
      if (this.#columns) rows.push(this.#row(this.#columns, record, info.lines - inside, bytes));
      else this.#columns = columnsOf(record);
    }
  }

  #row(columns: Columns, cells: readonly string[], line: number, bytes: number): Row {
    if (bytes > this.#rowBytes) {
      return { line, refusal: new Refusal("too-large", `The row is over ${this.#rowBytes} bytes.`).data };
    }
    if (cells.length > columns.length && cells.slice(columns.length).some((cell) => cell !== "")) {
      const detail = `The row has ${cells.length} cells, and the first row names ${columns.length}.`;
      return { line, refusal: new Refusal("invalid-user", detail, [{ pointer: "", detail }]).data };
    }
    const user: { [field: string]: Json } = {};
    columns.forEach((field, index) => {
      const cell = cells[index] ?? "";
      if (field === undefined || cell === "") return;
      const value = field === "name" || field === "email" ? fromPlainCell(cell) : fromCell(cell);
      if (value !== undefined) user[field] = value;
    });
    return { line, json: JSON.stringify(user) };
  }
}

const fieldName = new RegExp(FIELD_NAME);
const managed = new Set<string>(managedFields);
const refused = new Set<string>([...credentialFields, ...hazardousNames]);

/** The field of each column; those that only the service writes are passed over, as in any other body. */
function columnsOf(names: readonly string[]): Columns {
  const faults = new Faults();
  const columns = names.map((name) => {
    const trimmed = name.trim();
    const lower = trimmed.toLowerCase();
    return lower === "name" || lower === "email" ? lower : trimmed;
  });
  columns.forEach((field, index) => {
    const pointer = `/${field.slice(0, 64)}`;
    if (columns.indexOf(field) < index) faults.add(pointer, "Two columns have this name.");
    else if (refused.has(field)) faults.add(pointer, "This cannot be a field: leave the column out.");
    else if (!fieldName.test(field)) {
      faults.add(
        pointer,
        "A field's name is a letter, then up to 63 letters, digits or underscores: rename the column.",
      );
    }
  });
  if (!columns.includes("name"))
    faults.add("/name", "The first row names the fields, and one has to be name.");
  faults.refuse("invalid-user");
  return columns.map((field) => (managed.has(field) ? undefined : field));
}

/** Where the first row ends; -1 where it does not. */
function endOfRow(text: string): number {
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (character === '"') quoted = !quoted;
    else if (!quoted && (character === "\n" || character === "\r")) return i;
  }
  return -1;
}

/** What stands between the cells of the first row most often. */
function delimiterOf(row: string): string {
  const bare = row.replace(/"[^"]*"/g, "");
  const counts = delimiters.map((delimiter) => bare.split(delimiter).length);
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ",";
}

function decode(decoder: TextDecoder, bytes?: Uint8Array): string {
  try {
    return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode();
  } catch {
    throw new Refusal(
      "malformed-json",
      "The table is not in UTF-8: save it as CSV UTF-8, and send it again.",
    );
  }
}

function unclosed(line: number): Refusal {
  return new Refusal("malformed-json", `A quote that opens on line ${line} or after it is never closed.`);
}

function newlinesIn(cell: string): number {
  return cell.includes("\n") ? cell.split("\n").length - 1 : 0;
}
