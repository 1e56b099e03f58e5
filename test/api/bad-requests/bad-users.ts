import { credentialFields, prototypeNames } from "../../../src/contract/users/field-name.ts";
import {
  type BadBody,
  type BadRequest,
  fixturePath,
  invalidUser,
  json,
  nested,
  otherUser,
} from "./bad-request.ts";

const bad = (name: string, body: string, ...pointers: string[]): BadBody => ({
  name,
  body,
  expected: invalidUser(...pointers),
});
/** A valid user with one more member, as JSON text. */
const withMember = (name: string, member: string, ...pointers: string[]) =>
  bad(name, `{"name":"A",${member}}`, ...pointers);
const withField = (name: string, field: string, ...pointers: string[]) =>
  withMember(name, `${JSON.stringify(field)}:1`, ...pointers);

export const notObjects: BadBody[] = [
  bad("null for a body", "null", ""),
  bad("true for a body", "true", ""),
  bad("false for a body", "false", ""),
  bad("a number for a body", "42", ""),
  bad("an out-of-range number for a body", "1e400", ""),
  bad("a string for a body", '"Ada"', ""),
  bad("an empty string for a body", '""', ""),
  bad("an object inside a string", JSON.stringify('{"name":"Ada"}'), ""),
  bad("an empty array for a body", "[]", ""),
  bad("an array with a user in it", '[{"name":"Ada"}]', ""),
  bad("an array nested 1,000 levels deep", nested(1000, "[", "]"), ""),
];

const values: [name: string, json: string][] = [
  ["true", "true"],
  ["false", "false"],
  ["zero", "0"],
  ["a number", "42"],
  ["a fraction", "-1.5"],
  ["an empty array", "[]"],
  ["an array", '["Ada"]'],
  ["an empty object", "{}"],
  ["an object", '{"first":"Ada"}'],
];

export const badNames: BadBody[] = [
  ...values.map(([name, value]) => bad(`${name} for a name`, `{"name":${value}}`, "/name")),
  bad("null for a name", '{"name":null}', "/name"),
  bad("an empty name", '{"name":""}', "/name"),
  bad("a blank name", '{"name":"   "}', "/name"),
  bad("a name of tabs and line breaks", '{"name":"\\t\\r\\n"}', "/name"),
  bad("a name of no-break spaces", '{"name":"\\u00a0\\u00a0"}', "/name"),
  bad("a name of ideographic spaces", '{"name":"\\u3000"}', "/name"),
  bad("a name that is a byte order mark", '{"name":"\\ufeff"}', "/name"),
  bad("a name of 257 characters", JSON.stringify({ name: "x".repeat(257) }), "/name"),
  bad("a name of 257 emoji", JSON.stringify({ name: "😀".repeat(257) }), "/name"),
  bad("a name of 10,000 characters", JSON.stringify({ name: "x".repeat(10_000) }), "/name"),
  bad("a line break in the name", '{"name":"Ada\\nLovelace"}', "/name"),
  bad("a tab in the name", '{"name":"Ada\\tLovelace"}', "/name"),
  bad("an escape character in the name", '{"name":"Ada\\u001b[31m"}', "/name"),
  bad("a delete character in the name", '{"name":"Ada\\u007f"}', "/name"),
  bad("a C1 control character in the name", '{"name":"Ada\\u0085"}', "/name"),
  bad("a NUL in the name", '{"name":"Ada\\u0000"}', "/name"),
  bad("a NUL for a name", '{"name":"\\u0000"}', "/name"),
  bad("half of a surrogate pair in the name", '{"name":"Ada \\ud83d"}', "/name"),
];

const addresses: [name: string, email: string][] = [
  ["an empty email", ""],
  ["a blank email", " "],
  ["an email without an @", "ada.example.com"],
  ["an email that is an @", "@"],
  ["an email with nothing before its @", "@example.com"],
  ["an email with nothing after its @", "ada@"],
  ["an email with two @ together", "ada@@example.com"],
  ["an email with two @ apart", "ada@home@example.com"],
  ["a space before the email", " ada@example.com"],
  ["a space after the email", "ada@example.com "],
  ["a space in the email", "ada lovelace@example.com"],
  ["a space in the email's domain", "ada@example .com"],
  ["a no-break space in the email", "ada\u00a0l@example.com"],
  ["a line break after the email", "ada@example.com\n"],
  ["a header injected into the email", "ada@example.com\r\nBcc: all@example.com"],
  ["a tab in the email", "ada\t@example.com"],
  ["a NUL in the email", "ada\u0000@example.com"],
  ["a delete character in the email", "ada\u007f@example.com"],
  ["a byte order mark before the email", "\ufeffada@example.com"],
  ["a line separator in the email", "ada\u2028@example.com"],
  ["an email that begins with a dot", ".ada@example.com"],
  ["a dot before the @", "ada.@example.com"],
  ["two dots in the email", "ada..l@example.com"],
  ["a dot after the @", "ada@.example.com"],
  ["an email that ends with a dot", "ada@example.com."],
  ["two dots in the domain", "ada@example..com"],
  ["a comma in the email", "ada,l@example.com"],
  ["an email with a soft hyphen", "a\u00adda@example.com"],
  ["an email with a zero-width space", "ada\u200b@example.com"],
  ["an email with a change of direction", "ada@\u202eexample.com"],
  ["an email with a variation selector", "ada\ufe0f@example.com"],
  ["an email with a Hangul filler", "\u3164@example.com"],
  ["an email with a tag character", "ada\u{e0061}@example.com"],
  ["two emails with a comma", "ada@example.com,bob@example.com"],
  ["two emails with a semicolon", "ada@example.com;bob@example.com"],
  ["an email in angle brackets", "<ada@example.com>"],
  ["an email with a display name", "Ada <ada@example.com>"],
  ["an email as a link", "mailto:ada@example.com"],
  ["an email with a port", "ada@example.com:25"],
  ["an email with a comment", "ada(work)@example.com"],
  ["an email with a quoted part", '"ada l"@example.com'],
  ["an email at an address in brackets", "ada@[127.0.0.1]"],
  ["a backslash in the email", "ada\\l@example.com"],
  ["an email of 255 characters", `${"a".repeat(243)}@example.com`],
  ["an email of 20,000 dots", `${".".repeat(20_000)}@`],
];

