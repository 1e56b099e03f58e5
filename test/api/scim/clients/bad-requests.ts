import { coreGroup, coreUser, enterprise, patch } from "./support/provisioning-client.ts";

/** A request that is refused. User 1 and group g1 exist: the user is the only member of the group. */
export interface BadRequest {
  /** What is wrong, as the subject of a sentence. */
  readonly name: string;
  /** Such as `PATCH /Users/1`. */
  readonly request: string;
  readonly json?: unknown;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
  /** Absent for an error without one. */
  readonly scimType?: string;
}

export const fixtureUser = {
  schemas: [coreUser, enterprise],
  userName: "fixture@bad.example",
  displayName: "Fixture",
  active: true,
  emails: [
    { value: "fixture@bad.example", type: "work", primary: true },
    { value: "fixture@home.example", type: "home" },
  ],
  [enterprise]: { department: "Tests" },
};
export const otherUser = { schemas: [coreUser], userName: "other@bad.example" };
export const fixtureGroup = { schemas: [coreGroup], displayName: "Fixture", members: [{ value: "1" }] };
export const otherGroup = { schemas: [coreGroup], displayName: "Other" };

const nested = (levels: number) => `${"[".repeat(levels)}1${"]".repeat(levels)}`;
const long = (length: number) => "x".repeat(length);
const many = <Item>(count: number, item: (index: number) => Item) =>
  Array.from({ length: count }, (_, i) => item(i));

type Refusal = Pick<BadRequest, "status" | "scimType">;
const invalidValue: Refusal = { status: 400, scimType: "invalidValue" };
const invalidSyntax: Refusal = { status: 400, scimType: "invalidSyntax" };
const invalidFilter: Refusal = { status: 400, scimType: "invalidFilter" };
const invalidPath: Refusal = { status: 400, scimType: "invalidPath" };
const mutability: Refusal = { status: 400, scimType: "mutability" };
const noTarget: Refusal = { status: 400, scimType: "noTarget" };
const uniqueness: Refusal = { status: 409, scimType: "uniqueness" };
const notFound: Refusal = { status: 404 };
const tooLarge: Refusal = { status: 413 };
const notAllowed: Refusal = { status: 405 };

const send = (
  request: string,
  name: string,
  refusal: Refusal,
  more: Partial<BadRequest> = {},
): BadRequest => ({
  name,
  request,
  ...refusal,
  ...more,
});

/** Ids that no user has, for every method, and ids that no group has. */
const unknownIds: readonly (readonly [name: string, user: string, group: string])[] = [
  ["an unknown id", "/Users/987654321", "/Groups/g987654321"],
  ["the id of the other resource type", "/Users/g1", "/Groups/1"],
  ["the id 0", "/Users/0", "/Groups/g0"],
  ["a negative id", "/Users/-1", "/Groups/g-1"],
  ["a fraction", "/Users/1.5", "/Groups/g1.5"],
  ["an exponent", "/Users/1e0", "/Groups/g1e0"],
  ["a hexadecimal id", "/Users/0x1", "/Groups/g0x1"],
  ["a zero before the id", "/Users/01", "/Groups/g01"],
  ["a plus before the id", "/Users/+1", "/Groups/g+1"],
  ["a space before the id", "/Users/%201", "/Groups/g%201"],
  ["an id of 2^53", "/Users/9007199254740992", "/Groups/g9007199254740992"],
  ["an id beyond 2^64", "/Users/99999999999999999999", "/Groups/g99999999999999999999"],
  ["an id of 400 digits", `/Users/${"9".repeat(400)}`, `/Groups/g${"9".repeat(400)}`],
  ["a UUID", "/Users/2819c223-7f76-453a-919d-413861904646", "/Groups/2819c223-7f76-453a-919d-413861904646"],
  ["the name of a prototype", "/Users/__proto__", "/Groups/__proto__"],
  ["an apostrophe and SQL", "/Users/1'%20OR%201=1--", "/Groups/g1'%20OR%201=1--"],
  ["digits of another script", "/Users/%D9%A1", "/Groups/g%D9%A1"],
  ["an empty id of a group", "/Users/g", "/Groups/g"],
];

const unknownResources: readonly BadRequest[] = unknownIds.flatMap(([name, user, group]) => [
  send(`GET ${user}`, name, notFound),
  send(`PUT ${user}`, name, notFound, { json: otherUser }),
  send(`PATCH ${user}`, name, notFound, { json: patch({ op: "replace", path: "active", value: false }) }),
  send(`DELETE ${user}`, name, notFound),
  send(`GET ${group}`, name, notFound),
  send(`PUT ${group}`, name, notFound, { json: otherGroup }),
  send(`PATCH ${group}`, name, notFound, { json: patch({ op: "remove", path: "members" }) }),
  send(`DELETE ${group}`, name, notFound),
]);

