import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../src/contract/json.ts";
import { groupKind, urns, userKind } from "../../src/scim/attributes.ts";
import { normalizeDocument } from "../../src/scim/normalize.ts";
import { errorOf } from "./support/error-of.ts";

const { enterpriseUser, rosterUser } = urns;
const other = "urn:example:params:2.0:User";

/** What a client sends, and the document. */
const documents: readonly (readonly [what: string, sent: JsonObject, document: JsonObject])[] = [
  ["names in any case", { USERNAME: "a", DisplayName: "A" }, { userName: "a", displayName: "A" }],
  ["names of sub-attributes in any case", { name: { GIVENNAME: "A" } }, { name: { givenName: "A" } }],
  ["null", { title: null, nickName: "A" }, { nickName: "A" }],
  ["empty lists and objects", { roles: [], name: {}, emails: [{}] }, {}],
  ["unassigned values at any depth", { name: { givenName: null, familyName: [] } }, {}],
  ["an empty list for a text", { title: [], active: {} }, {}],
  ["an empty text", { title: "" }, { title: "" }],
  ["True", { active: "True" }, { active: true }],
  ["FALSE", { active: "FALSE" }, { active: false }],
  [
    "a boolean in an entry",
    { roles: [{ value: "a", primary: "True" }] },
    { roles: [{ value: "a", primary: true }] },
  ],
  ["text that looks like a boolean", { title: "True" }, { title: "True" }],
  [
    "the same entry twice",
    {
      emails: [
        { value: "a@x", type: "work" },
        { value: "A@x", type: "WORK" },
        { value: "a@x", type: "home" },
      ],
    },
    {
      emails: [
        { value: "A@x", type: "WORK" },
        { value: "a@x", type: "home" },
      ],
    },
  ],
  [
    "an entry again with more about it",
    { roles: [{ value: "a" }, { value: "b" }, { value: "a", display: "A" }] },
    { roles: [{ value: "a", display: "A" }, { value: "b" }] },
  ],
  [
    "photos that differ in case",
    { photos: [{ value: "https://x/a" }, { value: "https://x/A" }] },
    { photos: [{ value: "https://x/a" }, { value: "https://x/A" }] },
  ],
  [
    "addresses of the same type",
    {
      addresses: [
        { type: "work", country: "NO" },
        { type: "work", country: "SE" },
        { type: "work", country: "NO" },
      ],
    },
    {
      addresses: [
        { type: "work", country: "NO" },
        { type: "work", country: "SE" },
      ],
    },
  ],
  ["one entry instead of a list", { emails: { value: "a@x" } }, { emails: [{ value: "a@x" }] }],
  ["texts as entries", { roles: ["a", "b"] }, { roles: [{ value: "a" }, { value: "b" }] }],
  ["a text instead of a list", { roles: "a" }, { roles: [{ value: "a" }] }],
  [
    "sub-attributes that no table has",
    { emails: [{ value: "a@x", verified: true, note: { a: null, b: 1 } }] },
    { emails: [{ value: "a@x", verified: true, note: { b: 1 } }] },
  ],
  ["unknown parts of the name", { name: { givenName: "A", nick: "B" } }, { name: { givenName: "A" } }],
  ["unknown attributes", { login: "a", title: "T" }, { title: "T" }],
  [
    "what only the service writes",
    { id: "1", meta: { version: "1" }, groups: [{ value: "g1" }], schemas: ["x"], title: "T" },
    { title: "T" },
  ],
  ["credentials", { password: "p", X509Certificates: [{ value: "c" }], title: "T" }, { title: "T" }],
  [
    "credentials at any depth",
    { emails: [{ value: "a@x", Password: "p" }], [other]: { a: { api_key: "k", b: 1 }, token: "t" } },
    { emails: [{ value: "a@x" }], [other]: { a: { b: 1 } } },
  ],
  [
    "a manager as text",
    { [enterpriseUser]: { manager: "7" } },
    { [enterpriseUser]: { manager: { value: "7" } } },
  ],
  [
    "a manager as a list of one",
    { [enterpriseUser]: { manager: [{ $ref: "/7", value: "7" }] } },
    { [enterpriseUser]: { manager: { $ref: "/7", value: "7" } } },
  ],
  [
    "the name of a manager",
    { [enterpriseUser]: { manager: { value: "7", displayName: "Ada" } } },
    { [enterpriseUser]: { manager: { value: "7" } } },
  ],
  ["no manager", { [enterpriseUser]: { manager: { displayName: "Ada" } } }, { [enterpriseUser]: {} }],
  ["an empty manager", { [enterpriseUser]: { manager: "" } }, { [enterpriseUser]: {} }],
  [
    "a URN in another case",
    { [enterpriseUser.toUpperCase()]: { Department: "D" } },
    { [enterpriseUser]: { department: "D" } },
  ],
  [
    "unknown attributes of the enterprise extension",
    { [enterpriseUser]: { a: 1 } },
    { [enterpriseUser]: {} },
  ],
  [
    "custom fields, whose names keep their case",
    { [rosterUser]: { Level: 5, level: null, tags: [null, "a"] } },
    { [rosterUser]: { Level: 5, tags: ["a"] } },
  ],
  ["an extension without values", { [rosterUser]: null, [other]: {} }, { [rosterUser]: {}, [other]: {} }],
  ["another extension", { [other]: { a: [{ b: 1 }] } }, { [other]: { a: [{ b: 1 }] } }],
  [
    "another extension twice, in two cases",
    { [other]: { a: 1 }, [other.toUpperCase()]: { b: 2 } },
    { [other]: { a: 1, b: 2 } },
  ],
  ["the core schema as an extension", { [urns.user]: { UserName: "a" } }, { userName: "a" }],
  ["a name with the URN of the core schema", { [`${urns.user}:title`]: "T" }, { title: "T" }],
  [
    "names with URNs",
    { [`${enterpriseUser}:department`]: "D", [`${rosterUser}:level`]: 5, [`${other}:tag`]: "t" },
    { [enterpriseUser]: { department: "D" }, [rosterUser]: { level: 5 }, [other]: { tag: "t" } },
  ],
  ["names of prototypes", JSON.parse('{"__proto__":{"a":1},"constructor":1,"title":"T"}'), { title: "T" }],
  [
    "names of prototypes in extensions",
    JSON.parse(`{"${other}":{"__proto__":{"a":1},"b":{"prototype":1,"c":2}}}`),
    { [other]: { b: { c: 2 } } },
  ],
];

