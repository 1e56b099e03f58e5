import {
  type BadRequest,
  bytes,
  type ExpectedProblem,
  fixturePath,
  json,
  malformed,
  nested,
  tooLarge,
  unsupported,
  validBody,
} from "./bad-request.ts";

const acceptPost = { "Accept-Post": "application/json" };
const acceptPatch = { "Accept-Patch": "application/merge-patch+json, application/json" };

const acceptEncoding = { "Accept-Encoding": "gzip, zstd" };

type Headers = NonNullable<BadRequest["sent"]["headers"]>;

const post = (
  name: string,
  headers: Headers,
  expected: ExpectedProblem,
  body: string | Uint8Array = validBody,
) => ({
  name: `POST with ${name}`,
  sent: { method: "POST", path: "/api/users", headers, body },
  expected,
});
const change = (
  method: "PUT" | "PATCH",
  name: string,
  headers: Headers,
  expectedHeaders: Record<string, string> = method === "PATCH" ? acceptPatch : {},
): BadRequest => ({
  name: `${method} with ${name}`,
  sent: { method, path: fixturePath, headers, body: validBody },
  expected: unsupported(expectedHeaders),
});
const typed = (type: string) => ({ "Content-Type": type });

const wrongTypes = [
  "text/plain",
  "text/json",
  "text/html; charset=utf-8",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/octet-stream",
  "application/xml",
  "application/jsonp",
  "application/json5",
  "application/problem+json",
  "application/vnd.api+json",
  "application/ld+json",
  "application/json-patch+json",
  "application/*",
  "*/*",
  "json",
  "application",
  "application/json/utf-8",
  "application/json, text/plain",
  "application/json text/plain",
  ";application/json",
  "application/json; charset=latin1",
  "application/json; charset=iso-8859-1",
  "application/json; charset=utf-16",
  "application/json; charset=utf-16le",
  'application/json; charset="windows-1252"',
  "application/json; charset=utf-7",
  "application/json; charset=",
  "application/json;CHARSET=UTF-32",
];

export const badTypes: BadRequest[] = [
  post("no Content-Type", {}, unsupported(acceptPost)),
  post("an empty Content-Type", typed(""), unsupported(acceptPost)),
  post("two Content-Types", { "Content-Type": ["application/json", "text/plain"] }, unsupported(acceptPost)),
  post("a merge patch", typed("application/merge-patch+json"), unsupported(acceptPost)),
  ...wrongTypes.map((type) => post(`Content-Type ${type}`, typed(type), unsupported(acceptPost))),
  ...["br", "deflate", "compress", "gzip, gzip", "identity, gzip", "x-unknown", "é", "*", ","].map((coding) =>
    post(`Content-Encoding ${coding}`, { ...json, "Content-Encoding": coding }, unsupported(acceptEncoding)),
  ),
  post("no Content-Type and no body", { "Content-Length": "0" }, unsupported(acceptPost), ""),
  change("PUT", "no Content-Type", {}),
  change("PUT", "a merge patch", typed("application/merge-patch+json")),
  change("PUT", "a form", typed("application/x-www-form-urlencoded")),
  change("PUT", "a charset that is not UTF-8", typed("application/json; charset=utf-16")),
  change("PUT", "NDJSON", typed("application/x-ndjson")),
  change("PUT", "CSV", typed("text/csv")),
  change("PUT", "a brotli body", { ...json, "Content-Encoding": "br" }, acceptEncoding),
  change("PATCH", "no Content-Type", {}),
  change("PATCH", "a JSON Patch", typed("application/json-patch+json")),
  change("PATCH", "a form", typed("application/x-www-form-urlencoded")),
  change("PATCH", "a charset that is not UTF-8", typed("application/merge-patch+json; charset=latin1")),
  change("PATCH", "a brotli body", { ...json, "Content-Encoding": "br" }, acceptEncoding),
];

const chunkedHeaders = { ...json, "Transfer-Encoding": "chunked" };
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const chunked = (...parts: string[]) => `${parts.map(chunk).join("")}0\r\n\r\n`;
const chunks = (count: number) => Array.from({ length: count }, () => "x".repeat(4096));
const padded = (size: number) => `{"name":"A","a":"${"x".repeat(size - 19)}"}`;

/** The service rejects a body by its Content-Length, or as soon as it has received too much. */
export const badSizes: BadRequest[] = [
  post("a body of 64 KiB and a byte", json, tooLarge, padded(65_537)),
  post("a body of a megabyte", json, tooLarge, padded(1_000_000)),
  post("a body of 20 megabytes", json, tooLarge, "x".repeat(20_000_000)),
  post("64 KiB of spaces and a byte", json, tooLarge, " ".repeat(65_537)),
  post("64 KiB of broken UTF-8 and a byte", json, tooLarge, new Uint8Array(65_537).fill(0xff)),
  post('30,000 levels of {"a":', json, tooLarge, nested(30_000, '{"a":', "}", "1")),
  post('30,000 levels of {"a": that never close', json, tooLarge, nested(30_000, '{"a":', "")),
  post("66,000 digits in a row", json, tooLarge, `{"name":"A","a":${"1".repeat(66_000)}}`),
  post(
    "a Content-Length of a terabyte and no body",
    { ...json, "Content-Length": "1000000000000" },
    tooLarge,
    "",
  ),
  post("68 KiB in chunks", chunkedHeaders, tooLarge, chunked(...chunks(17))),
  post("68 KiB in one chunk", chunkedHeaders, tooLarge, chunked("x".repeat(69_632))),
  post("two megabytes in chunks without an end", chunkedHeaders, tooLarge, chunks(500).map(chunk).join("")),
  post("64 KiB and a byte in chunks", chunkedHeaders, tooLarge, chunked(...chunks(16), "x")),
  ...(["PUT", "PATCH"] as const).flatMap((method): BadRequest[] => [
    {
      name: `${method} with a body of 64 KiB and a byte`,
      sent: { method, path: fixturePath, headers: json, body: padded(65_537) },
      expected: tooLarge,
    },
    {
      name: `${method} with 68 KiB in chunks`,
      sent: { method, path: fixturePath, headers: chunkedHeaders, body: chunked(...chunks(17)) },
      expected: tooLarge,
    },
  ]),
];

export const badChunks: BadRequest[] = [
  post("no body and no Content-Length", json, malformed, ""),
  post("a Content-Length of 0", { ...json, "Content-Length": "0" }, malformed, ""),
  post("only the last chunk", chunkedHeaders, malformed, chunked()),
  post("an incomplete object in chunks", chunkedHeaders, malformed, chunked('{"name"', ':"A"')),
  post("broken UTF-8 in a chunk", chunkedHeaders, malformed, bytes("1\r\n", [0xff], "\r\n0\r\n\r\n")),
];
