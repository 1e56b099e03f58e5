import { describe, expect, test } from "bun:test";
import type { Json, JsonObject } from "../../src/contract/json.ts";
import { groupKind, urns, userKind } from "../../src/scim/attributes.ts";
import { groupRecord } from "../../src/scim/group-document.ts";
import { memberChange, parseMembers } from "../../src/scim/members.ts";
import { normalizeDocument } from "../../src/scim/normalize.ts";
import { userDocument, userRecord } from "../../src/scim/user-document.ts";
import { applyPatch, parsePatch } from "./support/patch.ts";
import { locate, stored } from "./support/stored.ts";

const { enterpriseUser } = urns;
const email = "ada@example.com";

describe("a new user becomes a record, as sent by", () => {
  test.each<[client: string, body: JsonObject, record: object]>([
    [
      "Entra, with nulls and lists without values",
      {
        schemas: [
          urns.user,
          enterpriseUser,
          "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/User",
        ],
        externalId: "0a21f0f2",
        userName: email,
        active: true,
        displayName: null,
        emails: [{ primary: true, type: "work", value: email }],
        addresses: [],
        phoneNumbers: null,
        meta: { resourceType: "User" },
        name: { formatted: "Ada King", familyName: "King", givenName: "Ada" },
        roles: [],
        title: null,
        [enterpriseUser]: { department: null, manager: null },
      },
      {
        name: "Ada King",
        email,
        userName: email,
        active: true,
        externalId: "0a21f0f2",
        formattedName: "Ada King",
        familyName: "King",
        givenName: "Ada",
        scim: { displayName: null },
      },
    ],
    [
      "Okta, with a password",
      {
        schemas: [urns.user],
        userName: email,
        name: { givenName: "Ada", familyName: "King" },
        emails: [{ primary: true, value: email, type: "work" }],
        displayName: "Ada King",
        locale: "en-US",
        externalId: "00ujl29u0le5T6Aj10h7",
        groups: [],
        password: "1mz050nq",
        active: true,
      },
      {
        name: "Ada King",
        email,
        userName: email,
        active: true,
        externalId: "00ujl29u0le5T6Aj10h7",
        givenName: "Ada",
        familyName: "King",
        locale: "en-US",
      },
    ],
    [
      "OneLogin, with schemas of SCIM 1.1",
      {
        schemas: ["urn:scim:schemas:core:1.0", "urn:scim:schemas:extension:enterprise:1.0"],
        userName: "ada",
        name: { givenName: "Ada", familyName: "King" },
        emails: [{ value: email, type: "work", primary: "true" }],
        "urn:scim:schemas:extension:enterprise:1.0": { department: "Engines" },
      },
      {
        name: "Ada King",
        email,
        userName: "ada",
        givenName: "Ada",
        familyName: "King",
        scim: {
          displayName: null,
          extensions: { "urn:scim:schemas:extension:enterprise:1.0": { department: "Engines" } },
        },
      },
    ],
    [
      "JumpCloud, with a manager without values and empty texts",
      {
        schemas: [urns.user, enterpriseUser],
        userName: "ada",
        displayName: "",
        name: { givenName: "Ada", familyName: "King", middleName: "" },
        emails: [{ primary: true, type: "work", value: email }],
        phoneNumbers: [
          { type: "work", value: "+47 1" },
          { type: "work", value: "+47 1" },
        ],
        addresses: [{ type: "work", streetAddress: "", locality: "Oslo" }],
        [enterpriseUser]: { department: "Engines", manager: {} },
      },
      {
        name: "Ada King",
        email,
        userName: "ada",
        givenName: "Ada",
        familyName: "King",
        middleName: "",
        phoneNumbers: [{ type: "work", value: "+47 1" }],
        addresses: [{ type: "work", streetAddress: "", locality: "Oslo" }],
        department: "Engines",
        scim: { displayName: null },
      },
    ],
    [
      "authentik, with an email of the type other",
      {
        schemas: [urns.user],
        userName: "ada",
        name: { formatted: "Ada King", givenName: "Ada", familyName: "King" },
        displayName: "Ada King",
        photos: [{ value: "https://authentik.example/a.png", type: "photo" }],
        locale: "",
        active: true,
        emails: [{ value: email, type: "other", primary: true }],
        externalId: "8f14e45f",
      },
      {
        name: "Ada King",
        email,
        userName: "ada",
        active: true,
        externalId: "8f14e45f",
        formattedName: "Ada King",
        givenName: "Ada",
        familyName: "King",
        locale: "",
        photos: [{ value: "https://authentik.example/a.png", type: "photo" }],
        emails: [{ type: "other", primary: true }],
      },
    ],
    [
      "PingFederate, with an email that has only a value",
      {
        schemas: [urns.user],
        active: true,
        userName: "ada",
        name: { familyName: "King" },
        emails: [{ type: "work", value: email }],
        entitlements: [{ value: "Admins" }],
      },
      {
        name: "King",
        email,
        userName: "ada",
        active: true,
        familyName: "King",
        entitlements: [{ value: "Admins" }],
        emails: [{ type: "work" }],
        scim: { displayName: null },
      },
    ],
  ])("%s", (_, body, record) => {
    expect<object>(userRecord(normalizeDocument(userKind, body), undefined).record).toEqual(record);
  });
});

