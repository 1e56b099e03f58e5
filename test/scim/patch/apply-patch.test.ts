import { describe, expect, test } from "bun:test";
import type { Json, JsonObject } from "../../../src/contract/json.ts";
import { groupKind, urns, userKind } from "../../../src/scim/attributes.ts";
import { applyPatch, parsePatch } from "../support/patch.ts";

const { enterpriseUser, rosterUser } = urns;
const other = "urn:example:params:2.0:User";
const home = { value: "ada@home.example", type: "home" };
const work = { value: "ada@example.com", type: "work", primary: true };

const document: JsonObject = {
  schemas: [urns.user],
  id: "42",
  userName: "ada",
  active: true,
  displayName: "Ada",
  name: { givenName: "Ada", familyName: "King" },
  title: "T",
  emails: [work, home],
  roles: [{ value: "a" }, { value: "b", type: "x" }],
  [enterpriseUser]: { department: "D", manager: { value: "7", $ref: "/Users/7" } },
  [rosterUser]: { level: 5, tags: ["a", "b"], address: { city: "Oslo" }, Zone: "north" },
  [other]: { Tag: "t", list: [{ a: 1 }, { a: 2, b: 3 }] },
};
const patch = (...Operations: Json[]) => applyPatch(userKind, document, parsePatch(userKind, { Operations }));

/** The attributes that the operations change; null for those that they remove. */
function changes(...operations: Json[]): JsonObject {
  const next = patch(...operations);
  const names = new Set([...Object.keys(document), ...Object.keys(next)]);
  const changed = [...names].filter((name) => !Bun.deepEquals(document[name], next[name]));
  return Object.fromEntries(changed.map((name) => [name, next[name] ?? null])) as JsonObject;
}

const enterprise = (members: object) => ({
  [enterpriseUser]: { ...(document[enterpriseUser] as object), ...members },
});
const roster = (members: object) => ({ [rosterUser]: { ...(document[rosterUser] as object), ...members } });

type Case = readonly [what: string, operations: Json[], changed: object];

describe("add", () => {
  test.each<Case>([
    ["sets an attribute", [{ op: "add", path: "nickName", value: "A" }], { nickName: "A" }],
    ["sets an attribute that has a value", [{ op: "add", path: "title", value: "U" }], { title: "U" }],
    [
      "appends to a list",
      [{ op: "add", path: "roles", value: [{ value: "c" }] }],
      { roles: [...(document.roles as Json[]), { value: "c" }] },
    ],
    [
      "appends one entry",
      [{ op: "add", path: "roles", value: { value: "c" } }],
      { roles: [...(document.roles as Json[]), { value: "c" }] },
    ],
    [
      "appends a text as an entry",
      [{ op: "add", path: "roles", value: "c" }],
      { roles: [...(document.roles as Json[]), { value: "c" }] },
    ],
    [
      "starts a list",
      [{ op: "add", path: "phoneNumbers", value: [{ value: "1" }] }],
      { phoneNumbers: [{ value: "1" }] },
    ],
    [
      "adds to an entry of the same type and value",
      [{ op: "add", path: "emails", value: [{ ...home, display: "H" }] }],
      { emails: [work, { ...home, display: "H" }] },
    ],
    [
      "merges a complex attribute",
      [{ op: "add", path: "name", value: { middleName: "B", GIVENNAME: "A" } }],
      { name: { givenName: "A", familyName: "King", middleName: "B" } },
    ],
    [
      "sets a sub-attribute",
      [{ op: "add", path: "name.formatted", value: "Ada King" }],
      { name: { givenName: "Ada", familyName: "King", formatted: "Ada King" } },
    ],
    [
      "sets a sub-attribute of all entries",
      [{ op: "add", path: "roles.display", value: "R" }],
      {
        roles: [
          { value: "a", display: "R" },
          { value: "b", type: "x", display: "R" },
        ],
      },
    ],
    [
      "starts a list with a sub-attribute",
      [{ op: "add", path: "phoneNumbers.value", value: "1" }],
      { phoneNumbers: [{ value: "1" }] },
    ],
    [
      "sets a sub-attribute of the entries that a filter finds",
      [{ op: "add", path: 'roles[value eq "B"].display', value: "R" }],
      { roles: [{ value: "a" }, { value: "b", type: "x", display: "R" }] },
    ],
    [
      "merges an entry that a filter finds",
      [{ op: "add", path: 'emails[type eq "home"]', value: { display: "H" } }],
      { emails: [work, { ...home, display: "H" }] },
    ],
    [
      "creates the entry that a filter describes",
      [{ op: "add", path: 'roles[type eq "y" and primary eq "True"].value', value: "c" }],
      { roles: [...(document.roles as Json[]), { type: "y", primary: true, value: "c" }] },
    ],
    [
      "creates a whole entry that a filter describes",
      [{ op: "add", path: 'phoneNumbers[type eq "mobile"]', value: { value: "1" } }],
      { phoneNumbers: [{ type: "mobile", value: "1" }] },
    ],
    ["with null changes nothing", [{ op: "add", path: "title", value: null }], {}],
    ["with an empty text empties a text", [{ op: "add", path: "title", value: "" }], { title: "" }],
    [
      "with an empty text changes no complex attribute",
      [{ op: "add", path: `${enterpriseUser}:manager`, value: "" }],
      {},
    ],
  ])("%s", (_, operations, changed) => {
    expect(changes(...operations)).toEqual(changed as JsonObject);
  });
});

