import { encodeCursor } from "../../../src/domain/lists/cursor.ts";
import { type BadRequest, type ExpectedProblem, invalidQuery } from "./bad-request.ts";

const list = (name: string, query: string, expected: ExpectedProblem): BadRequest => ({
  name: `a list with ${name}`,
  sent: { method: "GET", path: `/api/users?${query}` },
  expected,
});
const invalid =
  (parameter: string) =>
  ([name, query]: [name: string, query: string]) =>
    list(name, query, invalidQuery(parameter));

const limits: [name: string, query: string][] = [
  ["a limit of 0", "limit=0"],
  ["a limit of -1", "limit=-1"],
  ["a limit of 1001", "limit=1001"],
  ["a limit of a billion", "limit=1000000000"],
  ["a limit of 400 digits", `limit=${"9".repeat(400)}`],
  ["a limit in letters", "limit=abc"],
  ["a limit of 1.5", "limit=1.5"],
  ["a limit of 1e2", "limit=1e2"],
  ["a limit in hexadecimal", "limit=0x10"],
  ["a limit with a leading zero", "limit=010"],
  ["a limit with a plus", "limit=%2B5"],
  ["a limit with a space before it", "limit=+5"],
  ["a limit with a line break after it", "limit=5%0a"],
  ["a limit in full-width digits", "limit=%EF%BC%95"],
  ["a limit of NaN", "limit=NaN"],
  ["a limit of Infinity", "limit=Infinity"],
  ["an empty limit", "limit="],
  ["a limit without an equals sign", "limit"],
  ["a duplicate limit", "limit=5&limit=5"],
  ["two limits", "limit=5&limit=6"],
  ["a limit in two spellings", "limit=5&%6cimit=6"],
  ["a semicolon instead of an ampersand", "limit=5;offset=1"],
  ["a NUL in the limit", "limit=5%00"],
  ["a limit in broken UTF-8", "limit=%ff"],
  ["a limit in broken percent-encoding", "limit=%5"],
];

const offsets: [name: string, query: string][] = [
  ["an offset of 10000001", "offset=10000001"],
  ["an offset of -1", "offset=-1"],
  ["an offset of 1.5", "offset=1.5"],
  ["an offset in letters", "offset=two"],
  ["an empty offset", "offset="],
  ["an offset of 2^64", "offset=18446744073709551616"],
  ["two offsets", "offset=1&offset=2"],
];

const sorts: [name: string, query: string][] = [
  ["a sort by --id", "sort=--id"],
  ["a sort by a hyphen", "sort=-"],
  ["a sort by +id", "sort=%2Bid"],
  ["a sort by two fields", "sort=name,id"],
  ["a sort with a direction", "sort=id%20desc"],
  ["a sort with SQL in it", "sort=id;DROP%20TABLE%20users"],
  ["an empty sort", "sort="],
  ["two sorts", "sort=id&sort=name"],
];

const searches: [name: string, query: string][] = [
  ["an empty q", "q="],
  ["a q without an equals sign", "q"],
  ["a q of 101 characters", `q=${"a".repeat(101)}`],
  ["a q of 101 emoji", `q=${"%F0%9F%98%80".repeat(101)}`],
  ["a q of a space", "q=%20"],
  ["a q of plus signs", "q=+++"],
  ["a q of tabs and line breaks", "q=%09%0d%0a"],
  ["a q of an ideographic space", "q=%E3%80%80"],
  ["a q of nothing but accents", "q=%CC%81%CC%80"],
  ["a q of an accent between spaces", "q=+%CC%81+"],
  ["a q of 11 words", "q=a+b+c+d+e+f+g+h+i+j+k"],
  ["a q of 11 equal words", `q=${"a+".repeat(11)}`],
  ["a NUL in q", "q=a%00b"],
  ["broken UTF-8 in q", "q=%ff"],
  ["half of a surrogate pair in q", "q=%ed%a0%80"],
  ["broken percent-encoding in q", "q=100%"],
  ["two q", "q=a&q=b"],
];

const counts: [name: string, query: string][] = [
  ["a count of yes", "count=yes"],
  ["a count of 1", "count=1"],
  ["a count of TRUE", "count=TRUE"],
  ["an empty count", "count="],
  ["a count without an equals sign", "count"],
  ["two counts", "count=true&count=true"],
];

const cursor = (data: unknown) => Buffer.from(JSON.stringify(data)).toString("base64url");
const ofNames = encodeCursor({ sort: "name", descending: false }, { key: "ada", id: 1, skip: 0 });
const ofIds = encodeCursor({ sort: "id", descending: false }, { key: null, id: 1, skip: 0 });