describe("a user is changed, as sent by", () => {
  const before = stored({
    name: "Ada King",
    email,
    userName: email,
    active: true,
    givenName: "Ada",
    familyName: "King",
    manager: { value: "7" },
    roles: [{ value: "Member", display: "Member", type: "Directory" }],
    scim: { displayName: null },
  });
  const { id: _, version: __, createdAt: ___, updatedAt: ____, ...record } = before;

  test.each<[client: string, operations: Json[], changed: object]>([
    [
      "Entra, to deactivate it with a text",
      [{ op: "Replace", path: "active", value: "False" }],
      { active: false },
    ],
    [
      "Entra, to deactivate it with another text",
      [{ op: "Replace", path: "active", value: "false" }],
      { active: false },
    ],
    [
      "Entra, without the flag aadOptscim062020",
      [
        { op: "Add", path: 'phoneNumbers[type eq "mobile"].value', value: "+47 2" },
        { op: "Add", path: 'addresses[type eq "work"].postalCode', value: "0150" },
        { op: "Replace", path: 'roles[primary eq "True"].value', value: "Admin" },
        { op: "Replace", path: 'emails[type eq "work"].value', value: "ada@new.example" },
        { op: "Add", path: `${enterpriseUser}:department`, value: "Engines" },
      ],
      {
        email: "ada@new.example",
        phoneNumbers: [{ type: "mobile", value: "+47 2" }],
        addresses: [{ type: "work", postalCode: "0150" }],
        roles: [...(record.roles as Json[]), { primary: true, value: "Admin" }],
        department: "Engines",
      },
    ],
    [
      "Entra, with names in an object",
      [
        {
          op: "replace",
          value: {
            displayName: "Countess",
            "name.givenName": "Augusta",
            [`${enterpriseUser}:employeeNumber`]: "5",
            "urn:ietf:params:scim:schemas:extension:CustomExtensionName:2.0:User:tag": "701984",
          },
        },
      ],
      {
        name: "Countess",
        givenName: "Augusta",
        employeeNumber: "5",
        scim: {
          extensions: {
            "urn:ietf:params:scim:schemas:extension:CustomExtensionName:2.0:User": { tag: "701984" },
          },
        },
      },
    ],
    [
      "Entra, with a manager as a list",
      [{ op: "Add", path: "manager", value: [{ $ref: "https://x/Users/8", value: "8" }] }],
      { manager: { value: "8" } },
    ],
    [
      "Entra, without a manager",
      [{ op: "Remove", path: `${enterpriseUser}:manager` }],
      { manager: undefined },
    ],
    ["Okta, to deactivate it", [{ op: "replace", value: { active: false } }], { active: false }],
    ["Okta, to set a password", [{ op: "replace", value: { password: "x" } }], {}],
    [
      "SailPoint, with a part of the name in each operation",
      [
        { op: "replace", value: { name: { familyName: "Lovelace" } } },
        { op: "replace", value: { name: { givenName: "Augusta" } } },
      ],
      { name: "Augusta Lovelace", familyName: "Lovelace", givenName: "Augusta" },
    ],
    [
      "others, with the label of a role",
      [{ op: "Replace", path: 'roles[value eq "Member"].display', value: "Team Member" }],
      { roles: [{ value: "Member", display: "Team Member", type: "Directory" }] },
    ],
    [
      "others, with schemas in the value",
      [{ op: "replace", value: { schemas: [urns.user], nickName: "A" } }],
      { nickName: "A" },
    ],
  ])("%s", (_, Operations, changed) => {
    const document = userDocument(before, locate);
    const next = applyPatch(userKind, document, parsePatch(userKind, { Operations }));
    const expected: object = { ...record, ...changed };
    expect<object>(userRecord(next, before).record).toEqual(expected);
  });
});

describe("the members of a group, as sent by", () => {
  const removed = { replace: undefined, add: [], remove: [4] };
  test.each<[client: string, operation: Json, change: object]>([
    ["Okta, to remove one", { op: "remove", path: 'members[value eq "4"]' }, removed],
    [
      "authentik and Entra, to remove one",
      { op: "Remove", path: "members", value: [{ value: "4" }] },
      removed,
    ],
    [
      "Entra, to add one",
      { op: "Add", path: "members", value: [{ $ref: null, value: "4" }] },
      { replace: undefined, add: [4], remove: [] },
    ],
    [
      "WSO2, to add one without a path",
      { op: "add", value: { members: [{ display: "Ada", value: "4", $ref: "https://x/Users/4" }] } },
      { replace: undefined, add: [4], remove: [] },
    ],
    [
      "Okta, for a group without any",
      { op: "replace", path: "members", value: [] },
      { replace: [], add: [], remove: [] },
    ],
    [
      "others, as a list of texts that replaces them",
      { op: "replace", path: "members", value: ["4", "5"] },
      { replace: [4, 5], add: [], remove: [] },
    ],
  ])("%s", (_, operation, change) => {
    expect<object | undefined>(memberChange(parsePatch(groupKind, { Operations: [operation] }))).toEqual(
      change,
    );
  });

  test("Okta, with a new name and the id beside it", () => {
    const Operations = [{ op: "replace", value: { id: "g7", displayName: "Sales north" } }];
    const operations = parsePatch(groupKind, { Operations });
    const group = { id: "g7", displayName: "Sales" };
    expect(memberChange(operations)).toBeUndefined();
    expect(applyPatch(groupKind, group, operations)).toEqual({ id: "g7", displayName: "Sales north" });
  });

  test("Okta, in a whole group with an extension of its own", () => {
    const body = normalizeDocument(groupKind, {
      schemas: [urns.group, "urn:okta:custom:group:1.0"],
      displayName: "Sales",
      members: [{ value: "4", display: email }],
      "urn:okta:custom:group:1.0": { description: "North" },
    });
    expect(parseMembers(body.members)).toEqual([4]);
    expect<object>(groupRecord(body, undefined)).toEqual({
      name: "Sales",
      scim: { extensions: { "urn:okta:custom:group:1.0": { description: "North" } } },
    });
  });
});
