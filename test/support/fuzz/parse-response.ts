/** A response, as received. */
export interface FuzzResponse {
  readonly status: number;
  /** Names in lower case, in the order sent. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  /** Whether the body has no length, and ends with the connection. It may be incomplete. */
  readonly endsWithConnection: boolean;
}

type Parsed = { readonly response: FuzzResponse; readonly end: number } | "incomplete";

export function headerValue({ headers }: FuzzResponse, name: string): string | undefined {
  return headers.find(([each]) => each === name)?.[1];
}

export interface ParseOptions {
  /** Whether the request was a HEAD. If unknown, a response whose headers are followed by nothing or a response has no body. */
  readonly isHead: boolean | "unknown";
  /** Whether no more bytes will arrive. */
  readonly ended: boolean;
}

/** Parses the response at an offset, strictly: throws if it is not valid HTTP/1.1. */
export function parseResponse(bytes: Buffer, start: number, { isHead, ended }: ParseOptions): Parsed {
  const headEnd = bytes.indexOf("\r\n\r\n", start);
  if (headEnd < 0) {
    const beginning = bytes.toString("latin1", start, start + 9);
    if (!"HTTP/1.1 ".startsWith(beginning.slice(0, 9))) throw new Error("does not begin with HTTP/1.1");
    return "incomplete";
  }
  const [statusLine = "", ...lines] = bytes.toString("latin1", start, headEnd).split("\r\n");
  const status = Number(/^HTTP\/1\.1 ([1-5]\d\d) [\x20-\x7e]*$/.exec(statusLine)?.[1]);
  if (Number.isNaN(status)) throw new Error(`has the status line ${JSON.stringify(statusLine)}`);
  const headers = lines.map((line): [string, string] => {
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x20-\x7e]*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined)
      throw new Error(`has the header line ${JSON.stringify(line)}`);
    return [name.toLowerCase(), value];
  });
  const values = (name: string) => headers.filter(([each]) => each === name).map(([, value]) => value);
  const bodyStart = headEnd + 4;
  const withBody = (body: Buffer, end: number, endsWithConnection = false) => ({
    response: { status, headers, body, endsWithConnection },
    end,
  });
  if (isHead === true || status < 200 || status === 204 || status === 304) {
    return withBody(Buffer.alloc(0), bodyStart);
  }
  const isFollowed = bytes.toString("latin1", bodyStart, bodyStart + 9) === "HTTP/1.1 ";
  if (isHead === "unknown" && (isFollowed || (ended && bodyStart === bytes.length))) {
    return withBody(Buffer.alloc(0), bodyStart);
  }
  const [length, ...otherLengths] = values("content-length");
  const encodings = values("transfer-encoding");
  if (otherLengths.length > 0) throw new Error("has several Content-Lengths");
  if (encodings.length > 0) {
    if (length !== undefined) throw new Error("has a Content-Length and a Transfer-Encoding");
    if (encodings.join() !== "chunked") throw new Error(`has the Transfer-Encoding ${encodings.join()}`);
    const parsed = parseChunks(bytes, bodyStart);
    return parsed === "incomplete" ? parsed : withBody(parsed.body, parsed.end);
  }
  // Streams for HTTP/1.0, and Bun's own error responses, end with the connection.
  if (length === undefined)
    return ended ? withBody(bytes.subarray(bodyStart), bytes.length, true) : "incomplete";
  if (!/^\d+$/.test(length)) throw new Error(`has the Content-Length ${length}`);
  const end = bodyStart + Number(length);
  return bytes.length < end ? "incomplete" : withBody(bytes.subarray(bodyStart, end), end);
}

function parseChunks(bytes: Buffer, start: number): { body: Buffer; end: number } | "incomplete" {
  const parts: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return "incomplete";
    const line = bytes.toString("latin1", at, lineEnd);
    if (!/^[0-9a-f]{1,8}$/i.test(line))
      throw new Error(`has a chunk of size ${JSON.stringify(line.slice(0, 50))}`);
    const size = Number.parseInt(line, 16);
    const chunkStart = lineEnd + 2;
    const chunkEnd = chunkStart + size;
    if (bytes.length < chunkEnd + 2) return "incomplete";
    if (bytes.toString("latin1", chunkEnd, chunkEnd + 2) !== "\r\n")
      throw new Error("has a chunk of another size");
    if (size === 0) return { body: Buffer.concat(parts), end: chunkEnd + 2 };
    parts.push(bytes.subarray(chunkStart, chunkEnd));
    at = chunkEnd + 2;
  }
}
