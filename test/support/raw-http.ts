import { connect } from "node:net";

/** One answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number;
  /** Names in lower case, in the order sent, repeated ones included. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

export interface RawOutcome {
  readonly answers: readonly RawAnswer[];
  /** The service closed the connection; otherwise it was we who did, having all the answers that were waited for. */
  readonly closed: boolean;
}

export interface RawOptions {
  /** How many answers to wait for before closing; `close` waits for the service to close. */
  readonly until?: number | "close";
  /** Sends no more after the bytes, and says so (FIN), as a caller does that goes away. */
  readonly hangUp?: boolean;
  /** The first request is a HEAD: its answer has a Content-Length and no body. */
  readonly head?: boolean;
  readonly withinMs?: number;
}

/** Text stands for its UTF-8 bytes; what is to be no UTF-8 is given as bytes. */
export type Piece = string | Uint8Array;

/** Sends exactly these bytes over a connection of their own. Fails when what is waited for does not come in time. */
export function sendRaw(
  url: string,
  pieces: readonly Piece[],
  options: RawOptions = {},
): Promise<RawOutcome> {
  const { until = 1, hangUp = false, head = false, withinMs = 5000 } = options;
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const received = () => parseAnswers(Buffer.concat(chunks), head);
    const finish = (closed: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ answers: received(), closed });
    };
    const timer = setTimeout(() => {
      const got = Buffer.concat(chunks).toString("latin1").slice(0, 300);
      socket.destroy();
      reject(new Error(`After ${withinMs} ms there was no end to the answer: ${JSON.stringify(got)}`));
    }, withinMs);
    socket.on("data", (chunk) => {
      chunks.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
      if (until !== "close" && received().length >= until) finish(false);
    });
    socket.on("end", () => finish(true));
    // A service that closes while bytes are still on their way to it resets the connection: closed is closed.
    socket.on("error", () => finish(true));
    for (const piece of pieces) socket.write(piece);
    if (hangUp) socket.end();
  });
}

/** The complete answers at the start of the bytes. An answer that says nothing of its length goes on to the end. */
function parseAnswers(bytes: Buffer, head: boolean): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = bytes;
  for (;;) {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) return answers;
    const [first = "", ...lines] = rest.subarray(0, end).toString("latin1").split("\r\n");
    const status = Number(/^HTTP\/1\.1 (\d{3})(?: |$)/.exec(first)?.[1]);
    const headers = lines.map((line): [string, string] => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    });
    const header = (name: string) => headers.find(([each]) => each === name)?.[1];
    rest = rest.subarray(end + 4);
    let body: Buffer = Buffer.alloc(0);
    if (!(head && answers.length === 0) && status >= 200 && status !== 204 && status !== 304) {
      const length = header("content-length");
      const part = header("transfer-encoding") === "chunked" ? unchunk(rest) : upTo(rest, length);
      if (!part) return answers;
      [body, rest] = part;
    }
    answers.push({ status, headers, body: body.toString("utf8") });
  }
}

type Split = [body: Buffer, rest: Buffer];

function upTo(bytes: Buffer, length: string | undefined): Split | undefined {
  const end = length === undefined ? bytes.length : Number(length);
  return bytes.length < end ? undefined : [Buffer.from(bytes.subarray(0, end)), bytes.subarray(end)];
}

function unchunk(bytes: Buffer): Split | undefined {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const line = bytes.indexOf("\r\n", at);
    if (line < 0) return undefined;
    const size = Number.parseInt(bytes.toString("latin1", at, line), 16);
    const end = line + 2 + size;
    if (bytes.length < end + 2) return undefined;
    if (size === 0) return [Buffer.concat(parts), bytes.subarray(end + 2)];
    parts.push(bytes.subarray(line + 2, end));
    at = end + 2;
  }
}
