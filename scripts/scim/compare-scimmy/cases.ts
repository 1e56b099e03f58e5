import type { Json, JsonObject } from "../../../src/contract/json.ts";
import { urns } from "../../../src/scim/attributes.ts";
import { patchOf } from "../../../test/api/scim/support/scim-caller.ts";

/** A request that both servers get. */
export interface Case {
  readonly name: string;
  /** Such as `GET /Users/{id}`: the id of `given`, or that of a resource that all cases share by its name. */
  readonly request: string;
  readonly body?: object | string;
  /** A user that only this case has. */
  readonly given?: JsonObject;
}

/** What all cases share. Users are in this order. */
export const sharedUsers: readonly JsonObject[] = [
  {
    userName: "ada",
    externalId: "E1",
    name: { givenName: "Ada", familyName: "Lovelace" },
    displayName: "Ada L.",
    title: "Engineer",
    active: true,
    emails: [
      { value: "ada@work.example", type: "work", primary: true },
      { value: "ada@home.example", type: "home" },
    ],
    [urns.enterpriseUser]: { department: "Engines", employeeNumber: "E7" },
  },
  { userName: "bob", displayName: "Bob", title: "Engineer", active: false },
  { userName: "Cem", displayName: "cem", title: "accountant", active: true, roles: [{ value: "admin" }] },
  { userName: "dan", displayName: "Dan", active: true, emails: [{ value: "dan@work.example" }] },
];

export const sharedGroups: readonly JsonObject[] = [
  { displayName: "Staff", members: [{ value: "{ada}" }, { value: "{bob}" }] },
  { displayName: "Empty" },
];

const user = (body: JsonObject): JsonObject => ({ schemas: [urns.user], ...body });