describe("a document has", () => {
  test.each(documents)("%s in one form", (_, sent, document) => {
    expect(normalizeDocument(userKind, sent)).toEqual(document);
  });

  test.each(documents)("%s in a form that stays", (_, __, document) => {
    expect(normalizeDocument(userKind, document)).toEqual(document);
  });
});

test("the body is not modified", () => {
  for (const [, sent] of documents) {
    const before = structuredClone(sent);
    normalizeDocument(userKind, sent);
    expect(sent).toEqual(before);
  }
});

test("members of a group are as they were sent", () => {
  const MEMBERS = [{ VALUE: "1", display: null }];
  expect(normalizeDocument(groupKind, { DISPLAYNAME: "Sales", MEMBERS })).toEqual({
    displayName: "Sales",
    members: MEMBERS,
  });
});

const deep = (levels: number) => JSON.parse(`${"[".repeat(levels)}1${"]".repeat(levels)}`);

describe("a body is refused with", () => {
  test.each<[what: string, body: unknown, error: string]>([
    ["a list", [], "invalidSyntax: The body must be a JSON object."],
    ["null", null, "invalidSyntax: The body must be a JSON object."],
    ["a text", "x", "invalidSyntax: The body must be a JSON object."],
    ["a number as title", { title: 5 }, "invalidValue: title must be text."],
    ["a list as user name", { userName: ["a"] }, "invalidValue: userName must be text."],
    ["an object as nickname", { nickName: { a: 1 } }, "invalidValue: nickName must be text."],
    ["a number as active", { active: 1 }, "invalidValue: active must be true or false."],
    ["another text as active", { active: "yes" }, "invalidValue: active must be true or false."],
    ["a text as name", { name: "Ada" }, "invalidValue: name must be an object."],
    [
      "a number as part of the name",
      { name: { givenName: 5 } },
      "invalidValue: name.givenName must be text.",
    ],
    ["a number as emails", { emails: 5 }, "invalidValue: emails must be a list of objects."],
    ["a number as an email", { emails: [5] }, "invalidValue: emails must be a list of objects."],
    ["a list in a list", { emails: [["a"]] }, "invalidValue: emails must be a list of objects."],
    ["a text as an address", { addresses: ["a"] }, "invalidValue: addresses must be a list of objects."],
    ["a number as value", { roles: [{ value: 5 }] }, "invalidValue: roles.value must be text."],
    [
      "a text as primary",
      { roles: [{ value: "a", primary: "x" }] },
      "invalidValue: roles.primary must be true or false.",
    ],
    [
      "two primary emails",
      {
        emails: [
          { value: "a", primary: true },
          { value: "b", primary: "true" },
        ],
      },
      "invalidValue: emails has more than one primary entry. Send primary with at most one.",
    ],
    [
      "two managers",
      { [enterpriseUser]: { manager: ["7", "8"] } },
      "invalidValue: manager must be an object.",
    ],
    ["a text as extension", { [enterpriseUser]: "x" }, `invalidValue: ${enterpriseUser} must be an object.`],
    ["a list as another extension", { [other]: [1] }, `invalidValue: ${other} must be an object.`],
    ["a deep value", { [other]: { a: deep(200) } }, "invalidValue: Nest values in fewer levels."],
    ["a very deep value", { roles: [{ a: deep(20_000) }] }, "invalidValue: Nest values in fewer levels."],
  ])("%s", (_, body, error) => {
    expect(errorOf(() => normalizeDocument(userKind, body))).toBe(error);
  });
});
