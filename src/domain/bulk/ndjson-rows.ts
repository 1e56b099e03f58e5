import { isUtf8 } from "node:buffer";
import { ByteBuffer } from "../byte-buffer.ts";
import type { Row } from "../import-row.ts";
import type { ProblemData } from "../problem-error.ts";
import { loopShare } from "../scheduling/loop-share.ts";

const NEWLINE = 0x0a;
/** The most bytes that are split into rows at once. Even if each line is empty or invalid, that takes two milliseconds. */
const BLOCK_BYTES = 8192;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Splits a body into lines of one JSON text each. Empty lines are counted, and otherwise ignored. A line may have
 * `maxLineBytes`, without its newline.
 */
export async function* readNdjsonRows(
  body: AsyncIterable<Uint8Array>,
  maxLineBytes: number,
): AsyncGenerator<Row[], void> {
  const lines = new LineSplitter(maxLineBytes);
  for await (const chunk of body) {
    for (let start = 0; start < chunk.length; start += BLOCK_BYTES) {
      if (loopShare.isSpent) await loopShare.nextTurn();
      const rows = lines.add(chunk.subarray(start, start + BLOCK_BYTES));
      if (rows.length > 0) yield rows;
    }
  }
  const rows = lines.end();
  if (rows.length > 0) yield rows;
}

class LineSplitter {
  readonly #maxLineBytes: number;
  #lineNumber = 0;
  /** The start of a line that is not complete. Of a line that is too long, the rest is only counted. */
  readonly #partial = new ByteBuffer();
  #partialBytes = 0;
  #rows: Row[] = [];

  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes;
  }

  /** Adds bytes, and returns the rows that they complete. */
  add(bytes: Uint8Array): Row[] {
    const first = bytes.indexOf(NEWLINE);
    if (first < 0) {
      this.#addPartial(bytes);
      return [];
    }
    const last = bytes.lastIndexOf(NEWLINE);
    this.#addPartial(bytes.subarray(0, first));
    this.#endLine();
    if (last > first) this.#splitLines(bytes.subarray(first + 1, last));
    this.#addPartial(bytes.subarray(last + 1));
    return this.#takeRows();
  }

  /** Returns the last row, if it has no newline. */
  end(): Row[] {
    if (this.#partialBytes > 0) this.#endLine();
    return this.#takeRows();
  }

  #takeRows(): Row[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  #addPartial(bytes: Uint8Array): void {
    this.#partialBytes += bytes.length;
    if (this.#partialBytes <= this.#maxLineBytes) this.#partial.add(bytes);
  }

  #endLine(): void {
    if (this.#partialBytes > this.#maxLineBytes) this.#addProblem(tooLong(this.#maxLineBytes));
    else this.#addLine(decodeUtf8(this.#partial.bytes));
    this.#partial.clear();
    this.#partialBytes = 0;
  }

  #splitLines(bytes: Uint8Array): void {
    const text = decodeUtf8(bytes);
    if (text !== undefined) for (const line of text.split("\n")) this.#addLine(line);
    else for (const line of splitBytes(bytes)) this.#addLine(decodeUtf8(line), line.length);
  }

  /** `line` is undefined if the bytes are not UTF-8. */
  #addLine(line: string | undefined, bytes = 0): void {
    // A UTF-16 code unit takes at most three bytes: most lines need no counting.
    const isTooLong =
      line === undefined
        ? bytes > this.#maxLineBytes
        : line.length * 3 > this.#maxLineBytes && Buffer.byteLength(line) > this.#maxLineBytes;
    if (isTooLong) this.#addProblem(tooLong(this.#maxLineBytes));
    else if (line === undefined) this.#addProblem(NOT_UTF8);
    else {
      this.#lineNumber++;
      // Also removes byte order marks: concatenated files may have one in the middle.
      const json = line.trim();
      if (json !== "") this.#rows.push({ line: this.#lineNumber, json });
    }
  }

  #addProblem(problem: ProblemData): void {
    this.#lineNumber++;
    this.#rows.push({ line: this.#lineNumber, problem });
  }
}

const NOT_UTF8: ProblemData = { type: "malformed-json", detail: "The line is not valid UTF-8." };

function tooLong(maxLineBytes: number): ProblemData {
  return { type: "too-large", detail: `The line is larger than ${maxLineBytes} bytes.` };
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  return isUtf8(bytes) ? decoder.decode(bytes) : undefined;
}

function splitBytes(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return [...lines, bytes.subarray(start)];
}
