import type { Piece } from "../../support/raw-http.ts";
import { bytes } from "./bad-request.ts";

/**
 * A request that Bun's parser rejects before the service's code runs. The response has no body, or there is none, and
 * Bun closes the connection: the start of a next request is unknown.
 */
export interface UnparsableRequest {
  readonly name: string;
  /** HOST is replaced by the Host header. */
  readonly pieces: readonly Piece[];
  readonly status: number | "none";
  /** The status of a complete request before the invalid one. */
  readonly before?: number;
  /** Whether the caller disconnects after the last byte. */
  readonly hangUp?: true;
}

const line = (name: string, text: string, status: UnparsableRequest["status"]): UnparsableRequest => ({
  name,
  pieces: [`${text}\r\nHOST\r\n\r\n`],
  status,
});
const header = (
  name: string,
  text: string,
  status: UnparsableRequest["status"] = 400,
): UnparsableRequest => ({
  name,
  pieces: [`GET /healthz HTTP/1.1\r\nHOST\r\n${text}\r\n\r\n`],
  status,
});
const create = (
  name: string,
  headers: string,
  body: string,
  status: UnparsableRequest["status"] = 400,
): UnparsableRequest => ({
  name,
  pieces: [`POST /api/users HTTP/1.1\r\nHOST\r\nContent-Type: application/json\r\n${headers}\r\n\r\n`, body],
  status,
});
const length = (name: string, value: string, status?: number) =>
  create(name, `Content-Length: ${value}`, '{"name":"A"}', status);
const chunked = (name: string, body: string) => create(name, "Transfer-Encoding: chunked", body);
const oneChunk = 'c\r\n{"name":"A"}\r\n0\r\n\r\n';

export const badRequestLines: UnparsableRequest[] = [
  line("a request line that ends after the path", "GET /healthz", 505),
  line("an unknown version", "GET /healthz HTTP/1.2", 505),
  line("HTTP/0.9", "GET /healthz HTTP/0.9", 505),
  line("HTTP/2 without its preface", "GET /healthz HTTP/2.0", 505),
  line("another protocol", "GET /healthz FTP/1.1", 505),
  line("a space in the path", "GET /a b HTTP/1.1", 505),
  line("a NUL in the path", "GET /a\u0000b HTTP/1.1", 505),
  line("a tab before the version", "GET /healthz\tHTTP/1.1", 505),
  line("two spaces after the method", "GET  /healthz HTTP/1.1", 400),
  line("a space before the method", " GET /healthz HTTP/1.1", 400),
  line("a path without its slash", "GET healthz HTTP/1.1", 400),
  line("an asterisk for a path", "OPTIONS * HTTP/1.1", 400),
  line("the preface of HTTP/2", "PRI * HTTP/2.0", 400),
  line("a method with an @ in it", "G@T /healthz HTTP/1.1", 400),
  line("an empty request line", "", 400),
  line("the method BREW", "BREW /api/users HTTP/1.1", "none"),
  line("a method in lower case", "get /api/users HTTP/1.1", "none"),
  line("a method of 50 letters", `${"X".repeat(50)} /api/users HTTP/1.1`, "none"),
  line("a path of 17,000 characters", `GET /${"a".repeat(17_000)} HTTP/1.1`, 431),
  line("a query of 40,000 characters", `GET /api/users?q=${"a".repeat(40_000)} HTTP/1.1`, 431),
  {
    name: "a TLS handshake",
    pieces: [bytes([0x16, 3, 1, 0, 5, 1, 0, 0, 1, 0]), "\r\n\r\n"],
    status: 400,
  },
  { name: "lines that end with only LF", pieces: ["GET /healthz HTTP/1.1\nHOST\n\n"], status: 505 },
  { name: "no bytes", pieces: [""], status: "none", hangUp: true },
  { name: "half of a request line", pieces: ["GET /hea"], status: "none", hangUp: true },
];

