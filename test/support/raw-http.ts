import { connect } from "node:net";

/** One response, as received. */
export interface RawResponse {
  readonly status: number;
  /** Names in lower case, in the order sent, repeated ones included. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

export interface RawOutcome {
  readonly responses: readonly RawResponse[];
  /** True if the service closed the connection; false if the test closed it after the expected responses. */
  readonly closed: boolean;
}

export interface RawOptions {
  /** The number of responses to wait for before closing; `close` waits for the service to close. */
  readonly until?: number | "close";
  /** Half-closes the connection (FIN) after sending. */
  readonly hangUp?: boolean;
  /** The first request is a HEAD: its response has a Content-Length and no body. */
  readonly head?: boolean;
  readonly withinMs?: number;
}

/** Text is sent as UTF-8. Pass bytes for anything else. */
export type Piece = string | Uint8Array;

/** Sends exactly these bytes over a new connection. Fails if the expected responses do not arrive in time. */
export function sendRaw(
  url: string,
  pieces: readonly Piece[],
  options: RawOptions = {},
): Promise<RawOutcome> {
  const { until = 1, hangUp = false, head = false, withinMs = 60_000 } = options;
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const received = () => parseResponses(Buffer.concat(chunks), head);
    const finish = (closed: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ responses: received(), closed });
    };
    const timer = setTimeout(() => {
      const got = Buffer.concat(chunks).toString("latin1").slice(0, 300);
      socket.destroy();
      reject(new Error(`No complete response after ${withinMs} ms: ${JSON.stringify(got)}`));
    }, withinMs);
    socket.on("data", (chunk) => {
      chunks.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
      if (until !== "close" && received().length >= until) finish(false);
    });
    socket.on("end", () => finish(true));
    // Closing with unread bytes resets the connection. A reset counts as closed.
    socket.on("error", () => finish(true));
    for (const piece of pieces) socket.write(piece);
    if (hangUp) socket.end();
  });
}

/** Parses the complete responses. A response without a length extends to the end of the bytes. */
function parseResponses(bytes: Buffer, head: boolean): RawResponse[] {
  const responses: RawResponse[] = [];
  let rest = bytes;
  for (;;) {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) return responses;
    const [first = "", ...lines] = rest.subarray(0, end).toString("latin1").split("\r\n");
    const status = Number(/^HTTP\/1\.1 (\d{3})(?: |$)/.exec(first)?.[1]);
    const headers = lines.map((line): [string, string] => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    });
    const header = (name: string) => headers.find(([each]) => each === name)?.[1];
    rest = rest.subarray(end + 4);
    let body: Buffer = Buffer.alloc(0);
    if (!(head && responses.length === 0) && status >= 200 && status !== 204 && status !== 304) {
      const length = header("content-length");
      const part = header("transfer-encoding") === "chunked" ? unchunk(rest) : upTo(rest, length);
      if (!part) return responses;
      [body, rest] = part;
    }
    responses.push({ status, headers, body: body.toString("utf8") });
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
