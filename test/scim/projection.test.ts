import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { JsonObject } from "../../src/contract/json.ts";
import { groupKind, urns, userKind } from "../../src/scim/attributes.ts";
import { createDocumentView } from "../../src/scim/projection.ts";

const OKTA = "urn:okta:custom:user:1.0";

const user: JsonObject = {
  schemas: [urns.user, urns.enterpriseUser, urns.rosterUser, OKTA],
  id: "42",
  externalId: "a1",
  userName: "ada",
  name: { givenName: "Ada", familyName: "Lovelace" },
  active: true,
  emails: [
    { value: "ada@example.com", type: "work", primary: true },
    { value: "ada@example.org", type: "home" },
  ],
  roles: [{ value: "admin" }],
  [urns.enterpriseUser]: { department: "Research", manager: { value: "7", $ref: "/Users/7" } },
  [urns.rosterUser]: { level: 3, Level: 4, address2: { city: "London", zip: "N1" } },
  [OKTA]: { Team: "Blue", size: 5 },
  meta: { resourceType: "User", created: "2026-01-01T00:00:00.000Z" },
};

const { schemas, id } = user;
const always = { schemas, id };

const toJson = (value: object) => JSON.parse(JSON.stringify(value));
const chosen = (attributes: string, excluded?: string) =>
  createDocumentView(userKind, attributes, excluded).project(user);
const reduced = (excluded: string) => createDocumentView(userKind, undefined, excluded).project(user);
const without = (...names: string[]) =>
  Object.fromEntries(Object.entries(user).filter(([name]) => !names.includes(name)));

const chosenParts: readonly (readonly [attributes: string, shown: object])[] = [
  ["userName", { userName: "ada" }],
  ["USERNAME", { userName: "ada" }],
  [" userName , active ", { userName: "ada", active: true }],
  ["userName,,active,", { userName: "ada", active: true }],
  ["id", {}],
  ["unknown", {}],
  ["__proto__,constructor,toString", {}],
  ["name", { name: user.name }],
  ["name.givenName", { name: { givenName: "Ada" } }],
  ["name.givenName,name", { name: user.name }],
  ["name,name.givenName", { name: user.name }],
  ["NAME.GIVENNAME,name.familyname", { name: user.name }],
  ["name.unknown", {}],
  ["userName.value", {}],
  ["emails.value", { emails: [{ value: "ada@example.com" }, { value: "ada@example.org" }] }],
  ["emails.primary", { emails: [{ primary: true }] }],
  ['emails[type eq "work"]', { emails: user.emails }],
  ['emails[type eq "work"].value', { emails: [{ value: "ada@example.com" }, { value: "ada@example.org" }] }],
  ['emails[type eq "a,b]\\"" and value pr],userName', { emails: user.emails, userName: "ada" }],
  ["emails[type eq", { emails: user.emails }],
  ["emails]", {}],
  [`${urns.user}:userName`, { userName: "ada" }],
  [`${urns.user.toUpperCase()}:name.familyName`, { name: { familyName: "Lovelace" } }],
  [urns.user, Object.fromEntries(Object.entries(user).filter(([name]) => !name.startsWith("urn:")))],
  [urns.enterpriseUser, { [urns.enterpriseUser]: user[urns.enterpriseUser] }],
  [`${urns.enterpriseUser}:department`, { [urns.enterpriseUser]: { department: "Research" } }],
  [
    `${urns.enterpriseUser.toLowerCase()}:MANAGER.value`,
    { [urns.enterpriseUser]: { manager: { value: "7" } } },
  ],
  [
    "Manager.value,DEPARTMENT",
    { [urns.enterpriseUser]: { department: "Research", manager: { value: "7" } } },
  ],
  [`${urns.enterpriseUser}:unknown`, {}],
  [`${urns.rosterUser}:level`, { [urns.rosterUser]: { level: 3 } }],
  [`${urns.rosterUser}:LEVEL`, {}],
  [`${urns.rosterUser}:address2.city`, { [urns.rosterUser]: { address2: { city: "London" } } }],
  [OKTA, { [OKTA]: user[OKTA] }],
  [`${OKTA}:team`, { [OKTA]: { Team: "Blue" } }],
  ["urn:okta:custom", {}],
  [`${OKTA}x`, {}],
  ["urn:", {}],
  ["meta.resourceType", { meta: { resourceType: "User" } }],
];

