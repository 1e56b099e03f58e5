import { ByteBuffer } from "../../domain/byte-buffer.ts";
import type { Row } from "../../domain/imports.ts";
import { ProblemError } from "../../domain/problem-error.ts";

const NEWLINE = 0x0a;
/** How much is made into rows in one go: the event loop has other things to do. */
const BLOCK = 65_536;

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * The lines of a body, one JSON text each, some at a time. Empty lines are counted, and otherwise passed over. A line may
 * take `lineBytes` without its newline.
 */
export async function* parseNdjson(
  body: AsyncIterable<Uint8Array>,
  lineBytes: number,
): AsyncGenerator<Row[], void> {
  const lines = new Lines(lineBytes);
  for await (const chunk of body) {
    for (let start = 0; start < chunk.length; start += BLOCK) {
      const rows = lines.take(chunk.subarray(start, start + BLOCK));
      if (rows.length > 0) yield rows;
    }
  }
  const rows = lines.end();
  if (rows.length > 0) yield rows;
}

class Lines {
  readonly #most: number;
  #number = 0;
  /** The beginning of a line whose end has not come. What is over the limit need not be kept to be refused. */
  readonly #begun = new ByteBuffer();
  #begunBytes = 0;
  #rows: Row[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  /** The rows that these bytes bring to their end. */
  take(bytes: Uint8Array): Row[] {
    const first = bytes.indexOf(NEWLINE);
    if (first < 0) {
      this.#begin(bytes);
      return [];
    }
    const last = bytes.lastIndexOf(NEWLINE);
    this.#begin(bytes.subarray(0, first));
    this.#endLine();
    if (last > first) this.#wholeLines(bytes.subarray(first + 1, last));
    this.#begin(bytes.subarray(last + 1));
    return this.#taken();
  }

  /** The last line, if it lacks its newline. */
  end(): Row[] {
    if (this.#begunBytes > 0) this.#endLine();
    return this.#taken();
  }

  #taken(): Row[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  #begin(bytes: Uint8Array): void {
    this.#begunBytes += bytes.length;
    if (this.#begunBytes <= this.#most) this.#begun.add(bytes);
  }

  #endLine(): void {
    if (this.#begunBytes > this.#most) this.#refuse(tooLong(this.#most));
    else this.#line(decoded(this.#begun.bytes));
    this.#begun.clear();
    this.#begunBytes = 0;
  }

  #wholeLines(bytes: Uint8Array): void {
    const text = decoded(bytes);
    if (text !== undefined) for (const line of text.split("\n")) this.#line(line);
    else for (const line of splitBytes(bytes)) this.#line(decoded(line), line.length);
  }

  /** Undefined is a line that is no UTF-8. */
  #line(line: string | undefined, bytes = 0): void {
    // A character takes at most three bytes: most lines need no counting.
    const long =
      line === undefined
        ? bytes > this.#most
        : line.length * 3 > this.#most && Buffer.byteLength(line) > this.#most;
    if (long) this.#refuse(tooLong(this.#most));
    else if (line === undefined) this.#refuse(NOT_UTF8);
    else {
      this.#number++;
      // Also of a byte order mark: whoever puts files together puts one in the middle.
      const json = line.trim();
      if (json !== "") this.#rows.push({ line: this.#number, json });
    }
  }

  #refuse(problem: ProblemError["data"]): void {
    this.#number++;
    this.#rows.push({ line: this.#number, problem });
  }
}

const NOT_UTF8 = new ProblemError("malformed-json", "The line is not valid UTF-8.").data;

function tooLong(most: number): ProblemError["data"] {
  return new ProblemError("too-large", `The line is over ${most} bytes.`).data;
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
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
