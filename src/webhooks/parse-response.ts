import { SendError } from "./send-error.ts";

/** The parts of a response that a sender needs. The body is skipped. */
export interface ResponseHead {
  readonly code: number;
  readonly retryAfter: string | undefined;
  /** Whether the connection can take another request when the response is complete. */
  readonly keepsAlive: boolean;
  readonly body: BodyLength;
  /** Where the body begins in the received text. */
  readonly bodyStart: number;
}

type BodyLength = number | "chunked" | "until-close";

const HEAD_END = "\r\n\r\n";

/** Parses what a receiver sent so far, in Latin-1. Undefined if the head is incomplete, an error if it is invalid. */
export function parseHead(text: string): ResponseHead | SendError | undefined {
  let start = 0;
  for (;;) {
    const end = text.indexOf(HEAD_END, start);
    if (end === -1) return undefined;
    const [statusLine = "", ...lines] = text.slice(start, end).split("\r\n");
    const [, minor, digits] = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: |$)/.exec(statusLine) ?? [];
    if (digits === undefined) return new SendError("The response is not valid HTTP.");
    const code = Number(digits);
    const bodyStart = end + HEAD_END.length;
    // Informational responses come before the response.
    if (code < 200 && code !== 101) {
      start = bodyStart;
      continue;
    }
    const headers = parseHeaders(lines);
    const connection = headers.get("connection")?.toLowerCase();
    return {
      code,
      retryAfter: headers.get("retry-after"),
      keepsAlive: minor === "1" ? connection !== "close" : connection === "keep-alive",
      body: bodyLength(code, headers),
      bodyStart,
    };
  }
}

/** Whether the body is complete. A connection with more than the body in it cannot be used again. */
export function isComplete({ body, bodyStart }: ResponseHead, text: string): boolean {
  if (body === "until-close") return false;
  if (body !== "chunked") return text.length === bodyStart + body;
  for (let start = bodyStart; ; ) {
    const lineEnd = text.indexOf("\r\n", start);
    const size = /^[\da-f]{1,6}$/i.exec(text.slice(start, lineEnd === -1 ? start : lineEnd));
    if (!size) return false;
    const length = Number.parseInt(size[0], 16);
    start = lineEnd + 2 + length + 2;
    if (length === 0) return text.length === start && text.endsWith(HEAD_END);
  }
}

function parseHeaders(lines: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon > 0) headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  return headers;
}

function bodyLength(code: number, headers: ReadonlyMap<string, string>): BodyLength {
  if (code === 204 || code === 304) return 0;
  if (headers.has("transfer-encoding")) return "chunked";
  const length = headers.get("content-length");
  return length !== undefined && /^\d{1,9}$/.test(length) ? Number(length) : "until-close";
}
