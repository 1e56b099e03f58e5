import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { GroupRecord } from "../../src/contract/groups/group.ts";
import type { JsonObject } from "../../src/contract/json.ts";
import { userKind } from "../../src/scim/attributes.ts";
import { parseGroupFilter, parseUserFilter } from "../../src/scim/filter/parse-filter.ts";
import { normalizeDocument } from "../../src/scim/normalize.ts";
import { userRecord } from "../../src/scim/user-document.ts";
import {
  allGroups,
  allUsers,
  rowsOf,
  type StoreUnderTest,
  storeOpener,
} from "../store/support/store-under-test.ts";
import { onEachEngine } from "../support/engines.ts";

const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
const roster = "urn:ietf:params:scim:schemas:extension:roster:2.0";

/** What a client has sent. Their ids are 1, 2 and 3. */
const documents: readonly JsonObject[] = [
  {
    userName: "Ada@Example.com",
    externalId: "Ext-1",
    name: { givenName: "Ada", familyName: "Lovelace", formatted: "Ada Lovelace" },
    displayName: "Ada Lovelace",
    active: true,
    title: "Countess",
    emails: [
      { value: "ada@example.com", type: "work", primary: true },
      { value: "ada@home.example", type: "home" },
    ],
    phoneNumbers: [{ value: "+47 11", type: "work" }],
    roles: [{ value: "admin", primary: true }],
    [enterprise]: { department: "Engines", employeeNumber: "007", manager: { value: "2" } },
    [`${roster}:User`]: { level: 3 },
  },
  {
    userName: "bob",
    externalId: "ext-1",
    name: { givenName: "Bob", familyName: "Babbage" },
    active: "False",
    emails: [{ value: "bob@example.com", type: "home" }],
    "urn:okta:custom:user:1.0:User": { team: "blue" },
  },
];

