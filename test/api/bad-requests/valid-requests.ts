import { encodeCursor } from "../../../src/domain/lists/cursor.ts";
import { bytes, json, nested, type SentRequest, validBody } from "./bad-request.ts";

/** A request that looks invalid but is valid. */
export interface ValidRequest {
  readonly name: string;
  readonly sent: SentRequest;
  readonly status: number;
  /** Members of the response body. */
  readonly response?: object;
}

const post = (
  name: string,
  body: string | Uint8Array,
  response: object = {},
  headers: SentRequest["headers"] = json,
) => ({
  name: `POST with ${name}`,
  sent: { method: "POST", path: "/api/users", headers, body },
  status: 201,
  response,
});
const get = (
  name: string,
  path: string,
  response?: object,
  headers: SentRequest["headers"] = {},
): ValidRequest => ({
  name: `GET of ${name}`,
  sent: { method: "GET", path, headers },
  status: 200,
  ...(response !== undefined && { response }),
});
const typed = (type: string) =>
  post(`Content-Type ${type}`, validBody, { name: "Grace Hopper" }, { "Content-Type": type });
const keyed = (name: string, key: string) =>
  post(name, validBody, { name: "Grace Hopper" }, { ...json, "Idempotency-Key": key });
const chunked = { ...json, "Transfer-Encoding": "chunked" };
const { parse } = JSON;
const end = (descending: boolean) =>
  encodeCursor({ sort: "createdAt", descending }, { key: Number.MAX_SAFE_INTEGER, id: 1, skip: 0 });

export const bodies: ValidRequest[] = [
  post("a duplicate name, of which the last counts,", '{"name":"A","name":"B"}', { name: "B" }),
  post("a duplicate field in two spellings", '{"name":"A","a":1,"\\u0061":2}', { a: 2 }),
  post("a byte order mark before the JSON", bytes([0xef, 0xbb, 0xbf], validBody), { name: "Grace Hopper" }),
  post("white space around the JSON", `\r\n\t ${validBody} \n`, { name: "Grace Hopper" }),
  post("arrays nested 64 levels deep", `{"name":"A","a":${nested(64, "[", "]")}}`, {
    a: parse(nested(64, "[", "]")),
  }),
  post("objects nested 64 levels deep", `{"name":"A","a":${nested(63, '{"b":', "}", "{}")}}`),
  post("the largest whole number", '{"name":"A","a":9007199254740991}', { a: 9007199254740991 }),
  post("the smallest whole number", '{"name":"A","a":-9007199254740991}', { a: -9007199254740991 }),
  post("a whole surrogate pair as escapes", '{"name":"\\ud83d\\ude00"}', { name: "😀" }),
  post("a name of 256 emoji", JSON.stringify({ name: "😀".repeat(256) }), { name: "😀".repeat(256) }),
  post("a line break after the name", '{"name":"Ada\\n"}', { name: "Ada" }),
  post("an email without a dot in its domain", '{"name":"A","email":"root@localhost"}'),
  post("an email that is not ASCII", '{"name":"A","email":"用户@例え.jp"}', { email: "用户@例え.jp" }),
  post("credentials inside a value", '{"name":"A","a":{"password":"x"}}', { a: { password: "x" } }),
  post("invalid field names inside a value", '{"name":"A","a":{"":1,"b c":2,"1":3}}'),
  post("a field's name of 64 characters", `{"name":"A","${"f".repeat(64)}":1}`),
  post(
    "fields named like members of Object.prototype",
    '{"name":"A","toString":1,"valueOf":2,"then":3}',
    JSON.parse('{"toString":1,"then":3}'),
  ),
  post("out-of-range values in read-only fields", '{"name":"A","id":1e400,"version":"\\u0000"}'),
  post("SQL in the name", `{"name":"Robert'); DROP TABLE users;--"}`, {
    name: "Robert'); DROP TABLE users;--",
  }),
  post("markup in the name", '{"name":"<script>alert(1)</script>"}', { name: "<script>alert(1)</script>" }),
  post("a body in chunks", 'c\r\n{"name":"A"}\r\n0\r\n\r\n', { name: "A" }, chunked),
  post(
    "a chunk for each half of a character",
    bytes('a\r\n{"name":"', [0xc3], "\r\n3\r\n", [0xa9], '"}\r\n0\r\n\r\n'),
    { name: "é" },
    chunked,
  ),
  post("a chunk with an extension", 'c;a=b\r\n{"name":"A"}\r\n0\r\n\r\n', { name: "A" }, chunked),
  post(
    "the same Content-Length twice",
    '{"name":"A"}',
    { name: "A" },
    { ...json, "Content-Length": ["12", "12"] },
  ),
  post("Content-Encoding identity", validBody, {}, { ...json, "Content-Encoding": "identity" }),
  ...[
    "APPLICATION/JSON",
    "application/json;charset=UTF-8",
    'application/json; charset="utf-8"',
    "application/json ; charset=utf8",
    "application/json;",
    "application/json; profile=x; charset=utf-8",
  ].map(typed),
  keyed("an Idempotency-Key of a letter", "k"),
  keyed("an Idempotency-Key of 255 characters", "k".repeat(255)),
  keyed("an Idempotency-Key of 255 characters in quotes", `"${"q".repeat(255)}"`),
  keyed("an Idempotency-Key that begins with a quote", '"unterminated'),
  keyed("an Idempotency-Key with an escaped quote", '"a\\"b"'),
];