export const badEmails: BadBody[] = [
  ...values.map(([name, value]) => withMember(`${name} for an email`, `"email":${value}`, "/email")),
  ...addresses.map(([name, email]) => withMember(name, `"email":${JSON.stringify(email)}`, "/email")),
  withMember("half of a surrogate pair in the email", '"email":"a\\udc00@example.com"', "/email"),
  {
    name: "another user's email in capitals",
    body: JSON.stringify({ name: "A", email: otherUser.email.toUpperCase() }),
    expected: { status: 409, type: "email-taken" },
  },
];

const many = Array.from({ length: 150 }, (_, i) => `bad-${i}`);

export const badFields: BadBody[] = [
  ...[...credentialFields, "Password", "api_key", "CLIENT_SECRET", "P_I_N_"].map((field) =>
    withField(`the credential ${field}`, field, `/${field}`),
  ),
  withMember("a password of null", '"password":null', "/password"),
  ...prototypeNames.map((field) => withField(`a field named ${field}`, field, `/${field}`)),
  ...prototypeNames.map((field) =>
    withMember(`${field} with an object in it`, `"${field}":{"admin":true}`, `/${field}`),
  ),
  ...prototypeNames.map((field) =>
    withMember(`${field} inside a value`, `"a":{"b":[0,{"${field}":{}}]}`, `/a/b/1/${field}`),
  ),
  withMember("an escaped __proto__", '"__pr\\u006fto__":{"admin":true}', "/__proto__"),
  withMember("an escaped __proto__ inside a value", '"a":{"__pr\\u006fto__":1}', "/a/__proto__"),
  withField("a field without a name", "", "/"),
  withField("a field named by a space", " ", "/ "),
  withField("a field's name with a space", "first name", "/first name"),
  withField("a field's name with a hyphen", "first-name", "/first-name"),
  withField("a field's name with a dot", "first.name", "/first.name"),
  withField("a field's name with a slash", "a/b", "/a~1b"),
  withField("a field's name with a tilde", "a~b", "/a~0b"),
  withField("a field's name with a dollar", "$set", "/$set"),
  withField("a field's name with an apostrophe", "a'b", "/a'b"),
  withField("a field's name with a quote", 'a"b', '/a"b'),
  withField("a field's name in brackets", "a[0]", "/a[0]"),
  withField("a field's name that begins with a digit", "1st", "/1st"),
  withField("a field's name that is a number", "0", "/0"),
  withField("a field's name that begins with an underscore", "_id", "/_id"),
  withField("a field's name of 65 characters", "f".repeat(65), `/${"f".repeat(65)}`),
  withField("a field's name with an accent", "prénom", "/prénom"),
  withField("a field's name in Cyrillic", "имя", "/имя"),
  withField("a field's name with an emoji", "a😀", "/a😀"),
  withField("a field's name with a line break after it", "level\n", "/level\n"),
  withMember("a NUL in a field's name", '"a\\u0000":1', "/a\u0000"),
  withMember("half of a surrogate pair in a field's name", '"a\\ud800":1', "/a\ud800"),
  bad(
    "150 bad fields",
    `{"name":"A",${many.map((field) => `"${field}":1`).join()}}`,
    ...many.slice(0, 100).map((field) => `/${field}`),
  ),
];

