import { createReadStream } from "node:fs";
import type { BulkFormat } from "../../client/index.ts";

const NEWLINE = 0x0a;
const QUOTE = 0x22;

export function countNewlines(bytes: Uint8Array): number {
  let lines = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) lines++;
  return lines;
}

/** The lines of a file. The last line may have no line break. */
export async function countLines(path: string): Promise<number> {
  let lines = 0;
  let last: number | undefined = NEWLINE;
  for await (const chunk of createReadStream(path)) {
    const bytes: Uint8Array = chunk;
    lines += countNewlines(bytes);
    last = bytes.at(-1);
  }
  return last === NEWLINE ? lines : lines + 1;
}

/** Counts the records of an export, part by part. */
export class LineCounter {
  readonly #format: BulkFormat;
  #lines = 0;
  #inQuotes = false;

  constructor(format: BulkFormat) {
    this.#format = format;
  }

  /** Returns the records so far. */
  add(bytes: Uint8Array): number {
    if (this.#format === "ndjson") {
      this.#lines += countNewlines(bytes);
      return this.#lines;
    }
    // In CSV, a line break in quotes is part of a cell, and the first row is the header.
    for (const byte of bytes) {
      if (byte === QUOTE) this.#inQuotes = !this.#inQuotes;
      else if (byte === NEWLINE && !this.#inQuotes) this.#lines++;
    }
    return Math.max(0, this.#lines - 1);
  }
}