const creates: readonly Case[] = [
  { name: "POST only what is required", request: "POST /Users", body: user({ userName: "new-1" }) },
  { name: "POST without schemas", request: "POST /Users", body: { userName: "new-2" } },
  {
    name: "POST with an unknown URN in schemas",
    request: "POST /Users",
    body: { schemas: [urns.user, "urn:x:User"], userName: "new-3" },
  },
  {
    name: "POST with schemas of another type",
    request: "POST /Users",
    body: { schemas: [urns.group], userName: "new-4" },
  },
  { name: "POST without userName", request: "POST /Users", body: user({ displayName: "X" }) },
  { name: "POST with an empty userName", request: "POST /Users", body: user({ userName: "" }) },
  { name: "POST with a number as userName", request: "POST /Users", body: user({ userName: 5 }) },
  { name: "POST with a taken userName", request: "POST /Users", body: user({ userName: "ADA" }) },
  {
    name: "POST with names in another case",
    request: "POST /Users",
    body: user({ USERNAME: "new-5", DisplayName: "X" }),
  },
  { name: "POST with an id", request: "POST /Users", body: user({ id: "77", userName: "new-6" }) },
  {
    name: "POST with meta",
    request: "POST /Users",
    body: user({ userName: "new-7", meta: { resourceType: "X", created: "2001-01-01T00:00:00Z" } }),
  },
  {
    name: "POST with groups",
    request: "POST /Users",
    body: user({ userName: "new-8", groups: [{ value: "{Staff}" }] }),
  },
  {
    name: "POST with a password",
    request: "POST /Users",
    body: user({ userName: "new-9", password: "t1meMa$heen" }),
  },
  {
    name: "POST with an unknown attribute",
    request: "POST /Users",
    body: user({ userName: "new-10", unknown: 1 }),
  },
  {
    name: "POST with an unknown sub-attribute",
    request: "POST /Users",
    body: user({ userName: "new-11", name: { unknown: "x", givenName: "X" } }),
  },
  { name: "POST with null", request: "POST /Users", body: user({ userName: "new-12", title: null }) },
  { name: "POST with an empty list", request: "POST /Users", body: user({ userName: "new-13", emails: [] }) },
  { name: "POST with an empty object", request: "POST /Users", body: user({ userName: "new-14", name: {} }) },
  { name: "POST with an empty text", request: "POST /Users", body: user({ userName: "new-15", title: "" }) },
  {
    name: "POST with a text as boolean",
    request: "POST /Users",
    body: user({ userName: "new-16", active: "True" }),
  },
  {
    name: "POST with a number as boolean",
    request: "POST /Users",
    body: user({ userName: "new-17", active: 1 }),
  },
  {
    name: "POST with a number as text",
    request: "POST /Users",
    body: user({ userName: "new-18", title: 5 }),
  },
  {
    name: "POST with a text as complex",
    request: "POST /Users",
    body: user({ userName: "new-19", name: "X" }),
  },
  {
    name: "POST with an object as list",
    request: "POST /Users",
    body: user({ userName: "new-20", emails: { value: "x@x.example" } }),
  },
  {
    name: "POST with texts in a list of objects",
    request: "POST /Users",
    body: user({ userName: "new-21", emails: ["x@x.example"] }),
  },
  {
    name: "POST with texts as roles",
    request: "POST /Users",
    body: user({ userName: "new-22", roles: ["admin"] }),
  },
  {
    name: "POST with two primary emails",
    request: "POST /Users",
    body: user({
      userName: "new-23",
      emails: [
        { value: "a@x.example", primary: true },
        { value: "b@x.example", primary: true },
      ],
    }),
  },
  {
    name: "POST with the same email twice",
    request: "POST /Users",
    body: user({
      userName: "new-24",
      emails: [
        { value: "a@x.example", type: "work" },
        { value: "a@x.example", type: "work" },
      ],
    }),
  },
  {
    name: "POST with an email of another user",
    request: "POST /Users",
    body: user({ userName: "new-25", emails: [{ value: "ada@work.example" }] }),
  },
  {
    name: "POST with a type that is not canonical",
    request: "POST /Users",
    body: user({ userName: "new-26", emails: [{ value: "a@x.example", type: "x" }] }),
  },
  {
    name: "POST with an email that is none",
    request: "POST /Users",
    body: user({ userName: "new-27", emails: [{ value: "x" }] }),
  },
  {
    name: "POST with a profileUrl that is none",
    request: "POST /Users",
    body: user({ userName: "new-28", profileUrl: "not a url" }),
  },
  {
    name: "POST with the enterprise extension",
    request: "POST /Users",
    body: user({
      userName: "new-29",
      [urns.enterpriseUser]: { department: "D", manager: { value: "{ada}" } },
    }),
  },
  {
    name: "POST with an empty extension",
    request: "POST /Users",
    body: user({ userName: "new-30", [urns.enterpriseUser]: {} }),
  },
  {
    name: "POST with an attribute by its URN",
    request: "POST /Users",
    body: user({ userName: "new-31", [`${urns.enterpriseUser}:department`]: "D" }),
  },
  {
    name: "POST with an unknown extension",
    request: "POST /Users",
    body: user({ userName: "new-32", "urn:x:2.0:User": { a: 1 } }),
  },
  { name: "POST as a list", request: "POST /Users", body: "[]" },
  { name: "POST as a text", request: "POST /Users", body: '"x"' },
  { name: "POST as no JSON", request: "POST /Users", body: "{" },
  { name: "POST without a body", request: "POST /Users", body: "" },
  {
    name: "POST with attributes in the answer",
    request: "POST /Users?attributes=title",
    body: user({ userName: "new-33", title: "T", displayName: "X" }),
  },
  { name: "POST of a group", request: "POST /Groups", body: { schemas: [urns.group], displayName: "New" } },
  { name: "POST of a group without a name", request: "POST /Groups", body: { schemas: [urns.group] } },
  {
    name: "POST of a group with a taken name",
    request: "POST /Groups",
    body: { schemas: [urns.group], displayName: "staff" },
  },
  {
    name: "POST of a group with a member",
    request: "POST /Groups",
    body: { schemas: [urns.group], displayName: "With Ada", members: [{ value: "{ada}", display: "Ada" }] },
  },
  {
    name: "POST of a group with an unknown member",
    request: "POST /Groups",
    body: { schemas: [urns.group], displayName: "With nobody", members: [{ value: "999999" }] },
  },
  {
    name: "POST of a group with a group as member",
    request: "POST /Groups",
    body: { schemas: [urns.group], displayName: "Nested", members: [{ value: "{Staff}", type: "Group" }] },
  },
];