onEachEngine((engine) => {
  let opened: StoreUnderTest;
  beforeAll(async () => {
    opened = await storeOpener(engine)();
    const { users, groups } = opened.store;
    for (const document of documents) {
      await users.create({ record: userRecord(normalizeDocument(userKind, document), undefined).record });
    }
    // Not of SCIM, without email and user name.
    await users.create({ record: { name: "Cyd", title: 5, roles: ["admin"] } });
    const records: GroupRecord[] = [
      { name: "Sales", externalId: "G-1" },
      { name: "Empty", level: 2 },
    ];
    for (const record of records) await groups.create({ record });
    await groups.patchMembers(1, { add: [1, 2], remove: [] });
  });
  afterAll(() => opened.destroy());

  const findUsers = async (text: string) => {
    const { filters, expression } = parseUserFilter(text);
    return rowsOf(await opened.store.users.list({ ...allUsers, filters, expression })).map(({ id }) => id);
  };
  const findGroups = async (text: string) => {
    const { filters, expression } = parseGroupFilter(text);
    return rowsOf(await opened.store.groups.list({ ...allGroups, filters, expression })).map(({ id }) => id);
  };

  describe("filters of users", () => {
    test.each<[client: string, filter: string, ids: readonly number[]]>([
      ["Entra", 'userName eq "ada@example.com"', [1]],
      ["Entra", 'userName eq "5db8e02f-6e49-4a1b-8dd4-6ee0a7c1f3a2"', []],
      ["Entra", 'externalId eq "Ext-1"', [1]],
      ["Entra", "externalId eq Ext-1", [1]],
      ["Entra", 'externalId eq "EXT-1"', []],
      ["Entra", 'emails[type eq "work"].value eq "ADA@example.com"', [1]],
      ["Entra", 'emails[type eq "work"].value eq "ada@home.example"', []],
      ["Entra", 'emails[type eq "home"].value eq "bob@example.com"', [2]],
      ["Entra", 'id eq "2" and manager eq "1"', []],
      ["Entra", 'id eq "1" and manager eq "2"', [1]],
      ["Entra", `${enterprise}:manager.value eq "2"`, [1]],
      ["Entra", 'roles[primary eq "True"].value eq "admin"', [1]],
      ["Okta", 'userName eq "bob"', [2]],
      ["Okta", 'userName eq "bob" and active eq false', [2]],
      ["Okta", 'id eq "3"', [3]],
      ["Okta", 'meta.lastModified gt "2020-01-01T00:00:00.000Z"', [1, 2, 3]],
      ["Okta", 'meta.lastModified gt "2999-01-01T00:00:00.000Z"', []],
      ["Okta", 'urn:okta:custom:user:1.0:User:team eq "blue"', [2]],
      ["OneLogin", 'userName Eq "BOB"', [2]],
      ["JumpCloud", 'userName eq "ada@example.com" or emails.value eq "bob@example.com"', [1, 2]],
      ["JumpCloud", 'emails eq "ada@home.example"', [1]],
      ["Ping", 'userName sw "ad" and name.familyName co "LACE"', [1]],
      ["Ping", '(userName eq "bob" or userName eq "roster-3") and not (active eq true)', [2]],
      ["Ping", 'userName eq "roster-3"', [3]],
      ["RFC 7644", 'name.familyName co "O\'Malley"', []],
      ["RFC 7644", 'userName sw "A"', [1]],
      ["RFC 7644", `urn:ietf:params:scim:schemas:core:2.0:User:userName sw "A"`, [1]],
      ["RFC 7644", "title pr", [1]],
      ["RFC 7644", 'title pr and userType eq "Employee"', []],
      ["RFC 7644", 'title pr or userType eq "Intern"', [1]],
      ["RFC 7644", `schemas eq "${enterprise}"`, [1]],
      [
        "RFC 7644",
        'userType ne "Employee" and (emails co "example.com" or emails.value co "example.org")',
        [1, 2],
      ],
      [
        "RFC 7644",
        'userType ne "Employee" and not (emails co "home.example" or emails.value co "example.org")',
        [2, 3],
      ],
      [
        "RFC 7644",
        'emails[type eq "work" and value co "@example.com"] or ims[type eq "xmpp" and value co "@foo.com"]',
        [1],
      ],
      ["anyone", "emails.primary eq true", [1]],
      ["anyone", "emails[primary eq true].type eq work", [1]],
      ["anyone", "not (emails pr)", [3]],
      ["anyone", "active eq true", [1, 3]],
      ["anyone", 'active ne "TRUE"', [2]],
      ["anyone", "active pr", [1, 2, 3]],
      ["anyone", "employeeNumber eq 007", [1]],
      ["anyone", "title eq 5", []],
      ["anyone", `${roster}:User:title eq 5`, [3]],
      ["anyone", `${roster}:User:roles eq "admin"`, [3]],
      ["anyone", `${roster}:User:level ge 3`, [1]],
      ["anyone", `${roster}:User:LEVEL ge 3`, []],
      ["anyone", `${roster}:User:name pr or ${roster}:User:version pr or ${roster}:User:scim pr`, []],
      ["anyone", `${enterprise} pr`, [1]],
      ["anyone", "urn:okta:custom:user:1.0:User pr", [2]],
      ["anyone", 'meta.resourceType eq "User" and meta.version eq "W/\\"1\\""', [1, 2, 3]],
      ["anyone", 'meta.version eq "1"', []],
      [
        "anyone",
        "password pr or x509Certificates pr or unknown pr or name.unknown pr or userName.value pr",
        [],
      ],
      ["anyone", "unknown eq null and unknown ne 5", [1, 2, 3]],
      ["anyone", 'groups.value eq "g1"', [1, 2]],
      ["anyone", 'groups eq "g1" and active eq true', [1]],
      ["anyone", 'not (groups.value eq "g1")', [3]],
      ["anyone", 'groups[value eq "g1"] and groups.display eq " SALES "', [1, 2]],
      ["anyone", 'groups[value eq "g1" and type eq "direct"]', [1, 2]],
      ["anyone", 'groups.value ne "g2"', [1, 2, 3]],
      ["anyone", "groups pr", [1, 2]],
      ["anyone", "groups.type eq indirect", []],
      // Ids of groups start with g.
      ["anyone", 'groups.value eq "1"', []],
    ])("%s sends %s", async (_, filter, ids) => {
      expect(await findUsers(filter)).toEqual([...ids]);
    });
  });

  describe("filters of groups", () => {
    test.each<[client: string, filter: string, ids: readonly number[]]>([
      ["Entra", 'displayName eq "sales"', [1]],
      ["Entra", 'externalId eq "G-1"', [1]],
      ["Entra", 'externalId eq "g-1"', []],
      ["Entra", 'id eq "g1" and members eq "2"', [1]],
      ["Entra", 'id eq "g1" and members eq "3"', []],
      ["Entra", 'members[value eq "1"]', [1]],
      ["Okta", 'id eq "g2"', [2]],
      ["Okta", 'id eq "2"', []],
      ["Okta", "id eq G2", []],
      ["Okta", 'meta.created gt "2020-01-01T00:00:00.000Z"', [1, 2]],
      ["anyone", 'members.value eq "1" and members.value eq "2"', [1]],
      ["anyone", "not (members pr)", [2]],
      ["anyone", 'members.type eq "user"', [1]],
      ["anyone", 'members.value eq "x"', []],
      ["anyone", "members.display pr", []],
      ["anyone", `${roster}:Group:level eq 2`, [2]],
      ["anyone", `${roster}:Group:memberCount pr`, []],
      ["anyone", 'userName eq "bob" or emails pr', []],
      ["anyone", 'id sw "g" and id ew "2"', [2]],
    ])("%s sends %s", async (_, filter, ids) => {
      expect(await findGroups(filter)).toEqual([...ids]);
    });
  });

  test("a filter that is only a user name names the user", () => {
    const nameOf = (filter: string) => parseUserFilter(filter).userName;
    expect(nameOf('userName eq "Ada@Example.com"')).toBe("Ada@Example.com");
    expect(nameOf('(USERNAME EQ "x")')).toBe("x");
    expect(nameOf("urn:ietf:params:scim:schemas:core:2.0:User:userName eq bob")).toBe("bob");
    expect(nameOf("userName eq 007")).toBe("007");
    for (const other of [
      'userName ne "x"',
      'userName sw "x"',
      "userName eq null",
      'userName eq "x" and active eq true',
      'not (userName eq "x")',
      'userName.value eq "x"',
      'displayName eq "x"',
      // No user has this name: it stands for the name of user 7.
      'userName eq "roster-7"',
    ])
      expect(nameOf(other)).toBeUndefined();
  });
});