const badRoutes: readonly BadRequest[] = [
  send("GET /Nothing", "an unknown endpoint", notFound),
  send("GET /Users/1/members", "a path below a user", notFound),
  send("GET /Groups/g1/members/1", "a path below a group", notFound),
  send("GET /Schemas/urn:nothing", "an unknown schema", notFound),
  send("GET /ResourceTypes/Nothing", "an unknown resource type", notFound),
  send("DELETE /Users", "DELETE of all users", notAllowed),
  send("PUT /Groups", "PUT of all groups", notAllowed, { json: otherGroup }),
  send("POST /Users/1", "POST to a user", notAllowed, { json: otherUser }),
  send("POST /Schemas", "POST to the schemas", notAllowed, { json: {} }),
  send("DELETE /ServiceProviderConfig", "DELETE of the configuration", notAllowed),
  send("GET /Me", "a caller that asks who it is", { status: 501 }),
];

/** Bodies that are no JSON object, for every write. */
const noObjects: readonly (readonly [name: string, body: string, refusal: Refusal])[] = [
  ["an empty body", "", invalidSyntax],
  ["a body that is not JSON", '{"userName":', invalidSyntax],
  ["a body of two objects", "{}{}", invalidSyntax],
  ["a body with a comment", "{/* */}", invalidSyntax],
  ["null for a body", "null", invalidSyntax],
  ["a list for a body", '[{"userName":"list@bad.example"}]', invalidSyntax],
  ["a text for a body", '"userName"', invalidSyntax],
  ["a number for a body", "7", invalidSyntax],
  ["a body nested 2,000 levels deep", nested(2000), invalidSyntax],
  ["a body nested 30,000 levels deep", nested(30_000), invalidSyntax],
  ["a body of 9 MiB", `{"userName":"${long(9 * 1024 * 1024)}"}`, tooLarge],
];

const badBodies: readonly BadRequest[] = noObjects.flatMap(([name, body, refusal]) =>
  ["POST /Users", "PUT /Users/1", "PATCH /Users/1", "POST /Groups", "PUT /Groups/g1", "PATCH /Groups/g1"].map(
    (request) => send(request, name, refusal, { body }),
  ),
);

const badHeaders: readonly BadRequest[] = [
  send(
    "POST /Users",
    "a body of text",
    { status: 415 },
    { json: otherUser, headers: { "content-type": "text/plain" } },
  ),
  send(
    "POST /Users",
    "a body in XML",
    { status: 415 },
    { body: "<a/>", headers: { "content-type": "text/xml" } },
  ),
  send(
    "GET /Users/1",
    "a media type that SCIM does not have",
    { status: 406 },
    { headers: { accept: "text/html" } },
  ),
  send(
    "PATCH /Users/1",
    "an outdated version",
    { status: 412 },
    {
      json: patch({ op: "replace", path: "displayName", value: "Lost" }),
      headers: { "if-match": 'W/"99"' },
    },
  ),
  send("DELETE /Users/1", "an outdated version", { status: 412 }, { headers: { "if-match": 'W/"99"' } }),
  send("DELETE /Groups/g1", "an outdated version", { status: 412 }, { headers: { "if-match": 'W/"99"' } }),
  send(
    "PUT /Groups/g1",
    "an outdated version",
    { status: 412 },
    {
      json: otherGroup,
      headers: { "if-match": 'W/"99"' },
    },
  ),
];