const list = (name: string, query: string): Case => ({
  name: `list ${name}`,
  request: `GET /Users?${query}`,
});
const filter = (text: string): Case => ({
  name: `filter ${text}`,
  request: `GET /Users?filter=${encodeURIComponent(text)}`,
});

const reads: readonly Case[] = [
  { name: "GET a user", request: "GET /Users/{ada}" },
  { name: "GET a group", request: "GET /Groups/{Staff}" },
  { name: "GET an unknown user", request: "GET /Users/999999" },
  { name: "GET an unknown path", request: "GET /Devices" },
  { name: "GET a user by the id of a group", request: "GET /Users/{Staff}" },
  { name: "GET /Me", request: "GET /Me" },
  { name: "GET attributes=title", request: "GET /Users/{ada}?attributes=title" },
  { name: "GET attributes in another case", request: "GET /Users/{ada}?attributes=TITLE" },
  { name: "GET attributes of two", request: "GET /Users/{ada}?attributes=title,name.givenName" },
  {
    name: "GET attributes of a sub-attribute of a list",
    request: "GET /Users/{ada}?attributes=emails.value",
  },
  {
    name: "GET attributes of an extension",
    request: `GET /Users/{ada}?attributes=${urns.enterpriseUser}:department`,
  },
  { name: "GET attributes that nobody knows", request: "GET /Users/{ada}?attributes=unknown" },
  { name: "GET excludedAttributes=emails", request: "GET /Users/{ada}?excludedAttributes=emails" },
  { name: "GET excludedAttributes=id", request: "GET /Users/{ada}?excludedAttributes=id" },
  {
    name: "GET excludedAttributes of a sub-attribute",
    request: "GET /Users/{ada}?excludedAttributes=name.givenName",
  },
  { name: "GET excludedAttributes=members", request: "GET /Groups/{Staff}?excludedAttributes=members" },
  {
    name: "GET attributes and excludedAttributes",
    request: "GET /Users/{ada}?attributes=title&excludedAttributes=title",
  },
];