describe("replace", () => {
  test.each<Case>([
    [
      "removes a complex attribute with an empty one",
      [{ op: "replace", path: "name", value: {} }],
      { name: null },
    ],
    [
      "finds an entry whose value has the name of a credential",
      [
        { op: "add", path: "roles", value: "auth.token.read" },
        { op: "replace", path: 'roles[value eq "auth.token.read"].display', value: "T" },
      ],
      { roles: [...(document.roles as Json[]), { value: "auth.token.read", display: "T" }] },
    ],
    [
      "finds an entry by a number without quotes",
      [
        { op: "add", path: "roles", value: "007" },
        { op: "replace", path: "roles[value eq 007].display", value: "T" },
      ],
      { roles: [...(document.roles as Json[]), { value: "007", display: "T" }] },
    ],
    ["sets an attribute", [{ op: "replace", path: "TITLE", value: "U" }], { title: "U" }],
    [
      "sets an attribute without a value",
      [{ op: "replace", path: "nickName", value: "A" }],
      { nickName: "A" },
    ],
    ["reads a boolean", [{ op: "Replace", path: "active", value: "False" }], { active: false }],
    ["replaces all entries", [{ op: "replace", path: "emails", value: [home] }], { emails: [home] }],
    ["replaces all entries by one", [{ op: "replace", path: "emails", value: home }], { emails: [home] }],
    [
      "replaces what a complex attribute is given",
      [{ op: "replace", path: "name", value: { givenName: "A" } }],
      { name: { givenName: "A", familyName: "King" } },
    ],
    [
      "removes the null of a complex attribute",
      [{ op: "replace", path: "name", value: { givenName: null } }],
      { name: { familyName: "King" } },
    ],
    [
      "sets a sub-attribute",
      [{ op: "replace", path: "name.givenName", value: "A" }],
      { name: { givenName: "A", familyName: "King" } },
    ],
    [
      "replaces an entry, which still meets the filter",
      [{ op: "replace", path: 'emails[type eq "home"]', value: { value: "b@x.example" } }],
      { emails: [work, { value: "b@x.example", type: "home" }] },
    ],
    [
      "replaces an entry by one of another type",
      [{ op: "replace", path: 'emails[type eq "home"]', value: { value: "b@x.example", type: "other" } }],
      { emails: [work, { value: "b@x.example", type: "other" }] },
    ],
    [
      "sets a sub-attribute of an entry",
      [{ op: "replace", path: 'emails[type eq "work"].value', value: "b@x.example" }],
      { emails: [{ ...work, value: "b@x.example" }, home] },
    ],
    [
      "creates an entry of a canonical type",
      [{ op: "replace", path: 'phoneNumbers[type eq "mobile"].value', value: "1" }],
      { phoneNumbers: [{ type: "mobile", value: "1" }] },
    ],
    [
      "creates the primary entry",
      [{ op: "replace", path: 'roles[primary eq "True"].value', value: "c" }],
      { roles: [...(document.roles as Json[]), { primary: true, value: "c" }] },
    ],
    ["removes an attribute with null", [{ op: "replace", path: "title", value: null }], { title: null }],
    ["removes a list with an empty one", [{ op: "replace", path: "roles", value: [] }], { roles: null }],
    [
      "removes a complex attribute with an empty text",
      [{ op: "replace", path: `${enterpriseUser}:manager`, value: "" }],
      enterprise({ manager: undefined }),
    ],
    [
      "removes an entry with null",
      [{ op: "replace", path: 'emails[type eq "home"]', value: null }],
      { emails: [work] },
    ],
    [
      "removes the value of an entry with null",
      [{ op: "replace", path: 'roles[type eq "x"].type', value: null }],
      { roles: [{ value: "a" }, { value: "b" }] },
    ],
    [
      "removes nothing where no entry meets the filter",
      [{ op: "replace", path: 'emails[type eq "x"].value', value: null }],
      {},
    ],
  ])("%s", (_, operations, changed) => {
    expect(changes(...operations)).toEqual(changed as JsonObject);
  });
});

