import { encodeCursor } from "../../../src/domain/listing.ts";
import { bytes, json, nested, type SentRequest, validBody } from "./bad-request.ts";

/** What looks bad and is not: it is served, with these members in the answer where there are any to name. */
export interface ValidRequest {
  readonly name: string;
  readonly sent: SentRequest;
  readonly status: number;
  readonly answer?: object;
}

const posted = (
  name: string,
  body: string | Uint8Array,
  answer: object = {},
  headers: SentRequest["headers"] = json,
) => ({
  name: `POST with ${name}`,
  sent: { method: "POST", path: "/api/users", headers, body },
  status: 201,
  answer,
});
const got = (
  name: string,
  path: string,
  answer?: object,
  headers: SentRequest["headers"] = {},
): ValidRequest => ({
  name: `GET of ${name}`,
  sent: { method: "GET", path, headers },
  status: 200,
  ...(answer !== undefined && { answer }),
});
const typed = (type: string) =>
  posted(`Content-Type ${type}`, validBody, { name: "Grace Hopper" }, { "Content-Type": type });
const keyed = (name: string, key: string) =>
  posted(name, validBody, { name: "Grace Hopper" }, { ...json, "Idempotency-Key": key });
const chunked = { ...json, "Transfer-Encoding": "chunked" };
const { parse } = JSON;
const end = (descending: boolean) =>
  encodeCursor({ sort: "createdAt", descending }, { key: Number.MAX_SAFE_INTEGER, id: 1, skip: 0 });

export const bodies: ValidRequest[] = [
  posted("the same name twice, of which the last counts,", '{"name":"A","name":"B"}', { name: "B" }),
  posted("the same field twice in two spellings", '{"name":"A","a":1,"\\u0061":2}', { a: 2 }),
  posted("a byte order mark before the JSON", bytes([0xef, 0xbb, 0xbf], validBody), { name: "Grace Hopper" }),
  posted("white space around the JSON", `\r\n\t ${validBody} \n`, { name: "Grace Hopper" }),
  posted("arrays nested 64 levels deep", `{"name":"A","a":${nested(64, "[", "]")}}`, {
    a: parse(nested(64, "[", "]")),
  }),
  posted("objects nested 64 levels deep", `{"name":"A","a":${nested(63, '{"b":', "}", "{}")}}`),
  posted("the largest whole number", '{"name":"A","a":9007199254740991}', { a: 9007199254740991 }),
  posted("the smallest whole number", '{"name":"A","a":-9007199254740991}', { a: -9007199254740991 }),
  posted("a whole surrogate pair as escapes", '{"name":"\\ud83d\\ude00"}', { name: "😀" }),
  posted("a name of 200 emoji", JSON.stringify({ name: "😀".repeat(200) }), { name: "😀".repeat(200) }),
  posted("a line break after the name", '{"name":"Ada\\n"}', { name: "Ada" }),
  posted("an email without a dot in its domain", '{"name":"A","email":"root@localhost"}'),
  posted("an email that is not ASCII", '{"name":"A","email":"用户@例え.jp"}', { email: "用户@例え.jp" }),
  posted("credentials inside a value", '{"name":"A","a":{"password":"x"}}', { a: { password: "x" } }),
  posted("field names inside a value that no field could have", '{"name":"A","a":{"":1,"b c":2,"1":3}}'),
  posted("a field's name of 64 characters", `{"name":"A","${"f".repeat(64)}":1}`),
  posted("fields named as the members of every object", '{"name":"A","toString":1,"valueOf":2,"then":3}', {
    toString: 1,
    // biome-ignore lint/suspicious/noThenProperty: it is a field like any other, and must be kept like any other.
    then: 3,
  }),
  posted(
    "fields that only the service writes, past all bounds,",
    '{"name":"A","id":1e400,"version":"\\u0000"}',
  ),
  posted("SQL in the name", `{"name":"Robert'); DROP TABLE users;--"}`, {
    name: "Robert'); DROP TABLE users;--",
  }),
  posted("markup in the name", '{"name":"<script>alert(1)</script>"}', { name: "<script>alert(1)</script>" }),
  posted("a body in chunks", 'c\r\n{"name":"A"}\r\n0\r\n\r\n', { name: "A" }, chunked),
  posted(
    "a chunk for each half of a character",
    bytes('a\r\n{"name":"', [0xc3], "\r\n3\r\n", [0xa9], '"}\r\n0\r\n\r\n'),
    { name: "é" },
    chunked,
  ),
  posted("a chunk with an extension", 'c;a=b\r\n{"name":"A"}\r\n0\r\n\r\n', { name: "A" }, chunked),
  posted(
    "the same Content-Length twice",
    '{"name":"A"}',
    { name: "A" },
    { ...json, "Content-Length": ["12", "12"] },
  ),
  posted("Content-Encoding identity", validBody, {}, { ...json, "Content-Encoding": "identity" }),
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
  got("the id %31, which is 1", "/api/users/%31", { id: 1 }),
  got("a user behind a single dot", "/api/users/./1", { id: 1 }),
  got("the users with an encoded letter", "/api/%75sers"),
  got("a path that climbs to another that exists", "/api/users/../../healthz", { status: "ok" }),
  got("an empty query", "/api/users?"),
  got("a query of ampersands", "/api/users?&&&"),
  got("a filter without a value", "/api/users?nothing", []),
  got("a filter with SQL in it", "/api/users?name='%20OR%201=1--", []),
  got("a filter with wildcards in it", "/api/users?name=%25", []),
  got("a filter on an id that is none", "/api/users?id=abc", []),
  got("a filter on a time that is none", "/api/users?createdAt=yesterday", []),
  got("a filter on toString", "/api/users?toString=x", []),
  got("a filter with a header smuggled into it", "/api/users?limit=1&name=%0d%0aSet-Cookie:%20a=b", []),
  got(
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
  ].map((q) => got(`a search for ${q}`, `/api/users?q=${q}`)),
  got("a cursor past the end of time", `/api/users?sort=createdAt&after=${end(false)}`, []),
  got("a cursor from before the end of time", `/api/users?sort=-createdAt&after=${end(true)}`),
  got("a user with a garbled If-None-Match", "/api/users/1", { id: 1 }, { "If-None-Match": '"1, W/' }),
  got("a user with an empty If-None-Match", "/api/users/1", { id: 1 }, { "If-None-Match": "" }),
  got("a user with an empty Accept", "/api/users/1", { id: 1 }, { Accept: "" }),
  got("a user with an Accept in capitals", "/api/users/1", { id: 1 }, { Accept: "APPLICATION/JSON" }),
  got(
    "a user with an Accept of some quality",
    "/api/users/1",
    { id: 1 },
    { Accept: "text/html, application/*;q=0.1" },
  ),
  got("a user with a body", "/api/users/1", { id: 1 }, { "Content-Length": "0" }),
  ...["localhost", "LOCALHOST:1", "127.0.0.1", "127.1.2.3:80", "[::1]", "[::1]:80", "roster.localhost"].map(
    (host) => got(`a user by the name ${host}`, "/api/users/1", { id: 1 }, { Host: host }),
  ),
];