const lists: readonly Case[] = [
  list("all", ""),
  list("count=2", "count=2"),
  list("count=0", "count=0"),
  list("count=-1", "count=-1"),
  list("count=abc", "count=abc"),
  list("count=1.5", "count=1.5"),
  list("count=", "count="),
  list("startIndex=2", "startIndex=2"),
  list("startIndex=0", "startIndex=0"),
  list("startIndex=-5", "startIndex=-5"),
  list("startIndex beyond the end", "startIndex=99"),
  list("startIndex=abc", "startIndex=abc"),
  list("startIndex and count", "startIndex=2&count=1"),
  list("an unknown parameter", "unknown=1"),
  list("attributes", "attributes=userName"),
  list(
    "excludedAttributes",
    "excludedAttributes=emails,name,urn:ietf:params:scim:schemas:extension:enterprise:2.0:User",
  ),
  list("sortBy=userName", "sortBy=userName"),
  list("sortBy=userName descending", "sortBy=userName&sortOrder=descending"),
  list("sortBy=title, which some have", "sortBy=title"),
  list("sortBy=title descending", "sortBy=title&sortOrder=descending"),
  list("sortBy=name.familyName", "sortBy=name.familyName"),
  list("sortBy=emails", "sortBy=emails"),
  list("sortBy that nobody knows", "sortBy=unknown"),
  list("sortOrder that is none", "sortBy=userName&sortOrder=up"),
  filter('userName eq "ada"'),
  filter('userName eq "ADA"'),
  filter('USERNAME EQ "ada"'),
  filter('urn:ietf:params:scim:schemas:core:2.0:User:userName eq "ada"'),
  filter('externalId eq "e1"'),
  filter('userName ne "ada"'),
  filter('title co "gin"'),
  filter('title sw "Eng"'),
  filter('title ew "eer"'),
  filter("title pr"),
  filter("not (title pr)"),
  filter('title gt "b"'),
  filter('title ne "Engineer"'),
  filter("active eq true"),
  filter("active eq false"),
  filter('active eq "True"'),
  filter("active gt true"),
  filter('title eq "Engineer" and active eq true'),
  filter('title eq "Engineer" or userName eq "dan"'),
  filter('(title eq "Engineer" or userName eq "dan") and not (active eq false)'),
  filter('name.familyName eq "Lovelace"'),
  filter('emails eq "ada@work.example"'),
  filter('emails.value eq "ada@work.example"'),
  filter('emails[type eq "work"]'),
  filter('emails[type eq "work" and value co "@work.example"]'),
  filter('emails[type eq "work"].value eq "ada@work.example"'),
  filter(`${urns.enterpriseUser}:department eq "Engines"`),
  filter('meta.created gt "2001-01-01T00:00:00Z"'),
  filter('unknown eq "x"'),
  filter("userName eq ada"),
  filter("userName eq"),
  filter("userName is 5"),
  filter('userName eq "ada'),
  filter("("),
  filter(""),
  filter("title eq null"),
  filter("title eq 5"),
  { name: "groups by filter", request: `GET /Groups?filter=${encodeURIComponent('displayName eq "Staff"')}` },
  {
    name: "groups by member",
    request: `GET /Groups?filter=${encodeURIComponent('members.value eq "{ada}"')}`,
  },
  {
    name: ".search",
    request: "POST /Users/.search",
    body: {
      schemas: ["urn:ietf:params:scim:api:messages:2.0:SearchRequest"],
      filter: 'userName eq "ada"',
      attributes: ["userName"],
    },
  },
  {
    name: ".search without schemas",
    request: "POST /Users/.search",
    body: { filter: 'userName eq "ada"', attributes: ["userName"] },
  },
  {
    name: ".search with count 0",
    request: "POST /Users/.search",
    body: { schemas: ["urn:ietf:params:scim:api:messages:2.0:SearchRequest"], count: 0 },
  },
];

/** The user of the cases of PATCH and PUT. */
const eve = user({
  userName: "eve",
  displayName: "Eve",
  title: "T",
  active: true,
  name: { givenName: "Eve", familyName: "King" },
  emails: [
    { value: "eve@work.example", type: "work", primary: true },
    { value: "eve@home.example", type: "home" },
  ],
  roles: [{ value: "admin" }],
  [urns.enterpriseUser]: { department: "D", costCenter: "C" },
});

const patch = (name: string, ...operations: JsonObject[]): Case => ({
  name,
  given: eve,
  request: "PATCH /Users/{id}",
  body: patchOf(...operations),
});
const set = (op: string, path: string, value: Json): Case =>
  patch(`${op} ${path} with ${JSON.stringify(value)}`, { op, path, value });
const remove = (path: string, value?: Json): Case =>
  patch(`remove ${path}${value === undefined ? "" : ` with ${JSON.stringify(value)}`}`, {
    op: "remove",
    path,
    ...(value !== undefined && { value }),
  });