describe("remove", () => {
  test.each<Case>([
    ["removes an attribute", [{ op: "remove", path: "title" }], { title: null }],
    [
      "removes an attribute, whatever its value",
      [{ op: "remove", path: "title", value: "x" }],
      { title: null },
    ],
    ["removes nothing twice", [{ op: "remove", path: "nickName" }], {}],
    ["removes a list", [{ op: "remove", path: "roles" }], { roles: null }],
    ["removes a list with null", [{ op: "remove", path: "roles", value: null }], { roles: null }],
    [
      "removes only the values that are listed",
      [{ op: "remove", path: "roles", value: [{ value: "A" }, { value: "z" }] }],
      { roles: [{ value: "b", type: "x" }] },
    ],
    [
      "removes no value with another type",
      [{ op: "remove", path: "roles", value: [{ value: "b", type: "y" }] }],
      {},
    ],
    ["removes nothing with an empty list", [{ op: "remove", path: "roles", value: [] }], {}],
    ["removes a complex attribute", [{ op: "remove", path: "name" }], { name: null }],
    ["removes a sub-attribute", [{ op: "remove", path: "name.givenName" }], { name: { familyName: "King" } }],
    [
      "removes a complex attribute with its last part",
      [
        { op: "remove", path: "name.givenName" },
        { op: "remove", path: "name.familyName" },
      ],
      { name: null },
    ],
    [
      "removes a sub-attribute of all entries",
      [{ op: "remove", path: "roles.type" }],
      { roles: [{ value: "a" }, { value: "b" }] },
    ],
    [
      "removes the entries that a filter finds",
      [{ op: "remove", path: "emails[type eq home]" }],
      { emails: [work] },
    ],
    [
      "removes a sub-attribute of these entries",
      [{ op: "remove", path: "emails[primary eq true].primary" }],
      { emails: [{ value: work.value, type: "work" }, home] },
    ],
    ["removes nothing that a filter does not find", [{ op: "remove", path: 'emails[type eq "other"]' }], {}],
    ["removes a list with its last entry", [{ op: "remove", path: "roles[value pr]" }], { roles: null }],
  ])("%s", (_, operations, changed) => {
    expect(changes(...operations)).toEqual(changed as JsonObject);
  });
});

