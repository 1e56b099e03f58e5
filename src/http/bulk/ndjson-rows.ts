import type { Row } from "../../domain/imports.ts";
import { Refusal } from "../../domain/refusal.ts";

const NEWLINE = 0x0a;
/** How much is made into rows in one go: the event loop has other things to do. */
const BLOCK = 65_536;
const BYTE_ORDER_MARK = "\ufeff";

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The lines of a body, one JSON text each, some at a time. Empty lines are counted, and otherwise passed over. */
export async function* ndjsonRows(
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
  #number = 0;
  /** The beginning of a line whose end has not come. */
  #begun: Uint8Array[] = [];
  #begunBytes = 0;
  /** Whether the line that has begun is too long, so that the rest of it is passed over. */
  #passing = false;

  constructor(readonly most: number) {}

  /** The rows that these bytes bring to their end. */
  take(bytes: Uint8Array): Row[] {
    const end = bytes.lastIndexOf(NEWLINE);
    if (end < 0) {
      this.#begin(bytes);
      return [];
    }
    const whole = Buffer.concat([...this.#begun, bytes.subarray(0, end)]);
    const rows = this.#rows(whole);
    this.#begun = [];
    this.#begunBytes = 0;
    this.#passing = false;
    this.#begin(bytes.subarray(end + 1));
    return rows;
  }

  /** The last line, if it lacks its newline. */
  end(): Row[] {
    if (this.#begunBytes === 0) return [];
    return this.#rows(Buffer.concat(this.#begun));
  }

  #begin(bytes: Uint8Array): void {
    this.#begunBytes += bytes.length;
    // What is over the limit already need not be kept to be refused.
    if (this.#begunBytes > this.most) this.#passing = true;
    if (!this.#passing && bytes.length > 0) this.#begun.push(bytes.slice());
  }

  #rows(bytes: Uint8Array): Row[] {
    const rows: Row[] = [];
    let rest = bytes;
    if (this.#passing) {
      this.#number++;
      rows.push({ line: this.#number, refusal: tooLong(this.most) });
      const next = bytes.indexOf(NEWLINE);
      if (next < 0) return rows;
      rest = bytes.subarray(next + 1);
    }
    const text = decoded(rest);
    const lines = text === undefined ? splitBytes(rest).map(decoded) : text.split("\n");
    for (const line of lines) {
      this.#number++;
      const row = line === undefined ? NOT_UTF8 : this.#row(line);
      if (row) rows.push({ line: this.#number, ...row });
    }
    return rows;
  }

  #row(line: string): { json: string } | { refusal: Refusal["data"] } | undefined {
    const text = this.#number === 1 && line.startsWith(BYTE_ORDER_MARK) ? line.slice(1) : line;
    const json = text.trim();
    if (json === "") return undefined;
    // A character takes at most three bytes: most lines need no counting.
    const long = json.length * 3 > this.most && Buffer.byteLength(json) > this.most;
    return long ? { refusal: tooLong(this.most) } : { json };
  }
}

const NOT_UTF8 = { refusal: new Refusal("malformed-json", "The line is not valid UTF-8.").data };

function tooLong(most: number): Refusal["data"] {
  return new Refusal("too-large", `The line is over ${most} bytes.`).data;
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
