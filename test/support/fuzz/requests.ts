import { listRequestBodies, type Operation, type Parameter } from "../../../src/contract/operation.ts";
import { operations } from "../../../src/contract/operations.ts";
import { problems } from "../../../src/contract/problems.ts";
import { csvBody, encodeBody, jsonBody, ndjsonBody } from "./bodies.ts";
import { headerText, oddNumber, oddText, toBytes } from "./odd-text.ts";
import { queryValue } from "./queries.ts";
import type { Random } from "./random.ts";

/** What requests need to know about the service. */
export interface FuzzTarget {
  /** Host and port. */
  readonly host: string;
  /** Active keys. Empty if the service requires none. */
  readonly keys: readonly string[];
}

/** A request in the form that RFC 9112 requires. Its content may be invalid. */
export interface FuzzRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** The whole request, one character per byte. */
  readonly text: string;
  /** Whether the OpenAPI description has this method and path. */
  readonly isDescribed: boolean;
  /** Whether the connection ends with the response. */
  readonly closes: boolean;
}

const allOperations: readonly Operation[] = Object.values(operations);
const otherPaths = [
  "/",
  "/users",
  "/users/1",
  "/import",
  "/keys",
  "/favicon.ico",
  "/robots.txt",
  "/api",
  "/api/",
  "/api/users/1/",
  "/api/users/1/2",
  "/api//users",
  "/api/%75sers",
  "/api/users%2F1",
  "/api/../api/users",
  "/api/./users",
  "//example.com/api/users",
  "/console/../../etc/passwd",
  "/assets/x.js",
  "/problems/../docs",
  "/%",
  "/%00",
  "/%ff",
  "/.well-known/security.txt",
] as const;

/** Bun rejects longer request lines and headers. */
const MAX_PATH_CHARACTERS = 6000;

export function createRequest(random: Random, target: FuzzTarget): FuzzRequest {
  const operation = allOperations[random.below(allOperations.length)];
  // Users are the heart of the service.
  const chosen = random.chance(0.6) ? pickTagged(random, "users") : operation;
  const method = chosen && random.chance(0.93) ? changeMethod(random, chosen.method) : anyMethod(random);
  const isOperation = chosen !== undefined && random.chance(0.96);
  const bare = isOperation ? fillPath(random, chosen.path) : random.pick(otherPaths);
  const path = (bare + createQuery(random, chosen)).slice(0, MAX_PATH_CHARACTERS);
  const version = random.chance(0.1) ? "HTTP/1.0" : "HTTP/1.1";
  const headers = createHeaders(random, target, version);
  const hasBody = chosen?.request !== undefined ? random.chance(0.97) : random.chance(0.05);
  const framing = hasBody ? createBody(random, chosen, bare, target, version, headers) : "";
  const closes =
    version === "HTTP/1.0" ||
    headers.some(([name, value]) => name.toLowerCase() === "connection" && value.toLowerCase() === "close");
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  const isDescribed = isOperation && (method === chosen.method || method === "HEAD");
  return {
    method,
    path,
    isDescribed,
    text: `${method} ${path} ${version}\r\n${lines.join("")}${framing || "\r\n"}`,
    closes,
  };
}

function pickTagged(random: Random, tag: Operation["tag"]): Operation | undefined {
  const tagged = allOperations.filter((operation) => operation.tag === tag);
  return tagged[random.below(tagged.length)];
}

const anyMethod = (random: Random) =>
  random.pick(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

const changeMethod = (random: Random, method: string) =>
  method === "GET" && random.chance(0.08) ? "HEAD" : method;

function fillPath(random: Random, path: string): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (random.chance(0.1)) return percentEncode(random, oddText(random));
    if (name !== "type")
      return random.chance(0.8) ? String(random.between(1, 200)) : encodeURI(oddNumber(random));
    const types = Object.keys(problems);
    return types[random.below(types.length)] ?? "";
  });
}

