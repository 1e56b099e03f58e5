import {
  type BadRequest,
  type ExpectedProblem,
  fixturePath,
  invalidHeader,
  invalidUser,
  json,
  malformed,
  notAcceptable,
  usedKey,
  userNotFound,
  validBody,
  versionMismatch,
  wrongHost,
} from "./bad-request.ts";

const onUser = (
  method: "PUT" | "PATCH" | "DELETE",
  name: string,
  tag: string | string[],
  expected: ExpectedProblem = versionMismatch,
): BadRequest => ({
  name: `${method} with ${name}`,
  sent: {
    method,
    path: fixturePath,
    headers: { "If-Match": tag, ...(method !== "DELETE" && json) },
    ...(method !== "DELETE" && { body: validBody }),
  },
  expected,
});

/** These tags do not match version 1. */
const tags: [name: string, tag: string | string[]][] = [
  ["an empty If-Match", ""],
  ["an If-Match of another version", '"2"'],
  ["an If-Match of version 0", '"0"'],
  ["an If-Match of a version past 2^64", '"18446744073709551617"'],
  ["a weak tag of another version", 'W/"2"'],
  ["a weak tag in lower case", 'w/"1"'],
  ["a tag without quotes", "1"],
  ["a tag in single quotes", "'1'"],
  ["a tag that begins with a quote only", '"1'],
  ["a tag that ends with a quote only", '1"'],
  ["a tag of two quotes", '""'],
  ["a single quote character", '"'],
  ["a leading zero in the tag", '"01"'],
  ["a space in the tag", '" 1"'],
  ["a plus in the tag", '"+1"'],
  ["a fraction in the tag", '"1.0"'],
  ["a list of other versions", '"2", "3", W/"4"'],
  ["a list of empty tags", ",,,"],
  ["two tags without a comma", '"1""2"'],
  ["one tag with a comma inside", '"1,1"'],
  ["two asterisks", "**"],
  ["an asterisk in quotes", '"*"'],
  ["a tag that is not ASCII", '"é"'],
  ["a tag of 8,000 characters", `"${"1".repeat(8000)}"`],
  ["two If-Match headers of other versions", ['"2"', '"3"']],
];

export const preconditions: BadRequest[] = [
  ...tags.map(([name, tag]) => onUser("PUT", name, tag)),
  ...tags.slice(0, 12).flatMap(([name, tag]) => [onUser("PATCH", name, tag), onUser("DELETE", name, tag)]),
  {
    name: "PUT of an unknown user with If-Match",
    sent: {
      method: "PUT",
      path: "/api/users/424242",
      headers: { ...json, "If-Match": '"1"' },
      body: validBody,
    },
    expected: userNotFound,
  },
  {
    name: "DELETE of an unknown user with If-Match: *",
    sent: { method: "DELETE", path: "/api/users/424242", headers: { "If-Match": "*" } },
    expected: userNotFound,
  },
];

const keyed = (
  name: string,
  key: string | string[],
  expected: ExpectedProblem = invalidHeader,
  body = validBody,
): BadRequest => ({
  name: `POST with ${name}`,
  sent: { method: "POST", path: "/api/users", headers: { ...json, "Idempotency-Key": key }, body },
  expected,
});
const replayed = { headers: { "Idempotency-Replayed": "true" } };
const mismatch: ExpectedProblem = { status: 422, type: "idempotency-mismatch" };

export const idempotencyKeys: BadRequest[] = [
  keyed("an empty Idempotency-Key", ""),
  keyed("a blank Idempotency-Key", "  "),
  keyed("an Idempotency-Key of two quotes", '""'),
  keyed("an Idempotency-Key of 256 characters", "k".repeat(256)),
  keyed("an Idempotency-Key of 256 characters in quotes", `"${"k".repeat(256)}"`),
  keyed("an Idempotency-Key of 8,000 characters", "k".repeat(8000)),
  keyed("an accent in the Idempotency-Key", "clé"),
  keyed("an accent in the quoted Idempotency-Key", '"clé"'),
  keyed("an Idempotency-Key in Cyrillic", "ключ"),
  keyed("an emoji for an Idempotency-Key", "🔑"),
  keyed("a tab in the Idempotency-Key", "a\tb"),
  keyed("an Idempotency-Key that was used with another body", usedKey, mismatch),
  keyed("a used Idempotency-Key in quotes, with another body,", `"${usedKey}"`, mismatch),
  keyed("a used Idempotency-Key and an empty body", usedKey, mismatch, ""),
  keyed("a used Idempotency-Key and a broken body", usedKey, mismatch, "{"),
  keyed("a new Idempotency-Key and a broken body", "broken", malformed, "{"),
  keyed("the same Idempotency-Key and broken body again", "broken", { ...malformed, ...replayed }, "{"),
  keyed("that Idempotency-Key and a valid body", "broken", mismatch),
  keyed("a new Idempotency-Key and a bad user", "bad-user", invalidUser("/name"), "{}"),
  keyed(
    "the same Idempotency-Key and bad user again",
    "bad-user",
    { ...invalidUser("/name"), ...replayed },
    "{}",
  ),
];