const cursors: [name: string, query: string][] = [
  ["an empty cursor", "after="],
  ["a number for a cursor", "after=1"],
  ["a word for a cursor", "after=garbage"],
  ["a cursor of broken UTF-8", `after=${Buffer.from([0xff, 0xfe]).toString("base64url")}`],
  ["a cursor of another sort", `after=${ofNames}`],
  ["a cursor of the other direction", `sort=-id&after=${ofIds}`],
  ["a cursor of ids for a list by name", `sort=name&after=${ofIds}`],
  ["half of a cursor", `after=${ofIds.slice(0, -1)}`],
  ["a cursor that is an object", `after=${cursor({ order: "id" })}`],
  ["a cursor that is null", `after=${cursor(null)}`],
  ["a cursor with a part missing", `after=${cursor(["id", null, 1])}`],
  ["a cursor with a part too many", `after=${cursor(["id", null, 1, 0, 0])}`],
  ["a cursor with a negative id", `after=${cursor(["id", null, -1, 0])}`],
  ["a cursor with a fraction for an id", `after=${cursor(["id", null, 1.5, 0])}`],
  ["a cursor with SQL for an id", `after=${cursor(["id", null, "1 OR 1=1", 0])}`],
  ["a cursor with an id past 2^53", `after=${cursor(["id", null, 2 ** 53, 0])}`],
  ["a cursor that skips backwards", `after=${cursor(["id", null, 1, -1])}`],
  ["a cursor with a key for another sort", `after=${cursor(["id", "x", 1, 0])}`],
  ["a cursor with a number for a name", `sort=name&after=${cursor(["name", 1, 1, 0])}`],
  ["a cursor with null for a name", `sort=name&after=${cursor(["name", null, 1, 0])}`],
  ["a cursor with a NUL in its name", `sort=name&after=${cursor(["name", "\u0000", 1, 0])}`],
  ["a cursor with half of a surrogate pair", `sort=name&after=${cursor(["name", "\ud800", 1, 0])}`],
  ["a cursor with text for a time", `sort=createdAt&after=${cursor(["createdAt", "now", 1, 0])}`],
  ["a cursor with a negative time", `sort=createdAt&after=${cursor(["createdAt", -1, 1, 0])}`],
  ["a cursor with an object for an email", `sort=email&after=${cursor(["email", {}, 1, 0])}`],
  ["a cursor of 500 levels", `after=${Buffer.from("[".repeat(500) + "]".repeat(500)).toString("base64url")}`],
  ["two cursors", `after=${ofIds}&after=${ofIds}`],
  ["a cursor and an offset", `after=${ofIds}&offset=1`],
];

/** Invalid names and values of filters. */
const names: [name: string, parameter: string, query: string][] = [
  ["a hyphen in a name", "a-b", "a-b=1"],
  ["a dot in a name", "a.b", "a.b=1"],
  ["a space in a name", "a b", "a%20b=1"],
  ["a plus in a name", "a b", "a+b=1"],
  ["brackets after a name", "tags[]", "tags[]=1"],
  ["a database operator as a name", "$where", "$where=1"],
  ["an underscore before a name", "_id", "_id=1"],
  ["a digit before a name", "1a", "1a=1"],
  ["no name", "", "=x"],
  ["only an equals sign", "", "="],
  ["a name of 65 characters", "f".repeat(65), `${"f".repeat(65)}=1`],
  ["a name with an accent", "prénom", "pr%C3%A9nom=1"],
  ["a NUL in a name", "a\u0000", "a%00=1"],
  ["a header injected into a name", "a\r\nSet-Cookie: b", "a%0d%0aSet-Cookie:%20b=1"],
  ["broken UTF-8 for a name", "", "%ff=1"],
  ["broken percent-encoding for a name", "", "%zz=1"],
  ["broken UTF-8 for a value", "department", "department=%ff"],
  ["an overlong slash for a value", "department", "department=%c0%af"],
  ["a percent sign for a value", "department", "department=%"],
  ["a NUL for a value", "department", "department=%00"],
  ["a NUL in an email", "email", "email=ada%00@example.com"],
  ...["password", "passwd", "secret", "token", "apiKey", "__proto__", "constructor", "prototype"].map(
    (field): [string, string, string] => [`the name ${field}`, field, `${field}=x`],
  ),
  ["an encoded __proto__", "__proto__", "%5F_proto__=x"],
];

const fields = (count: number) => Array.from({ length: count }, (_, i) => `f${i}=1`).join("&");
const values = (count: number) => Array.from({ length: count }, (_, i) => `level=${i}`).join("&");

export const queries: BadRequest[] = [
  ...limits.map(invalid("limit")),
  ...offsets.map(invalid("offset")),
  ...sorts.map(invalid("sort")),
  ...searches.map(invalid("q")),
  ...counts.map(invalid("count")),
  ...cursors.map(invalid("after")),
  ...names.map(([name, parameter, query]) => list(name, query, invalidQuery(parameter))),
  list("filters on 11 fields", fields(11), invalidQuery("")),
  list("filters on a thousand fields", fields(1000), invalidQuery("")),
  list("101 values for one field", values(101), invalidQuery("level")),
  list("101 values for the id", values(101).replaceAll("level", "id"), invalidQuery("id")),
  list(
    "an error in every parameter",
    "limit=0&offset=x&sort=--id&count=maybe&q=&a-b=1",
    invalidQuery("sort", "limit", "offset", "count", "q", "a-b"),
  ),
  {
    name: "a list with a trailing slash and a limit of 0",
    sent: { method: "GET", path: "/api/users/?limit=0" },
    expected: invalidQuery("limit"),
  },
];