function percentEncode(random: Random, text: string): string {
  if (random.chance(0.8)) return encodeURIComponent(text.toWellFormed());
  // Without encoding, but for what would end the request line.
  return toBytes(text).replace(/[^\x21-\x7e\x80-\xff]|[#?]/g, "");
}

const otherParameters = [
  "department",
  "department",
  "department",
  "limit",
  "after",
  "offset",
  "sort",
  "q",
  "count",
  "level",
  "email",
  "name",
  "id",
  "createdAt",
  "page",
  "order",
  "LIMIT",
  "filter",
  "format",
  "fields",
] as const;

function createQuery(random: Random, operation: Operation | undefined): string {
  const own = operation?.parameters.filter((each) => each.in === "query") ?? [];
  if (!random.chance(own.length > 0 ? 0.8 : 0.06)) return random.chance(0.02) ? "?" : "";
  if (isRecordList(operation) && random.chance(0.4)) return validQuery(random);
  const pairs = random.several(1, random.chance(0.02) ? 40 : 4, () => {
    const described = own[random.below(own.length)];
    if (described && random.chance(0.7)) {
      return parameter(random, described.name, describedValue(random, described));
    }
    const name = random.chance(0.8) ? random.pick(otherParameters) : oddText(random);
    const value = random.chance(0.2) ? oddText(random) : queryValue(random, name);
    return random.chance(0.97) ? parameter(random, name, value) : percentEncode(random, name);
  });
  return `?${pairs.join(random.chance(0.97) ? "&" : random.pick([";", "&&", "&amp;"]))}`;
}

function describedValue(random: Random, { name, schema }: Parameter): string {
  if (random.chance(0.1)) return oddText(random);
  const { enum: choices } = schema;
  if (!Array.isArray(choices)) return queryValue(random, name);
  return String(choices[random.below(choices.length)]);
}

const parameter = (random: Random, name: string, value: string) =>
  `${percentEncode(random, name)}=${percentEncode(random, value)}`;

function isRecordList(operation: Operation | undefined): boolean {
  return ["listUsers", "listGroups", "listMembers", "listUserGroups"].includes(operation?.id ?? "");
}

/** A query that finds several pages of users or groups. */
function validQuery(random: Random): string {
  const pairs = [parameter(random, "limit", String(random.between(1, 5)))];
  for (const name of ["department", "sort", "q", "filter", "fields", "count"]) {
    if (random.chance(0.5)) pairs.push(parameter(random, name, queryValue(random, name)));
  }
  return `?${pairs.join("&")}`;
}

type Header = [name: string, value: string];

/** Values for headers that the service or the HTTP server reads. */
const headerValues: Record<string, (random: Random, target: FuzzTarget) => string> = {
  Accept: (random) =>
    random
      .several(1, 3, () => random.pick(mediaRanges) + random.pick(["", "", ";q=0", ";q=0.5", ";q=x"]))
      .join(", "),
  "Accept-Encoding": (random) =>
    random.several(1, 3, () => random.pick(codings) + random.pick(["", ";q=0", ";q=1.0"])).join(", "),
  "If-Match": etags,
  "If-None-Match": etags,
  "Idempotency-Key": (random) =>
    random.chance(0.7)
      ? `key-${random.below(200)}`
      : random.pick(['"quoted"', '"', "", "x".repeat(255), "x".repeat(300)]),
  "X-Request-Id": (random) => random.pick(["abc", "a b", "x".repeat(129), "../../x"]),
  Origin: (random) =>
    random.pick(["https://app.example", "https://evil.example", "null", "http://localhost"]),
  "Sec-Fetch-Site": (random) => random.pick(["same-origin", "cross-site", "none", "same-site", "x"]),
  "X-Forwarded-For": (random) =>
    random.pick(["10.0.0.1", "1.2.3.4, 127.0.0.1", "::1", "unknown", "a, b, c, d"]),
  "X-Forwarded-Proto": (random) => random.pick(["https", "http", "ftp", "https, http", ""]),
  "X-Forwarded-Host": (random) => random.pick(["roster.example", "a\\b", "evil.example:99999", "é"]),
  Forwarded: (random) => random.pick(["for=1.2.3.4;proto=https;host=x", "for=_hidden", ";;;"]),
  Cookie: (random) => random.pick(["roster_session_3000=x", "a=b; a=c", "=", "roster_session=;;"]),
  "X-Session-Token": (random) => random.pick(["x", "a".repeat(86), ""]),
  "Access-Control-Request-Method": (random) => random.pick(["POST", "DELETE", "X"]),
  "Access-Control-Request-Headers": (random) => random.pick(["content-type", "x, y, z"]),
  Range: (random) => random.pick(["bytes=0-1", "bytes=-1", "bytes=9-1", "lines=1-2"]),
  "If-Modified-Since": (random) => random.pick(["Sun, 15 Nov 2026 09:30:00 GMT", "yesterday"]),
  Prefer: (random) => random.pick(["return=minimal", "respond-async"]),
  Connection: (random) => random.pick(["close", "keep-alive", "x-request-id"]),
  TE: (random) => random.pick(["trailers", "gzip"]),
  "Accept-Language": (random) => random.pick(["de", "*", "x;q=9"]),
};

const mediaRanges = [
  "*/*",
  "application/json",
  "application/*",
  "text/csv",
  "text/*",
  "text/html",
  "application/x-ndjson",
  "application/problem+json",
  "image/png",
  "nonsense",
  "",
] as const;
const codings = ["gzip", "br", "zstd", "identity", "deflate", "*", "x", ""] as const;

function etags(random: Random): string {
  const etag = () =>
    random.pick(['"1"', '"2"', 'W/"1"', "*", '"', '""', "1", '"01"', '"99999999999999999999"', ","]);
  return random.several(1, random.chance(0.02) ? 200 : 3, etag).join(", ");
}

function createHeaders(random: Random, target: FuzzTarget, version: string): Header[] {
  const headers: Header[] = [];
  if (version === "HTTP/1.1" || random.chance(0.5)) headers.push(["Host", createHost(random, target)]);
  const key = target.keys[random.below(target.keys.length)];
  if (key !== undefined && random.chance(0.95)) {
    headers.push(random.chance(0.7) ? ["Authorization", `Bearer ${key}`] : ["X-API-Key", key]);
  } else if (random.chance(0.05)) {
    headers.push([
      "Authorization",
      random.pick(["Basic eDp5", "Bearer", "Bearer x", `Bearer ${headerText(random)}`]),
    ]);
  }
  for (let count = random.below(4); count > 0; count--) {
    const names = Object.keys(headerValues);
    const name = names[random.below(names.length)] ?? "Accept";
    if (headers.some(([existing]) => existing === name)) continue;
    const value = random.chance(0.1) ? headerText(random) : headerValues[name]?.(random, target);
    headers.push([random.chance(0.1) ? name.toLowerCase() : name, toBytes(value ?? "")]);
  }
  if (random.chance(0.02)) headers.push([`X-${random.below(100)}`, headerText(random)]);
  return headers;
}

function createHost(random: Random, target: FuzzTarget): string {
  if (random.chance(0.95)) return target.host;
  const port = target.host.split(":")[1];
  return random.pick([
    `localhost:${port}`,
    "localhost",
    "roster.example",
    `[::1]:${port}`,
    "127.0.0.1",
    "LOCALHOST",
    "",
  ]);
}

/** Adds the headers of a body. Returns the body with its framing. */
function createBody(
  random: Random,
  operation: Operation | undefined,
  path: string,
  { keys }: FuzzTarget,
  version: string,
  headers: Header[],
): string {
  const types = operation ? listRequestBodies(operation).map(({ type }) => type) : [];
  const usual = types[random.below(types.length)] ?? "application/json";
  const type = random.chance(0.93)
    ? usual
    : random.pick(["text/csv", "application/x-ndjson", "text/plain", "", "x/y"]);
  let body = type.includes("csv")
    ? csvBody(random)
    : type.includes("ndjson")
      ? ndjsonBody(random, path)
      : jsonBody(random, path, keys[0] ?? "roster_x");
  if (random.chance(0.98))
    headers.push([
      "Content-Type",
      type + (random.chance(0.9) ? "" : random.pick(["; charset=utf-8", ";charset=x", ";"])),
    ]);
  if (random.chance(0.1)) {
    const encoded = encodeBody(random, body);
    headers.push(["Content-Encoding", encoded.encoding]);
    body = encoded.body;
  }
  if (random.chance(0.01)) headers.push(["Expect", "100-continue"]);
  if (version === "HTTP/1.0" || random.chance(0.75)) {
    headers.push(["Content-Length", String(body.length)]);
    return `\r\n${body}`;
  }
  headers.push(["Transfer-Encoding", "chunked"]);
  let chunks = "\r\n";
  for (let at = 0; at < body.length; ) {
    const chunk = body.slice(at, at + random.between(1, random.chance(0.1) ? 10 : 4000));
    chunks += `${chunk.length.toString(16)}\r\n${chunk}\r\n`;
    at += chunk.length;
  }
  return `${chunks}0\r\n\r\n`;
}