const accepting = (accept: string | string[], method = "GET", path = "/api/users"): BadRequest => ({
  name: `${method} of ${path} with Accept: ${[accept].flat().join(", ")}`,
  sent: {
    method,
    path,
    headers: { Accept: accept, ...(method !== "GET" && json) },
    ...(method !== "GET" && { body: validBody }),
  },
  expected: notAcceptable,
});

export const accepts: BadRequest[] = [
  ...[
    "text/html",
    "text/*",
    "image/png, image/*;q=0.8",
    "application/xml",
    "application/xhtml+xml, text/html;q=0.9",
    "application/problem+json;q=0",
    "application/json;q=0, application/problem+json",
    "application/jsonp",
    "application/vnd.api+json",
    "application/json;q=0",
    "application/json;q=0.0, text/html",
    "application/json;q=0, */*",
    "application/json; Q=0, application/*",
    "application/*;q=0, */*",
    "*/*;q=0",
    "*/*; q=0.000",
    "application/json;q=nonsense",
    "application/json;q=-1",
    "garbage",
    "application",
    "/",
    "*",
    "*/json",
    "json",
    ",",
    ";;;",
    '"application/json"',
    "application /json",
    "text/html, ".repeat(500),
  ].map((accept) => accepting(accept)),
  accepting(["text/html", "image/png"]),
  accepting("text/html", "GET", fixturePath),
  accepting("text/html", "POST"),
  accepting("text/html", "PUT", fixturePath),
  accepting("text/html", "PATCH", fixturePath),
  accepting("text/html", "GET", "/healthz"),
  accepting("text/html", "GET", "/openapi.json"),
  accepting("application/json", "GET", "/docs"),
  accepting("application/json", "GET", "/metrics"),
  accepting("application/json", "GET", "/problems/email-taken"),
];

/** Hosts that do not name this machine, some of which would pass a careless check. */
const hosts: [name: string, host: string | string[]][] = [
  ["another name", "evil.com"],
  ["another name and a port", "evil.com:3000"],
  ["an empty host", ""],
  ["a loopback address as a subdomain", "127.0.0.1.evil.com"],
  ["localhost as a subdomain", "localhost.evil.com"],
  ["localhost at the end of another name", "evillocalhost"],
  ["localhost behind a hyphen", "evil-localhost"],
  ["the address 0.0.0.0", "0.0.0.0"],
  ["the address [::]", "[::]"],
  ["an address of the network", "192.168.0.1"],
  ["an address that begins like loopback", "127.evil.com"],
  ["a loopback address as one number", "2130706433"],
  ["a loopback address in hexadecimal", "0x7f000001"],
];

/** Hosts that are no host name or address, some of which contain one that names this machine. */
const invalidHosts: [name: string, host: string | string[]][] = [
  ["a loopback address at the end of a name", "evil127.0.0.1"],
  ["an address of too many parts", "127.0.0.1.1"],
  ["an address with a part past 255", "127.0.0.999"],
  ["a loopback address before the @", "127.0.0.1@evil.com"],
  ["localhost and a port before the @", "localhost:80@evil.com"],
  ["a loopback address after the @", "evil.com@127.0.0.1"],
  ["a name of localhost after the @", "evil.com@a.localhost"],
  ["localhost after a slash", "evil.com/.localhost"],
  ["localhost after a hash", "evil.com#.localhost"],
  ["localhost after a question mark", "evil.com?.localhost"],
  ["localhost after a backslash", "evil.com\\.localhost"],
  ["localhost after a space", "evil.com .localhost"],
  ["localhost after a port", "evil.com:80.localhost"],
  ["localhost after a comma", "evil.com,a.localhost"],
  ["markup before localhost", "<script>.localhost"],
  ["two names with a comma", "evil.com,127.0.0.1"],
  ["two ports", "127.0.0.1:1:2"],
  ["a port in letters", "localhost:http"],
  ["a scheme before the name", "http://127.0.0.1"],
  ["a path after the name", "127.0.0.1/"],
  ["a bracket that does not close", "[::1"],
  ["a bracket that does not open", "::1]"],
  ["localhost in other Unicode letters", "ⓛocalhost"],
  ["this machine, then another host", ["127.0.0.1", "evil.com"]],
  ["another host, then this machine", ["evil.com", "127.0.0.1"]],
  ["this machine twice", ["127.0.0.1", "127.0.0.1"]],
];

export const badHosts: BadRequest[] = [
  ...hosts.map(([name, host]) => ({
    name: `a Host of ${name}`,
    sent: { method: "GET", path: "/api/users", headers: { Host: host } },
    expected: wrongHost,
  })),
  ...invalidHosts.map(([name, host]) => ({
    name: `a Host of ${name}`,
    sent: { method: "GET", path: "/api/users", headers: { Host: host } },
    expected: invalidHeader,
  })),
  ...["/healthz", "/metrics", "/docs", "/", "/nowhere"].map((path) => ({
    name: `GET of ${path} with another Host`,
    sent: { method: "GET", path, headers: { Host: "evil.com" } },
    expected: wrongHost,
  })),
  ...["PUT", "PATCH", "DELETE"].map((method) => ({
    name: `${method} of a user with another Host`,
    sent: { method, path: fixturePath, headers: { ...json, Host: "evil.com" }, body: validBody },
    expected: wrongHost,
  })),
];