describe("a value without a path", () => {
  test.each<Case>([
    [
      "can be in the core schema",
      [{ op: "replace", value: { [urns.user.toUpperCase()]: { title: "U", "name.givenName": "A" } } }],
      { title: "U", name: { givenName: "A", familyName: "King" } },
    ],
    [
      "sets attributes",
      [{ op: "replace", value: { title: "U", NickName: "A", active: "false" } }],
      { title: "U", nickName: "A", active: false },
    ],
    [
      "has dotted names",
      [{ op: "replace", value: { "name.givenName": "A" } }],
      { name: { givenName: "A", familyName: "King" } },
    ],
    [
      "has names with a URN",
      [{ op: "add", value: { [`${enterpriseUser}:department`]: "E", [`${rosterUser}:level`]: 6 } }],
      { ...enterprise({ department: "E" }), ...roster({ level: 6 }) },
    ],
    [
      "has names with a filter",
      [{ op: "add", value: { 'emails[type eq "home"].value': "b@x.example" } }],
      { emails: [work, { ...home, value: "b@x.example" }] },
    ],
    [
      "has extensions",
      [{ op: "replace", value: { [enterpriseUser]: { Department: "E", unknown: 1 } } }],
      enterprise({ department: "E" }),
    ],
    [
      "appends to lists",
      [{ op: "add", value: { roles: [{ value: "c" }] } }],
      { roles: [...(document.roles as Json[]), { value: "c" }] },
    ],
    ["replaces lists", [{ op: "replace", value: { roles: [{ value: "c" }] } }], { roles: [{ value: "c" }] }],
    [
      "removes with null",
      [{ op: "replace", value: { title: null, roles: [] } }],
      { title: null, roles: null },
    ],
    [
      "ignores what is unknown, or what only the service writes",
      [
        {
          op: "replace",
          value: {
            id: "9",
            meta: { version: "1" },
            groups: [],
            schemas: ["x"],
            unknown: 1,
            "name.nick": "x",
            "[": 1,
            "title.a": 1,
          },
        },
      ],
      {},
    ],
    [
      "ignores credentials",
      [{ op: "replace", value: { password: "p", x509Certificates: [], [`${other}:token`]: "t" } }],
      {},
    ],
    ["can be empty", [{ op: "add", value: {} }], {}],
  ])("%s", (_, operations, changed) => {
    expect(changes(...operations)).toEqual(changed as JsonObject);
  });
});

describe("the manager", () => {
  test.each<Case>([
    [
      "is a text",
      [{ op: "replace", path: `${enterpriseUser}:manager`, value: "8" }],
      enterprise({ manager: { value: "8" } }),
    ],
    [
      "is an object",
      [{ op: "replace", path: `${enterpriseUser}:manager`, value: { value: "8", displayName: "Grace" } }],
      enterprise({ manager: { value: "8" } }),
    ],
    [
      "is a list of one, without its URN",
      [{ op: "Add", path: "manager", value: [{ $ref: "/Users/8", value: "8" }] }],
      enterprise({ manager: { value: "8", $ref: "/Users/8" } }),
    ],
    [
      "is a value",
      [{ op: "replace", path: `${enterpriseUser}:manager.value`, value: "8" }],
      enterprise({ manager: { value: "8" } }),
    ],
    ["keeps its URL while it stays", [{ op: "replace", path: "manager", value: { value: "7" } }], {}],
    [
      "gets a URL",
      [{ op: "add", path: "manager.$ref", value: "/x" }],
      enterprise({ manager: { value: "7", $ref: "/x" } }),
    ],
    ["is removed", [{ op: "remove", path: `${enterpriseUser}:manager` }], enterprise({ manager: undefined })],
    [
      "is removed with its value",
      [{ op: "remove", path: "manager.value" }],
      enterprise({ manager: undefined }),
    ],
  ])("%s", (_, operations, changed) => {
    expect(changes(...operations)).toEqual(changed as JsonObject);
  });
});