export const badValues: BadBody[] = [
  withMember("a NUL in a value", '"a":"x\\u0000"', "/a"),
  withMember("a NUL deep in a value", '"a":[{"b":"\\u0000"}]', "/a/0/b"),
  withMember("a NUL in a name inside a value", '"a":{"\\u0000":1}', "/a/\u0000"),
  withMember("the first half of a surrogate pair", '"a":"\\ud800"', "/a"),
  withMember("the second half of a surrogate pair", '"a":"\\udfff"', "/a"),
  withMember("a surrogate pair the wrong way round", '"a":"\\ude00\\ud83d"', "/a"),
  withMember("a surrogate half between letters", '"a":"x\\ud83dy"', "/a"),
  withMember("a surrogate half deep in a value", '"a":{"b":["\\udbff"]}', "/a/b/0"),
  withMember("a surrogate half in a name inside a value", '"a":{"\\ud800":1}', "/a/\ud800"),
  withMember("the number 1e400", '"a":1e400', "/a"),
  withMember("the number -1e309", '"a":-1e309', "/a"),
  withMember("the number 1e300", '"a":1e300', "/a"),
  withMember("an exponent of a thousand digits", `"a":1e${"9".repeat(1000)}`, "/a"),
  withMember("the number 2^53", '"a":9007199254740992', "/a"),
  withMember("the number 2^53 + 1", '"a":9007199254740993', "/a"),
  withMember("the number -2^53 - 1", '"a":-9007199254740993', "/a"),
  withMember("the number 2^64", '"a":18446744073709551616', "/a"),
  withMember("a number of 400 digits", `"a":${"1".repeat(400)}`, "/a"),
  withMember("a number of 10,000 digits", `"a":${"7".repeat(10_000)}`, "/a"),
  withMember("a huge number deep in a value", '"a":[[{"b":1e999}]]', "/a/0/0/b"),
  withMember("arrays nested 65 levels deep", `"a":${nested(65, "[", "]")}`, `/a${"/0".repeat(64)}`),
  withMember(
    "objects nested 65 levels deep",
    `"a":${nested(64, '{"b":', "}", "{}")}`,
    `/a${"/b".repeat(64)}`,
  ),
  withMember("arrays nested 1,000 levels deep", `"a":${nested(1000, "[", "]")}`, `/a${"/0".repeat(64)}`),
  withMember("a record of more than 16 KiB", `"a":"${"x".repeat(16_384)}"`, ""),
  withMember("a record of more than 16 KiB in emoji", `"a":"${"😀".repeat(4096)}"`, ""),
  withMember("a record of 4,000 fields", Array.from({ length: 4000 }, (_, i) => `"f${i}":1`).join(), ""),
  {
    name: "a thousand errors inside a name of 30,000 characters",
    body: `{"name":"A","a":{"${"k".repeat(30_000)}":[${Array.from({ length: 1000 }, () => '"\\u0000"')}]}}`,
    expected: { status: 422, type: "invalid-user" },
  },
  bad(
    "every kind of error",
    '{"email":"nope","secret":1,"bad name":1,"big":1e999,"half":"\\ud800","name":""}',
    ...["/secret", "/bad name", "/big", "/half", "/name", "/email"],
  ),
];

const by = (method: string, path: string, name: string, body: string, ...pointers: string[]): BadRequest => ({
  name: `${method} with ${name}`,
  sent: { method, path, headers: json, body },
  expected: invalidUser(...pointers),
});

/** Bodies that only some methods reject. */
export const badForMethod: BadRequest[] = [
  by("POST", "/api/users", "no name", "{}", "/name"),
  by("POST", "/api/users", "only read-only fields", '{"id":1,"version":1}', "/name"),
  by("POST", "/api/users", "its name in capitals", '{"NAME":"Ada"}', "/name"),
  by("PUT", fixturePath, "no name", '{"email":"ada@example.com"}', "/name"),
  by("PUT", fixturePath, "the id of another user", '{"id":2,"name":"A"}', "/id"),
  by("PUT", fixturePath, "its id as a string", '{"id":"1","name":"A"}', "/id"),
  by("PUT", fixturePath, "its id as an array", '{"id":[1],"name":"A"}', "/id"),
  by("PUT", fixturePath, "an out-of-range id", '{"id":1e400,"name":"A"}', "/id"),
  by("PATCH", fixturePath, "the id of another user", '{"id":2}', "/id"),
  by("PATCH", fixturePath, "an incomplete email", '{"email":"ada@"}', "/email"),
  by("PATCH", fixturePath, "an object merged into the name", '{"name":{"first":"Ada"}}', "/name"),
  by("PATCH", fixturePath, "an object merged into the email", '{"email":{"work":null}}', "/email"),
  by("PATCH", fixturePath, "a JSON Patch of RFC 6902", '[{"op":"remove","path":"/email"}]', ""),
  by("PATCH", fixturePath, "a credential to remove", '{"token":null}', "/token"),
  by("PATCH", fixturePath, "a patch that makes the record too large", `{"a":"${"x".repeat(16_384)}"}`, ""),
];

/** So deep that the service does not parse them: a recursive parser or check could overflow the stack. */
export const deepBodies: BadBody[] = [
  bad("30,000 levels of [", nested(30_000, "[", "]"), ""),
  withMember("a field of 30,000 levels of [", `"a":${nested(30_000, "[", "]")}`, ""),
  bad("30,000 levels of [ that never close", nested(30_000, "[", ""), ""),
  bad('13,000 levels of {"a": that never close', nested(13_000, '{"a":', ""), ""),
  withMember('a field of 10,000 levels of {"a":', `"a":${nested(10_000, '{"a":', "}", "1")}`, ""),
];
