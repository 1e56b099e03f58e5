import { once } from "node:events";
import type { BulkFormat } from "../client/index.ts";
import { fieldsOfMatch, MORE_COLUMN } from "../contract/bulk/bulk.ts";
import { HeaderBuffer } from "../domain/csv/header-buffer.ts";
import { isObject } from "./sources/conversions.ts";

/** The service rejects longer lines. */
const MAX_LINE_LENGTH = 1_048_576;

/** Counts the lines with an id and without the field that finds their users: each creates a user, even if the user exists. */
export class UnmatchedLines {
  readonly #format: BulkFormat;
  readonly #match: string;
  /** The lines so far. */
  count = 0;

  constructor(format: BulkFormat, match: string) {
    this.#format = format;
    this.#match = match;
  }

  /** Passes the source on. */
  async *watch<Part extends Uint8Array | string>(source: AsyncIterable<Part>): AsyncGenerator<Part, void> {
    this.count = 0;
    if (this.#match === "id") return yield* source;
    const reader = this.#format === "ndjson" ? this.#readNdjson() : this.#readCsv();
    for await (const part of source) {
      await reader.add(typeof part === "string" ? Buffer.from(part) : part);
      yield part;
    }
    await reader.end();
  }

  #readNdjson(): LineReader {
    const decoder = new TextDecoder();
    let rest = "";
    const countLine = (line: string) => {
      if (line.includes('"id"') && this.#isUnmatched(parse(line))) this.count++;
    };
    return {
      add(bytes) {
        const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
        rest = lines.pop() ?? "";
        if (rest.length > MAX_LINE_LENGTH) rest = "";
        lines.forEach(countLine);
      },
      end: () => countLine(rest),
    };
  }

  #readCsv(): LineReader {
    const start = new HeaderBuffer();
    let parser: Awaited<ReturnType<typeof startParser>>;
    let columns: readonly string[] | undefined;
    let isDone = false;
    const onRow = (cells: string[]) => {
      if (columns) this.#countRow(columns, cells);
      else columns = cells.map((name) => toField(name.trim()));
    };
    return {
      async add(bytes) {
        if (isDone) return;
        if (parser) parser.write(bytes);
        else {
          start.add(bytes);
          if (start.isComplete) parser = await startParser(start, onRow);
          isDone = !parser && (start.isComplete || start.bytes.length > MAX_LINE_LENGTH);
        }
        isDone ||= Boolean(parser?.errored);
      },
      async end() {
        if (isDone || !parser) return;
        const ended = once(parser, "finish");
        parser.end();
        // The service reports an error of the last row.
        await ended.catch(() => undefined);
      },
    };
  }

  #countRow(columns: readonly string[], cells: readonly string[]): void {
    const user = Object.fromEntries(columns.map((name, index) => [name, cells[index] ?? ""]));
    const more = parse(user[MORE_COLUMN] ?? "");
    if (this.#isUnmatched({ ...(isObject(more) && more), ...user })) this.count++;
  }

  #isUnmatched(user: unknown): boolean {
    if (!isObject(user) || !hasValue(user.id)) return false;
    return fieldsOfMatch(this.#match).every((field) => !hasValue(user[field]));
  }
}

interface LineReader {
  add(bytes: Uint8Array): void | Promise<void>;
  /** Reads the last line, if it has no line break. */
  end(): void | Promise<void>;
}

/** Parses the rows so far. Undefined if the header names no ids: there is nothing to count, and no parser to load. */
async function startParser(start: HeaderBuffer, onRow: (cells: string[]) => void) {
  if (!/\bid\b/.test(new TextDecoder().decode(start.header))) return undefined;
  const { openCsvParser } = await import("../domain/csv/open-parser.ts");
  const parser = openCsvParser(start.header, MAX_LINE_LENGTH, onRow);
  parser.write(start.bytes);
  return parser;
}

function hasValue(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

/** `EMAIL` means email. */
function toField(column: string): string {
  return column.toLowerCase() === "email" ? "email" : column;
}

/** Returns undefined if the text is not JSON: the service reports it. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