describe("extensions", () => {
  test.each<Case>([
    [
      "are changed by their URN alone",
      [{ op: "replace", path: enterpriseUser, value: { department: "E" } }],
      enterprise({ department: "E" }),
    ],
    ["are removed by their URN alone", [{ op: "remove", path: enterpriseUser }], { [enterpriseUser]: null }],
    ["are removed with null", [{ op: "replace", path: rosterUser, value: null }], { [rosterUser]: null }],
    [
      "are removed with their last attribute",
      [
        { op: "remove", path: `${other}:tag` },
        { op: "remove", path: `${other}:list` },
      ],
      { [other]: null },
    ],
    ["have custom fields", [{ op: "add", path: `${rosterUser}:badge`, value: 7 }], roster({ badge: 7 })],
    [
      "have custom fields in the same case only",
      [{ op: "add", path: `${rosterUser}:zone`, value: "s" }],
      roster({ zone: "s" }),
    ],
    [
      "have lists of texts",
      [{ op: "add", path: `${rosterUser}:tags`, value: ["b", "c"] }],
      roster({ tags: ["a", "b", "c"] }),
    ],
    [
      "have lists that are replaced",
      [{ op: "replace", path: `${rosterUser}:tags`, value: ["c"] }],
      roster({ tags: ["c"] }),
    ],
    [
      "have lists that become a text",
      [{ op: "replace", path: `${rosterUser}:tags`, value: "c" }],
      roster({ tags: "c" }),
    ],
    [
      "have objects that are merged",
      [{ op: "add", path: `${rosterUser}:address`, value: { zip: "1" } }],
      roster({ address: { city: "Oslo", zip: "1" } }),
    ],
    [
      "have objects that are replaced",
      [{ op: "replace", path: `${rosterUser}:address`, value: { zip: "1" } }],
      roster({ address: { zip: "1" } }),
    ],
    [
      "have values in objects",
      [{ op: "replace", path: `${rosterUser}:address.city`, value: "Bergen" }],
      roster({ address: { city: "Bergen" } }),
    ],
    [
      "are found in any case",
      [{ op: "replace", path: `${other.toUpperCase()}:TAG`, value: "u" }],
      { [other]: { ...(document[other] as object), Tag: "u" } },
    ],
    [
      "have lists with filters",
      [{ op: "replace", path: `${other}:list[a eq 1].b`, value: 4 }],
      {
        [other]: {
          Tag: "t",
          list: [
            { a: 1, b: 4 },
            { a: 2, b: 3 },
          ],
        },
      },
    ],
    [
      "are new",
      [{ op: "add", path: "urn:new:2.0:User", value: { a: 1, Secret: "s", b: null } }],
      { "urn:new:2.0:User": { a: 1 } },
    ],
    [
      "are new, and end with a name",
      [{ op: "add", path: "urn:okta:app:1.0:user:custom", value: { a: 1 } }],
      { "urn:okta:app:1.0:user:custom": { a: 1 } },
    ],
    [
      "are new, with one attribute",
      [{ op: "replace", path: "urn:new:2.0:User:tag", value: "t" }],
      { "urn:new:2.0:User": { tag: "t" } },
    ],
    [
      "have objects, although no table has them",
      [
        { op: "add", path: `${other}:size`, value: { w: 1 } },
        { op: "add", path: `${other}:SIZE`, value: { h: 2 } },
        { op: "add", value: { [`${other}:size`]: { w: 3 } } },
      ],
      { [other]: { ...(document[other] as object), size: { w: 3, h: 2 } } },
    ],
    [
      "have objects that replace a list",
      [{ op: "replace", path: `${other}:list`, value: { w: 1 } }],
      { [other]: { ...(document[other] as object), list: { w: 1 } } },
    ],
    [
      "have objects that are removed",
      [
        { op: "add", path: `${other}:size`, value: { w: 1 } },
        { op: "replace", path: `${other}:size`, value: {} },
      ],
      {},
    ],
    [
      "are removed, although they end with a name",
      [
        { op: "add", path: "urn:okta:app:1.0:user:custom", value: { a: 1 } },
        { op: "remove", path: "URN:okta:app:1.0:user:custom" },
      ],
      {},
    ],
    [
      "are removed with null, although they end with a name",
      [
        { op: "add", path: "urn:okta:app:1.0:user:custom", value: { a: 1 } },
        { op: "replace", value: { "urn:okta:app:1.0:user:custom": null } },
      ],
      {},
    ],
  ])("%s", (_, operations, changed) => {
    expect(changes(...operations)).toEqual(changed as JsonObject);
  });
});