const reducedParts: readonly (readonly [excluded: string, shown: object])[] = [
  ["userName", without("userName")],
  ["id,schemas,ID,active", without("active")],
  ["unknown,name.unknown,userName.value", user],
  ["name.givenName", { ...user, name: { familyName: "Lovelace" } }],
  ["name.givenName,name.familyName", without("name")],
  ["roles.value", without("roles")],
  [
    "emails.type,emails.primary",
    { ...user, emails: [{ value: "ada@example.com" }, { value: "ada@example.org" }] },
  ],
  ['emails[type eq "work"]', without("emails")],
  ["manager", { ...user, [urns.enterpriseUser]: { department: "Research" } }],
  [urns.rosterUser, without(urns.rosterUser)],
  [`${urns.enterpriseUser}:manager`, { ...user, [urns.enterpriseUser]: { department: "Research" } }],
  [`${OKTA}:TEAM`, { ...user, [OKTA]: { size: 5 } }],
];

describe("the view of a document", () => {
  for (const [attributes, shown] of chosenParts)
    test(`attributes=${attributes}`, () => {
      expect(chosen(attributes)).toEqual(toJson({ ...always, ...shown }));
    });

  for (const [excluded, shown] of reducedParts)
    test(`excludedAttributes=${excluded}`, () => {
      expect(reduced(excluded)).toEqual(toJson(shown));
    });

  test("attributes wins", () => {
    expect(chosen("userName,active", "userName")).toEqual(
      toJson({ ...always, userName: "ada", active: true }),
    );
  });

  test("without names, the view is the whole document", () => {
    for (const nothing of [undefined, "", " , ,"]) {
      expect(createDocumentView(userKind, nothing, nothing).project(user)).toBe(user);
    }
  });

  test("groups are shown only if they are asked for by name", () => {
    const shows = (attributes?: string, excluded?: string) =>
      createDocumentView(userKind, attributes, excluded).shows("groups");
    expect([shows(), shows("groups"), shows("Groups.display"), shows("userName"), shows(urns.user)]).toEqual([
      ...[false, true, true, false, false],
    ]);
    expect([shows(undefined, "userName"), shows(undefined, "groups"), shows(`${urns.user}:groups`)]).toEqual([
      ...[false, false, true],
    ]);
  });

  test("members are shown unless the view leaves them out", () => {
    const view = (attributes?: string, excluded?: string) =>
      createDocumentView(groupKind, attributes, excluded);
    const parts = (attributes?: string, excluded?: string) =>
      ["value", "$ref", "type"].filter((sub) => view(attributes, excluded).shows("members", sub));
    expect(view().shows("members")).toBe(true);
    expect(view("displayName").shows("members")).toBe(false);
    expect(view("MEMBERS").shows("members")).toBe(true);
    expect(view(undefined, "members").shows("members")).toBe(false);
    expect(view(undefined, "displayName").shows("members")).toBe(true);
    expect(view(undefined, `${urns.group}:members`).shows("members")).toBe(false);
    expect(parts()).toEqual(["value", "$ref", "type"]);
    expect(parts("members.value")).toEqual(["value"]);
    expect(parts("members.$REF,members.type")).toEqual(["$ref", "type"]);
    expect(parts(undefined, "members.$ref")).toEqual(["value", "type"]);
  });

  test("lists of names are limited", () => {
    const names = (count: number) => Array.from({ length: count }, (_, index) => `a${index}`).join();
    expect(() => chosen(names(500))).not.toThrow();
    expect(() => chosen(names(501))).toThrow("attributes: Enter at most 500 names.");
    expect(() => reduced(names(501))).toThrow("excludedAttributes: Enter at most 500 names.");
    expect(() => chosen("a".repeat(16_385))).toThrow("attributes: Enter at most 16384 characters.");
  });

  test("what attributes shows and what excludedAttributes leaves out make the document together", () => {
    const names = Object.keys(user).filter((name) => !(name in always));
    fc.assert(
      fc.property(fc.subarray(names), (some) => {
        fc.pre(some.length > 0);
        expect({ ...chosen(some.join()), ...reduced(some.join()) }).toEqual(user);
        expect(Object.keys(chosen(some.join())).length - 2 + Object.keys(reduced(some.join())).length).toBe(
          Object.keys(user).length,
        );
      }),
    );
  });

  test("any text gives a view", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (attributes, excluded) => {
        expect(createDocumentView(userKind, attributes, excluded).project(user)).toMatchObject(always);
      }),
    );
  });
});