export const reads: ValidRequest[] = [
  get("the id %31, which is 1", "/api/users/%31", { id: 1 }),
  get("a user after a single dot", "/api/users/./1", { id: 1 }),
  get("the users with an encoded letter", "/api/%75sers"),
  get("a path with .. that leads to an existing path", "/api/users/../../healthz", { status: "ok" }),
  get("an empty query", "/api/users?"),
  get("a query of ampersands", "/api/users?&&&"),
  get("a filter without a value", "/api/users?nothing", []),
  get("a filter with SQL in it", "/api/users?name='%20OR%201=1--", []),
  get("a filter with wildcards in it", "/api/users?name=%25", []),
  get("a filter on an invalid id", "/api/users?id=abc", []),
  get("a filter on an invalid time", "/api/users?createdAt=yesterday", []),
  get("a filter on toString", "/api/users?toString=x", []),
  get("a filter with an injected header", "/api/users?limit=1&name=%0d%0aSet-Cookie:%20a=b", []),
  get(
    "10 fields and 100 values",
    `/api/users?${Array.from({ length: 100 }, (_, i) => `a=${i}`).join("&")}&b=1&c=1&d=1&e=1&f=1&g=1&h=1&i=1&j=1`,
    [],
  ),
  ...[
    "%22",
    "*",
    "%25",
    "'",
    "a%22b",
    "NEAR(a%20b)",
    "a*",
    "-a",
    "(",
    "a:b",
    "_",
    "%5C",
    "AND",
    "%F0%9F%98%80",
  ].map((q) => get(`a search for ${q}`, `/api/users?q=${q}`)),
  get("a cursor after the latest time", `/api/users?sort=createdAt&after=${end(false)}`, []),
  get("a cursor before the latest time", `/api/users?sort=-createdAt&after=${end(true)}`),
  get("a user with a garbled If-None-Match", "/api/users/1", { id: 1 }, { "If-None-Match": '"1, W/' }),
  get("a user with an empty If-None-Match", "/api/users/1", { id: 1 }, { "If-None-Match": "" }),
  get("a user with an empty Accept", "/api/users/1", { id: 1 }, { Accept: "" }),
  get("a user with an Accept in capitals", "/api/users/1", { id: 1 }, { Accept: "APPLICATION/JSON" }),
  get(
    "a user with qualities in Accept",
    "/api/users/1",
    { id: 1 },
    { Accept: "text/html, application/*;q=0.1" },
  ),
  get("a user with a body", "/api/users/1", { id: 1 }, { "Content-Length": "0" }),
  ...["localhost", "LOCALHOST:1", "127.0.0.1", "127.1.2.3:80", "[::1]", "[::1]:80", "roster.localhost"].map(
    (host) => get(`a user with Host ${host}`, "/api/users/1", { id: 1 }, { Host: host }),
  ),
];