export const badHeaderLines: UnparsableRequest[] = [
  { name: "no Host", pieces: ["GET /healthz HTTP/1.1\r\n\r\n"], status: 400 },
  header("a CR in a header's value", "X-Request-Id: a\rSet-Cookie: b=c"),
  header("an LF in a header's value", "X-Request-Id: a\nSet-Cookie: b=c"),
  header("a NUL in a header's value", "X-Request-Id: a\u0000b"),
  header("a control character in a header's value", "X-Request-Id: a\u0001b"),
  header("a header that continues on the next line", "X-Request-Id: a\r\n Set-Cookie: b=c"),
  header("a space before the colon", "X-Request-Id : a"),
  header("a space in a header's name", "X Request: a"),
  header("a NUL in a header's name", "X-\u0000: a"),
  header("an accent in a header's name", "X-é: a"),
  header("a header without a colon", "Authorization"),
  header("a header without a name", ": a"),
  header("a header of 17,000 characters", `X-Long: ${"a".repeat(17_000)}`, 431),
  header("a thousand headers", Array.from({ length: 1000 }, (_, i) => `X-${i}: 1`).join("\r\n"), 431),
  {
    name: "a header that never ends",
    pieces: [`GET /healthz HTTP/1.1\r\nHOST\r\nX-Long: ${"a".repeat(100_000)}`],
    status: 431,
  },
  {
    name: "incomplete headers",
    pieces: ["GET /healthz HTTP/1.1\r\nHOST\r\nX-"],
    status: "none",
    hangUp: true,
  },
];

export const badFraming: UnparsableRequest[] = [
  length("a negative Content-Length", "-1"),
  length("a Content-Length with a plus", "+12"),
  length("a Content-Length in letters", "twelve"),
  length("an empty Content-Length", ""),
  length("a Content-Length in hexadecimal", "0xc"),
  length("a Content-Length with an exponent", "1e1"),
  length("a Content-Length with a fraction", "12.0"),
  length("two lengths in one Content-Length", "12, 13"),
  length("the same length twice in one Content-Length", "12, 12"),
  length("a Content-Length past 2^64", "18446744073709551628"),
  length("a Content-Length past 2^53", "9007199254740993", 413),
  create("two different Content-Lengths", "Content-Length: 12\r\nContent-Length: 13", '{"name":"A"}'),
  create("both a length and chunks", "Content-Length: 12\r\nTransfer-Encoding: chunked", oneChunk),
  create("both chunks and a length", "Transfer-Encoding: chunked\r\nContent-Length: 4", oneChunk),
  create("a Transfer-Encoding of identity", "Transfer-Encoding: identity", '{"name":"A"}'),
  create("a Transfer-Encoding of gzip and chunks", "Transfer-Encoding: gzip, chunked", oneChunk),
  create("an unknown Transfer-Encoding", "Transfer-Encoding: xchunked", oneChunk),
  create("a Transfer-Encoding in quotes", 'Transfer-Encoding: "chunked"', oneChunk),
  create("two Transfer-Encodings", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", oneChunk),
  create("a space before the colon of Transfer-Encoding", "Transfer-Encoding : chunked", oneChunk),
  chunked("a chunk whose size is not a number", 'zz\r\n{"name":"A"}\r\n0\r\n\r\n'),
  chunked("a chunk of negative size", '-1\r\n{"name":"A"}\r\n0\r\n\r\n'),
  chunked("a chunk of more bytes than there are", `${"f".repeat(17)}\r\n{"name":"A"}\r\n0\r\n\r\n`),
  chunked("a chunk that is longer than its size", '5\r\n{"name":"A"}\r\n0\r\n\r\n'),
  {
    name: "a trailer after the chunks",
    pieces: [
      `POST /healthz HTTP/1.1\r\nHOST\r\nTransfer-Encoding: chunked\r\n\r\n${oneChunk.slice(0, -2)}X-Late: 1\r\n\r\n`,
    ],
    before: 405,
    status: 400,
  },
  chunked("chunks whose lines end with only LF", 'c\n{"name":"A"}\n0\n\n'),
  { ...length("a body that is longer than its Content-Length", "5"), before: 400 },
  { ...length("a body that ends before its Content-Length", "50", 0), status: "none", hangUp: true },
  { ...chunked("chunks without an end", 'c\r\n{"name":"A"}\r\n'), status: "none", hangUp: true },
  { ...chunked("an incomplete chunk", 'c\r\n{"name'), status: "none", hangUp: true },
];