describe("a primary entry makes the others no primary ones", () => {
  const lesser = { ...work, primary: false };
  test.each<Case>([
    [
      "when it is added",
      [{ op: "add", path: "emails", value: [{ value: "b@x.example", primary: true }] }],
      { emails: [lesser, home, { value: "b@x.example", primary: true }] },
    ],
    [
      "when an entry becomes primary",
      [{ op: "replace", path: 'emails[type eq "home"].primary', value: "True" }],
      { emails: [lesser, { ...home, primary: true }] },
    ],
    [
      "when an entry is replaced by it",
      [{ op: "replace", path: 'emails[type eq "home"]', value: { value: "b@x.example", primary: true } }],
      { emails: [lesser, { value: "b@x.example", type: "home", primary: true }] },
    ],
    [
      "when a filter describes it",
      [{ op: "add", path: 'emails[type eq "other" and primary eq true].value', value: "b@x.example" }],
      { emails: [lesser, home, { type: "other", primary: true, value: "b@x.example" }] },
    ],
    [
      "and the primary one stays so when its value changes",
      [{ op: "replace", path: "emails[primary eq true].value", value: "b@x.example" }],
      { emails: [{ ...work, value: "b@x.example" }, home] },
    ],
  ])("%s", (_, operations, changed) => {
    expect(changes(...operations)).toEqual(changed as JsonObject);
  });
});

describe("a patch that changes nothing returns the same document", () => {
  test.each<[what: string, operations: Json[]]>([
    ["without operations", []],
    ["with the same value", [{ op: "replace", path: "title", value: "T" }]],
    ["with the same list", [{ op: "replace", path: "emails", value: [work, home] }]],
    ["with an entry that is there", [{ op: "add", path: "emails", value: [home] }]],
    [
      "with a change and its opposite",
      [
        { op: "add", path: "nickName", value: "A" },
        { op: "remove", path: "nickName" },
      ],
    ],
    [
      "with credentials",
      [
        { op: "replace", path: "password", value: "p" },
        { op: "add", path: "x509Certificates", value: [{ value: "c" }] },
        { op: "replace", path: "roles[value eq a].secret", value: "s" },
      ],
    ],
    ["with schemas", [{ op: "add", path: "schemas", value: ["urn:x"] }]],
  ])("%s", (_, operations) => {
    expect(patch(...operations)).toBe(document);
  });

  test("also of a group, whose members are not in the document", () => {
    const group = { id: "g7", displayName: "Sales" };
    const Operations = [
      { op: "add", path: "members", value: [{ value: "1" }] },
      { op: "replace", value: { displayName: "Sales", members: [] } },
    ];
    expect(applyPatch(groupKind, group, parsePatch(groupKind, { Operations }))).toBe(group);
  });
});

test("a patch modifies neither the document nor its operations", () => {
  const before = structuredClone(document);
  const operations = [
    { op: "add", path: "roles", value: [{ value: "c", primary: true }] },
    { op: "replace", path: "roles[value eq c].display", value: "C" },
    { op: "add", path: rosterUser, value: { address: { zip: "1" }, tags: ["c"] } },
    { op: "remove", path: `${other}:list[a eq 1]` },
  ];
  const parsed = parsePatch(userKind, { Operations: operations });
  const values = structuredClone(parsed.map(({ value }) => value));
  applyPatch(userKind, document, parsed);
  expect(document).toEqual(before);
  expect(parsed.map(({ value }) => value)).toEqual(values);
});