/** A body whose core schema has the core schema in it, and so on. */
const nestedCore = (urn: string, levels: number) =>
  `${`{"${urn}":`.repeat(levels)}{"userName":7,"displayName":7}${"}".repeat(levels)}`;

const nestedSchemas: readonly BadRequest[] = [
  send("POST /Users", "1,000 levels of the core schema", invalidValue, { body: nestedCore(coreUser, 1000) }),
  send("POST /Groups", "30,000 levels of the core schema", invalidSyntax, {
    body: nestedCore(coreGroup, 30_000),
  }),
];

/** Attributes of users with values that they cannot have. */
const badAttributes: readonly (readonly [name: string, attributes: object])[] = [
  ["no user name", { userName: undefined }],
  ["null for a user name", { userName: null }],
  ["an empty user name", { userName: "" }],
  ["a number for a user name", { userName: 7 }],
  ["true for a user name", { userName: true }],
  ["a list for a user name", { userName: ["bad"] }],
  ["an object for a user name", { userName: { value: "bad" } }],
  ["a user name of 257 characters", { userName: long(257) }],
  ["a NUL in the user name", { userName: "bad\u0000" }],
  ["a line break in the user name", { userName: "bad\nname" }],
  ["a C1 control character in the user name", { userName: "bad\u0085" }],
  ["half of a surrogate pair in the user name", { userName: "bad\ud800" }],
  ["a user name in the form of users without one", { userName: "roster-999999" }],
  ["a number for a display name", { displayName: 7 }],
  ["an object for a display name", { displayName: { en: "Bad" } }],
  ["a display name of 257 characters", { displayName: long(257) }],
  ["a line break in the display name", { displayName: "Bad\nName" }],
  ["half of a surrogate pair in the display name", { displayName: "Bad\udfff" }],
  ["a text for a name", { name: "Bad Name" }],
  ["a number for a name", { name: 7 }],
  ["a list of names", { name: [{ givenName: "A" }, { givenName: "B" }] }],
  ["a number for a given name", { name: { givenName: 7 } }],
  ["an object for a family name", { name: { familyName: { value: "Bad" } } }],
  ["a word for active", { active: "maybe" }],
  ["a number for active", { active: 1 }],
  ["a list for active", { active: [true] }],
  ["a number for emails", { emails: 7 }],
  ["true for emails", { emails: true }],
  ["a number in emails", { emails: [7] }],
  ["a list in emails", { emails: [["a@bad.example"]] }],
  ["a number for the value of an email", { emails: [{ value: 7 }] }],
  ["an object for the value of an email", { emails: [{ value: { a: 1 } }] }],
  ["a word for primary", { emails: [{ value: "a@bad.example", primary: "yes" }] }],
  ["a number for a type", { emails: [{ value: "a@bad.example", type: 7 }] }],
  [
    "two primary emails",
    {
      emails: [
        { value: "a@bad.example", primary: true },
        { value: "b@bad.example", primary: "True" },
      ],
    },
  ],
  [
    "two primary phone numbers",
    {
      phoneNumbers: [
        { value: "1", primary: true },
        { value: "2", primary: true },
      ],
    },
  ],
  ["a number for a phone number", { phoneNumbers: [{ value: 5551 }] }],
  ["a number for addresses", { addresses: 7 }],
  ["a number for a postal code", { addresses: [{ type: "work", postalCode: 150 }] }],
  ["a list for a locality", { addresses: [{ locality: ["Oslo"] }] }],
  ["a number for a title", { title: 7 }],
  ["a list for a title", { title: ["A", "B"] }],
  ["an object for a locale", { locale: { a: 1 } }],
  ["a number for an external id", { externalId: 7 }],
  ["half of a surrogate pair in an external id", { externalId: "\ud83d" }],
  ["a text for the enterprise extension", { [enterprise]: "Sales" }],
  ["a number for the enterprise extension", { [enterprise]: 7 }],
  ["a list for the enterprise extension", { [enterprise]: [{ department: "Sales" }] }],
  ["a number for a department", { [enterprise]: { department: 7 } }],
  ["a list of two managers", { [enterprise]: { manager: [{ value: "1" }, { value: "2" }] } }],
  ["a number for a manager", { [enterprise]: { manager: 7 } }],
  ["a number for the value of a manager", { [enterprise]: { manager: { value: 7 } } }],
  ["a NUL in another extension", { "urn:bad:User": { a: [{ b: "\u0000" }] } }],
  ["a number beyond 2^53 in another extension", { "urn:bad:User": { a: 2 ** 53 } }],
  ["a value nested 70 levels deep", { "urn:bad:User": { a: JSON.parse(nested(70)) } }],
  ["a record that is too large", { "urn:bad:User": { a: long(20_000) } }],
  ["a field of the record in the Roster extension", rosterExtension({ name: "Bad" })],
  ["an id in the Roster extension", rosterExtension({ id: 7 })],
  ["a list for the Roster extension", rosterExtension([1])],
];

function rosterExtension(value: unknown): object {
  return { "urn:ietf:params:scim:schemas:extension:roster:2.0:User": value };
}

const badUsers: readonly BadRequest[] = badAttributes.flatMap(([name, attributes]) => [
  send("POST /Users", name, invalidValue, {
    json: { schemas: [coreUser], userName: "bad@bad.example", ...attributes },
  }),
  send("PUT /Users/1", name, invalidValue, {
    json: { schemas: [coreUser], userName: "bad@bad.example", displayName: "Changed", ...attributes },
  }),
]);

const takenNames: readonly BadRequest[] = [
  send("POST /Users", "a taken user name", uniqueness, { json: { userName: "FIXTURE@bad.example" } }),
  send("PUT /Users/1", "another user's name", uniqueness, { json: { userName: "Other@Bad.Example" } }),
  send("POST /Groups", "a taken name", uniqueness, { json: { displayName: "FIXTURE" } }),
  send("PUT /Groups/g1", "another group's name", uniqueness, { json: { displayName: "other" } }),
  send("PATCH /Groups/g1", "another group's name", uniqueness, {
    json: patch({ op: "remove", path: "members" }, { op: "replace", path: "displayName", value: "OTHER" }),
  }),
];

/** Bodies of groups that POST and PUT refuse. */
const badGroupBodies: readonly (readonly [name: string, attributes: object])[] = [
  ["no display name", { displayName: undefined }],
  ["an empty display name", { displayName: "" }],
  ["a blank display name", { displayName: " \t" }],
  ["a number for a display name", { displayName: 7 }],
  ["a list for a display name", { displayName: ["Bad"] }],
  ["a display name of 257 characters", { displayName: long(257) }],
  ["a NUL in the display name", { displayName: "Bad\u0000" }],
  ["half of a surrogate pair in the display name", { displayName: "Bad\ud800" }],
  ["a number for members", { members: 7 }],
  ["true for members", { members: true }],
  ["a number in members", { members: [7] }],
  ["a list in members", { members: [["1"]] }],
  ["a number for the value of a member", { members: [{ value: 1 }] }],
  ["a list for the value of a member", { members: [{ value: ["1"] }] }],
  ["a member without a value", { members: [{ display: "Bad" }] }],
  ["a member with an empty value", { members: [{ value: "" }] }],
  ["a member that never existed", { members: [{ value: "1" }, { value: "987654321" }] }],
  ["a group as member", { members: [{ value: "g1" }] }],
  ["a member of the type Group", { members: [{ value: "1", type: "Group" }] }],
  ["a member with the id 0", { members: [{ value: "0" }] }],
  ["a member with a negative id", { members: [{ value: "-1" }] }],
  ["a member with an id beyond 2^53", { members: [{ value: "9007199254740993" }] }],
  ["a member with a fraction", { members: [{ value: "1.5" }] }],
  ["a member with a zero before its id", { members: [{ value: "01" }] }],
  ["a member with a UUID", { members: [{ value: "2819c223-7f76-453a-919d-413861904646" }] }],
  ["a member with the name of a prototype", { members: [{ value: "__proto__" }] }],
  ["a half of a surrogate pair in an external id", { externalId: "\ud83d" }],
  ["a record that is too large", { "urn:bad:Group": { a: long(20_000) } }],
];

const badGroups: readonly BadRequest[] = badGroupBodies.flatMap(([name, attributes]) => [
  send("POST /Groups", name, invalidValue, {
    json: { schemas: [coreGroup], displayName: "Bad", ...attributes },
  }),
  send("PUT /Groups/g1", name, invalidValue, {
    json: { schemas: [coreGroup], displayName: "Bad", ...attributes },
  }),
]);

const patchUser = (name: string, refusal: Refusal, ...operations: readonly unknown[]) =>
  send("PATCH /Users/1", name, refusal, {
    // What comes before a bad operation is not applied either.
    json: { Operations: [{ op: "replace", path: "displayName", value: "Half done" }, ...operations] },
  });
const replaceAt = (name: string, path: string, refusal: Refusal) =>
  patchUser(name, refusal, { op: "replace", path, value: "x" });

const badPatches: readonly BadRequest[] = [
  send("PATCH /Users/1", "no operations", invalidSyntax, { json: { schemas: [] } }),
  send("PATCH /Users/1", "an object for operations", invalidSyntax, { json: { Operations: { op: "add" } } }),
  send("PATCH /Users/1", "a text for operations", invalidSyntax, { json: { Operations: "add" } }),
  send("PATCH /Users/1", "null for operations", invalidSyntax, { json: { Operations: null } }),
  send("PATCH /Users/1", "1,001 operations", tooLarge, {
    json: patch(...many(1001, () => ({ op: "replace", path: "title", value: "Half done" }))),
  }),
  patchUser("a text for an operation", invalidSyntax, "remove"),
  patchUser("null for an operation", invalidSyntax, null),
  patchUser("a list for an operation", invalidSyntax, []),
  patchUser("no op", invalidSyntax, { path: "title", value: "x" }),
  patchUser("an unknown op", invalidSyntax, { op: "move", path: "title", value: "x" }),
  patchUser("a number for an op", invalidSyntax, { op: 7, path: "title", value: "x" }),
  patchUser("the name of a prototype for an op", invalidSyntax, {
    op: "__proto__",
    path: "title",
    value: "x",
  }),
  patchUser("a number for a path", invalidPath, { op: "add", path: 7, value: "x" }),
  patchUser("a list for a path", invalidPath, { op: "add", path: ["title"], value: "x" }),
  patchUser("add without a value", invalidValue, { op: "add", path: "title" }),
  patchUser("a text without a path", invalidValue, { op: "replace", value: "x" }),
  patchUser("a list without a path", invalidValue, { op: "add", value: [{ title: "x" }] }),
  patchUser("a number without a path", invalidValue, { op: "add", value: 7 }),
  patchUser("neither path nor value", invalidValue, { op: "replace" }),
  patchUser("remove without a path", noTarget, { op: "remove" }),
  patchUser("remove without a path, with a value", noTarget, { op: "remove", value: { title: "x" } }),

  replaceAt("an unknown path", "nothing", invalidPath),
  replaceAt("an unknown sub-attribute", "name.nothing", invalidPath),
  replaceAt("a sub-attribute of a text", "title.value", invalidPath),
  replaceAt("a path of three names", "name.givenName.first", invalidPath),
  replaceAt("an open bracket", "emails[", invalidPath),
  replaceAt("empty brackets", "emails[].value", invalidPath),
  replaceAt("a bracket that does not close", 'emails[type eq "work"', invalidPath),
  replaceAt("a text that does not close", 'emails[type eq "work].value', invalidPath),
  replaceAt("a filter without an operator", "emails[type].value", invalidPath),
  replaceAt("a filter without a value", "emails[type eq].value", invalidPath),
  replaceAt("an unknown operator", 'emails[type is "work"].value', invalidPath),
  replaceAt("two filters", 'emails[type eq "work"][primary eq true].value', invalidPath),
  replaceAt("a filter without an attribute", '[type eq "work"]', invalidPath),
  replaceAt("a filter on a text", 'title[type eq "work"]', invalidPath),
  replaceAt("a dot at the end", 'emails[type eq "work"].', invalidPath),
  replaceAt("a dot at the start", ".title", invalidPath),
  replaceAt("two dots", "name..givenName", invalidPath),
  replaceAt("text after the bracket", 'emails[type eq "work"]value', invalidPath),
  replaceAt("a path of two names after a bracket", 'emails[type eq "work"].value.x', invalidPath),
  replaceAt("a space", "display name", invalidPath),
  replaceAt("a JSON Pointer", "/title", invalidPath),
  replaceAt("an index", "emails[0].value", invalidPath),
  replaceAt("the name of a prototype", "__proto__", invalidPath),
  replaceAt("the name of a prototype below a name", "name.__proto__", invalidPath),
  replaceAt("a constructor", "constructor.prototype", invalidPath),
  replaceAt("the name of a prototype in a filter", 'emails[__proto__ eq "x"].constructor', invalidPath),
  replaceAt("an unknown attribute of the enterprise extension", `${enterprise}:nothing`, invalidPath),
  replaceAt("a path of 4,097 characters", `emails[type eq "${long(4080)}"]`, invalidPath),
  replaceAt("a path of 20,000 brackets", "[".repeat(20_000), invalidPath),
  replaceAt(
    "9 levels of parentheses",
    `emails[${"(".repeat(9)}type eq "work"${")".repeat(9)}].value`,
    invalidPath,
  ),
  replaceAt(
    "2,000 levels of parentheses",
    `emails[${"(".repeat(2000)}type pr${")".repeat(2000)}]`,
    invalidPath,
  ),
  replaceAt("a NUL", "title\u0000", invalidPath),
  replaceAt("half of a surrogate pair", "\ud800", invalidPath),

  replaceAt("its id", "id", mutability),
  replaceAt("its meta", "meta", mutability),
  replaceAt("the version in its meta", "meta.version", mutability),
  replaceAt("its groups", "groups", mutability),
  replaceAt("a value in its groups", 'groups[value eq "g1"].display', mutability),
  patchUser("a group to add", mutability, { op: "add", path: "groups", value: [{ value: "g1" }] }),
  patchUser("groups to remove", mutability, { op: "remove", path: "groups" }),
  patchUser("its user name to remove", mutability, { op: "remove", path: "userName" }),
  patchUser("active to remove", mutability, { op: "remove", path: "active" }),

  patchUser("a filter without match", noTarget, {
    op: "replace",
    path: 'emails[value eq "no"].display',
    value: "x",
  }),
  patchUser("an unknown type", noTarget, { op: "replace", path: 'emails[type eq "no"].value', value: "x" }),

  patchUser("null for its user name", mutability, { op: "replace", path: "userName", value: null }),
  patchUser("an empty user name", invalidValue, { op: "replace", path: "userName", value: "" }),
  patchUser("a number for its user name", invalidValue, { op: "replace", path: "userName", value: 7 }),
  patchUser("a NUL in its user name", invalidValue, { op: "replace", path: "userName", value: "a\u0000" }),
  patchUser("a word for active", invalidValue, { op: "replace", path: "active", value: "maybe" }),
  patchUser("a number for active", invalidValue, { op: "replace", value: { active: 0 } }),
  patchUser("a text for its name", invalidValue, { op: "replace", path: "name", value: "Bad" }),
  patchUser("an object for its title", invalidValue, { op: "add", path: "title", value: { a: 1 } }),
  patchUser("a number for its emails", invalidValue, { op: "add", path: "emails", value: 7 }),
  patchUser("a number for the value of an email", invalidValue, {
    op: "replace",
    path: 'emails[type eq "work"].value',
    value: 7,
  }),
  patchUser("two primary emails", invalidValue, {
    op: "replace",
    path: "emails",
    value: [
      { value: "a@bad.example", primary: true },
      { value: "b@bad.example", primary: true },
    ],
  }),
  patchUser("a number for its manager", invalidValue, { op: "add", path: `${enterprise}:manager`, value: 7 }),
  patchUser("a text for the enterprise extension", invalidValue, {
    op: "add",
    path: enterprise,
    value: "Sales",
  }),
  patchUser("a value nested 2,000 levels deep", invalidSyntax, {
    op: "add",
    path: "urn:bad:User:a",
    value: JSON.parse(nested(2000)),
  }),
  patchUser("a record that becomes too large", invalidValue, {
    op: "add",
    path: "roles",
    value: many(500, (i) => ({ value: `role ${i} ${long(40)}` })),
  }),
  patchUser(
    "1,400 roles to add and as many others to remove",
    tooLarge,
    { op: "add", path: "roles", value: many(1400, (i) => ({ value: `${i}` })) },
    { op: "remove", path: "roles", value: many(1400, (i) => ({ value: `x${i}` })) },
  ),
  patchUser(
    "a long list of another extension to add twice",
    tooLarge,
    {
      op: "add",
      value: { "urn:bad:User:a": many(200, (i) => i) },
    },
    { op: "add", path: "urn:bad:User:a", value: many(200, (i) => -i) },
  ),
  patchUser(
    "1,000 operations on a list of 100",
    tooLarge,
    {
      op: "replace",
      path: "roles",
      value: many(100, (i) => ({ value: `${i}` })),
    },
    ...many(900, (i) => ({ op: "replace", path: `roles[value eq "${i % 100}"].type`, value: "x" })),
  ),
  patchUser("the name of a prototype in a filter of another extension", invalidValue, {
    op: "add",
    path: 'urn:bad:User:a[__proto__ eq "x"].b',
    value: "x",
  }),
  patchUser("the other user's name", uniqueness, {
    op: "replace",
    path: "userName",
    value: "OTHER@bad.example",
  }),
];

const patchGroup = (name: string, refusal: Refusal, ...operations: readonly unknown[]) =>
  send("PATCH /Groups/g1", name, refusal, {
    json: {
      Operations: [
        { op: "replace", path: "displayName", value: "Half done" },
        { op: "add", path: "members", value: [{ value: "2" }] },
        ...operations,
      ],
    },
  });

const badGroupPatches: readonly BadRequest[] = [
  patchGroup("a group to add", invalidValue, { op: "add", path: "members", value: [{ value: "g1" }] }),
  patchGroup("an unknown user to add", invalidValue, { op: "add", path: "members", value: ["987654321"] }),
  patchGroup("an id beyond 2^53 to add", invalidValue, {
    op: "add",
    path: "members",
    value: ["9007199254740993"],
  }),
  patchGroup("a number to add", invalidValue, { op: "add", path: "members", value: [2] }),
  patchGroup("members without a value", invalidValue, {
    op: "add",
    path: "members",
    value: [{}, { display: "x" }],
  }),
  patchGroup("true for members", invalidValue, { op: "replace", path: "members", value: true }),
  patchGroup("a word for members", invalidValue, { op: "replace", path: "members", value: "everyone" }),
  patchGroup("remove without a path", noTarget, { op: "remove", value: { members: [{ value: "1" }] } }),
  patchGroup("its display name to remove", mutability, { op: "remove", path: "displayName" }),
  patchGroup("its id to replace", mutability, { op: "replace", path: "id", value: "g2" }),
  patchGroup("its meta to remove", mutability, { op: "remove", path: "meta" }),
  patchGroup("an empty display name", invalidValue, { op: "replace", path: "displayName", value: "" }),
  patchGroup("a number for its display name", invalidValue, { op: "replace", value: { displayName: 7 } }),
  patchGroup("an unknown path", invalidPath, { op: "add", path: "owners", value: "x" }),
  patchGroup("a path of users", invalidPath, { op: "add", path: "userName", value: "x" }),
  patchGroup("an open bracket", invalidPath, { op: "remove", path: "members[" }),
  patchGroup("a filter that does not close", invalidPath, { op: "remove", path: 'members[value eq "1"' }),
  patchGroup("a filter without a value", invalidPath, { op: "remove", path: "members[value eq]" }),
  patchGroup("10,001 members to add", tooLarge, {
    op: "add",
    path: "members",
    value: many(10_001, (i) => ({ value: String(i + 1) })),
  }),
  send("PATCH /Groups/g1", "1,001 operations", tooLarge, {
    json: patch(...many(1001, () => ({ op: "remove", path: "members", value: [{ value: "1" }] }))),
  }),
];

const searched = (name: string, filter: string) =>
  send("POST /Users/.search", name, invalidFilter, { json: { filter } });
const filtered = (name: string, filter: string) => [
  send(`GET /Users?filter=${encodeURIComponent(filter)}`, name, invalidFilter),
  searched(name, filter),
];
const queried = (name: string, query: string, refusal = invalidValue) => [
  send(`GET /Users?${query}`, name, refusal),
  send(`GET /Groups?${query}`, name, refusal),
];

const badQueries: readonly BadRequest[] = [
  ...filtered("a filter of one name", "userName"),
  ...filtered("a filter without a value", "userName eq"),
  ...filtered("a filter without a name", 'eq "a"'),
  ...filtered("an unknown operator", 'userName is "a"'),
  ...filtered("a text that does not close", 'userName eq "a'),
  ...filtered("a parenthesis that does not close", '(userName eq "a"'),
  ...filtered("a parenthesis too many", 'userName eq "a")'),
  ...filtered("and without a second part", 'userName eq "a" and'),
  ...filtered("two comparisons without an operator", 'userName eq "a" title eq "b"'),
  ...filtered("a bracket that does not close", 'emails[type eq "work"'),
  ...filtered("empty brackets", "emails[] pr"),
  ...filtered("gt on a boolean", "active gt true"),
  ...filtered("le on a boolean", "active le false"),
  ...filtered("a JSON object for a value", 'userName eq {"a":1}'),
  ...filtered("a list for a value", 'userName eq ["a"]'),
  ...filtered("SQL", "userName eq 'a' OR 1=1 --"),
  searched("2,000 levels of parentheses", `${"(".repeat(2000)}active eq true${")".repeat(2000)}`),
  searched("3,000 comparisons", many(3000, () => "active eq true").join(" or ")),
  searched("5,000 times not", `${"not (".repeat(5000)}title pr${")".repeat(5000)}`),
  searched("a filter of 60,000 characters", `userName eq "${long(60_000)}"`),
  ...queried("a word for count", "count=abc"),
  ...queried("a fraction for count", "count=1.5"),
  ...queried("a word for startIndex", "startIndex=first"),
  ...queried("an unknown order", "sortBy=id&sortOrder=sideways"),
  ...queried("a multi-valued attribute to sort by", "sortBy=members"),
  ...queried("a cursor of another list", "cursor=nonsense", { status: 400, scimType: "invalidCursor" }),
  ...queried("a parameter sent twice", "startIndex=1&startIndex=2"),
  ...queried("two filters", "filter=id%20pr&filter=id%20pr"),
  ...queried("bytes that are not UTF-8", "filter=id%20eq%20%22%ff%22"),
  ...queried("501 attributes", `attributes=${many(501, () => "id").join()}`),
  ...filtered("an escape of half a surrogate pair", 'userName eq "\\ud800"'),
  searched("half of a surrogate pair", 'userName eq "\ud800"'),
  searched("a NUL", 'userName eq "\u0000"'),
  send("POST /Users/.search", "a number for a filter", invalidValue, { json: { filter: 7 } }),
  send("POST /Users/.search", "a word for count", invalidValue, { json: { count: "many" } }),
  send("POST /Users/.search", "an object for attributes", invalidValue, {
    json: { attributes: { id: true } },
  }),
  send("POST /Groups/.search", "a list for a body", invalidSyntax, { json: [] }),
  send("POST /.search", "an open parenthesis", invalidFilter, { json: { filter: "(" } }),
];

const badBulks: readonly BadRequest[] = [
  send("POST /Bulk", "no operations", invalidSyntax, { json: {} }),
  send("POST /Bulk", "null for operations", invalidSyntax, { json: { Operations: null } }),
  send("POST /Bulk", "an object for operations", invalidSyntax, {
    json: { Operations: { method: "DELETE" } },
  }),
  send("POST /Bulk", "a list for a body", invalidSyntax, { json: [{ method: "DELETE", path: "/Users/1" }] }),
  send("POST /Bulk", "a body that is not JSON", invalidSyntax, { body: '{"Operations":[' }),
  send("POST /Bulk", "a word for failOnErrors", invalidValue, {
    json: { failOnErrors: "one", Operations: [] },
  }),
  send("POST /Bulk", "0 for failOnErrors", invalidValue, { json: { failOnErrors: 0, Operations: [] } }),
  send("POST /Bulk", "1,001 operations", tooLarge, {
    json: { Operations: many(1001, () => ({ method: "DELETE", path: "/Users/1" })) },
  }),
  send("POST /Bulk", "a body of more than 1 MiB", tooLarge, {
    json: { Operations: [{ method: "DELETE", path: "/Users/1", data: long(1024 * 1024) }] },
  }),
  send("GET /Bulk", "GET", notAllowed),
];

const operate = (name: string, refusal: Refusal, operation: unknown) => ({ name, ...refusal, operation });

/** Operations of a bulk request that fail, each on its own. */
export const badOperations = [
  operate("null", invalidSyntax, null),
  operate("a text", invalidSyntax, "DELETE /Users/1"),
  operate("no method", invalidSyntax, { path: "/Users/1" }),
  operate("a number for a method", invalidSyntax, { method: 7, path: "/Users/1" }),
  operate("GET", invalidSyntax, { method: "GET", path: "/Users/1" }),
  operate("the name of a prototype for a method", invalidSyntax, { method: "__proto__", path: "/Users/1" }),
  operate("no path", invalidSyntax, { method: "DELETE" }),
  operate("an unknown path", invalidSyntax, { method: "DELETE", path: "/Keys/1" }),
  operate("a bulk request", invalidSyntax, { method: "POST", path: "/Bulk", data: { Operations: [] } }),
  operate("a path that leads elsewhere", invalidSyntax, {
    method: "DELETE",
    path: "/Users/../../../api/users/1",
  }),
  operate("a path with a query", invalidSyntax, { method: "DELETE", path: "/Users/1?x=1" }),
  operate("POST to a user", invalidSyntax, { method: "POST", path: "/Users/1", data: otherUser }),
  operate("DELETE of all users", invalidSyntax, { method: "DELETE", path: "/Users" }),
  operate("an unknown user", notFound, { method: "DELETE", path: "/Users/987654321" }),
  operate("the id of a group as a user", notFound, { method: "DELETE", path: "/Users/g1" }),
  operate("an outdated version", { status: 412 }, { method: "DELETE", path: "/Users/1", version: 'W/"99"' }),
  operate("POST without data", invalidSyntax, { method: "POST", path: "/Users", bulkId: "a" }),
  operate("a list for data", invalidSyntax, {
    method: "POST",
    path: "/Users",
    bulkId: "a",
    data: [otherUser],
  }),
  operate("a taken user name", uniqueness, { method: "POST", path: "/Users", bulkId: "a", data: otherUser }),
  operate("a user without a user name", invalidValue, {
    method: "POST",
    path: "/Users",
    bulkId: "a",
    data: {},
  }),
  operate("a patch with an unknown path", invalidPath, {
    method: "PATCH",
    path: "/Users/1",
    data: patch(
      { op: "replace", path: "displayName", value: "x" },
      { op: "replace", path: "nothing", value: "x" },
    ),
  }),
  operate("an unknown bulkId as member", invalidValue, {
    method: "PATCH",
    path: "/Groups/g1",
    data: patch({ op: "add", path: "members", value: [{ value: "bulkId:nobody" }] }),
  }),
];

export const badRequests: readonly (readonly [title: string, requests: readonly BadRequest[]])[] = [
  ["ids", unknownResources],
  ["routes", badRoutes],
  ["bodies", badBodies],
  ["headers", badHeaders],
  ["nesting", nestedSchemas],
  ["users", badUsers],
  ["taken names", takenNames],
  ["groups", badGroups],
  ["patches of users", badPatches],
  ["patches of groups", badGroupPatches],
  ["queries", badQueries],
  ["bulk requests", badBulks],
];