const patches: readonly Case[] = [
  set("add", "nickName", "N"),
  set("add", "title", "U"),
  set("add", "title", "T"),
  set("Add", "title", "U"),
  set("add", "TITLE", "U"),
  set("add", "urn:ietf:params:scim:schemas:core:2.0:User:title", "U"),
  set("add", "name", { middleName: "M" }),
  set("add", "name.middleName", "M"),
  set("add", "roles", [{ value: "auditor" }]),
  set("add", "roles", { value: "auditor" }),
  set("add", "roles", [{ value: "admin" }]),
  set("add", "emails", [{ value: "eve@other.example", type: "other", primary: true }]),
  set("add", 'emails[type eq "home"].display', "Home"),
  set("add", 'emails[type eq "HOME"].display', "Home"),
  set("add", 'emails[type eq "other"].value', "eve@other.example"),
  set("add", 'emails[type eq "home"]', { display: "Home" }),
  set("add", `${urns.enterpriseUser}:department`, "E"),
  set("add", urns.enterpriseUser, { department: "E" }),
  set("add", `${urns.enterpriseUser}:manager`, { value: "{ada}" }),
  set("replace", "title", "U"),
  set("replace", "nickName", "N"),
  set("replace", "active", false),
  set("replace", "active", "False"),
  set("replace", "name", { givenName: "E" }),
  set("replace", "name.givenName", "E"),
  set("replace", "emails", [{ value: "new@x.example" }]),
  set("replace", "emails", { value: "new@x.example" }),
  set("replace", 'emails[type eq "work"].value', "new@x.example"),
  set("replace", 'emails[type eq "work"]', { value: "new@x.example" }),
  set("replace", 'emails[type eq "other"].value', "new@x.example"),
  set("replace", 'emails[value eq "nobody@x.example"].display', "X"),
  set("replace", 'emails[type eq "home"].primary', true),
  set("replace", "roles.display", "R"),
  set("replace", "title", null),
  set("replace", "title", ""),
  set("replace", "emails", []),
  set("replace", "name", {}),
  set("replace", "title", 5),
  set("replace", "userName", ""),
  set("replace", "userName", "ada"),
  set("replace", "id", "9"),
  set("replace", "meta.created", "2001-01-01T00:00:00Z"),
  set("replace", "groups", [{ value: "{Staff}" }]),
  set("replace", "unknown", "x"),
  set("replace", "name.unknown", "x"),
  set("replace", "emails[", "x"),
  set("replace", 'title[type eq "x"]', "x"),
  set("replace", "password", "t1meMa$heen"),
  remove("title"),
  remove("nickName"),
  remove("name"),
  remove("name.givenName"),
  remove("emails"),
  remove('emails[type eq "home"]'),
  remove('emails[type eq "other"]'),
  remove('emails[type eq "home"].type'),
  remove("roles.value"),
  remove("roles", [{ value: "admin" }]),
  remove("roles", { value: "nobody" }),
  remove(`${urns.enterpriseUser}:department`),
  remove(urns.enterpriseUser),
  remove("userName"),
  remove("active"),
  remove("id"),
  remove("unknown"),
  patch("add without a path", { op: "add", value: { title: "U", nickName: "N" } }),
  patch("add of complex without a path", { op: "add", value: { name: { middleName: "M" } } }),
  patch("replace of complex without a path", { op: "replace", value: { name: { givenName: "E" } } }),
  patch("replace with dots without a path", { op: "replace", value: { "name.givenName": "E" } }),
  patch("replace with a URN without a path", {
    op: "replace",
    value: { [`${urns.enterpriseUser}:department`]: "E" },
  }),
  patch("replace of an extension without a path", {
    op: "replace",
    value: { [urns.enterpriseUser]: { department: "E" } },
  }),
  patch("replace of id without a path", { op: "replace", value: { id: "9", title: "U" } }),
  patch("replace of what nobody knows without a path", { op: "replace", value: { unknown: 1, title: "U" } }),
  patch("a text without a path", { op: "replace", value: "x" }),
  patch("remove without a path", { op: "remove" }),
  patch("add without a value", { op: "add", path: "title" }),
  patch("replace without a value", { op: "replace", path: "title" }),
  patch("another op", { op: "move", path: "title", value: "x" }),
  patch("no operations"),
  {
    name: "an operation that is a text",
    given: eve,
    request: "PATCH /Users/{id}",
    body: { ...patchOf(), Operations: ["x"] },
  },
  patch(
    "several operations",
    { op: "replace", path: "title", value: "U" },
    { op: "remove", path: "nickName" },
    { op: "add", path: "roles", value: [{ value: "auditor" }] },
  ),
  patch(
    "two operations of which the second one is refused",
    { op: "replace", path: "title", value: "U" },
    { op: "replace", path: "unknown", value: "x" },
  ),
  {
    name: "a patch without schemas",
    given: eve,
    request: "PATCH /Users/{id}",
    body: { Operations: [{ op: "replace", path: "title", value: "U" }] },
  },
  {
    name: "a patch with other names",
    given: eve,
    request: "PATCH /Users/{id}",
    body: {
      schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
      operations: [{ op: "replace", path: "title", value: "U" }],
    },
  },
  {
    name: "a patch without operations",
    given: eve,
    request: "PATCH /Users/{id}",
    body: { schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"] },
  },
  {
    name: "a patch of nobody",
    request: "PATCH /Users/999999",
    body: patchOf({ op: "replace", path: "title", value: "U" }),
  },
  {
    name: "attributes in the answer to a patch",
    given: eve,
    request: "PATCH /Users/{id}?attributes=title",
    body: patchOf({ op: "replace", path: "title", value: "U" }),
  },
  {
    name: "add of a member",
    request: "PATCH /Groups/{Empty}",
    body: patchOf({ op: "add", path: "members", value: [{ value: "{ada}" }] }),
  },
  {
    name: "add of the same member",
    request: "PATCH /Groups/{Empty}",
    body: patchOf({ op: "add", path: "members", value: [{ value: "{ada}" }] }),
  },
  { name: "the group with the member", request: "GET /Groups/{Empty}" },
  {
    name: "remove of a member by filter",
    request: "PATCH /Groups/{Empty}",
    body: patchOf({ op: "remove", path: 'members[value eq "{ada}"]' }),
  },
  {
    name: "remove of a member that is none",
    request: "PATCH /Groups/{Empty}",
    body: patchOf({ op: "remove", path: 'members[value eq "{bob}"]' }),
  },
  {
    name: "replace of the name",
    request: "PATCH /Groups/{Empty}?attributes=displayName",
    body: patchOf({ op: "replace", path: "displayName", value: "Void" }),
  },
  {
    name: "removal of the name",
    request: "PATCH /Groups/{Empty}",
    body: patchOf({ op: "remove", path: "displayName" }),
  },
];

const put = (name: string, body: JsonObject): Case => ({
  name: `PUT ${name}`,
  given: eve,
  request: "PUT /Users/{id}",
  body: user(body),
});

const puts: readonly Case[] = [
  put("of the user name only", { userName: "eve", active: true }),
  put("without active", { userName: "eve" }),
  put("without userName", { active: true, title: "U" }),
  put("with another id", { id: "9", userName: "eve", active: true }),
  put("with a taken userName", { userName: "ada", active: true }),
  put("with null", { userName: "eve", active: true, title: null }),
  put("with an unknown attribute", { userName: "eve", active: true, unknown: 1 }),
  put("with an empty extension", { userName: "eve", active: true, [urns.enterpriseUser]: {} }),
  { name: "PUT of nobody", request: "PUT /Users/999999", body: user({ userName: "nobody" }) },
  { name: "DELETE", given: eve, request: "DELETE /Users/{id}" },
  { name: "DELETE of nobody", request: "DELETE /Users/999999" },
  { name: "DELETE of all", request: "DELETE /Users" },
];

const discovery: readonly Case[] = [
  { name: "an unknown schema", request: "GET /Schemas/urn:x" },
  { name: "an unknown resource type", request: "GET /ResourceTypes/X" },
  { name: "POST of the configuration", request: "POST /ServiceProviderConfig", body: {} },
];

export const cases: readonly Case[] = [...creates, ...reads, ...lists, ...patches, ...puts, ...discovery];
