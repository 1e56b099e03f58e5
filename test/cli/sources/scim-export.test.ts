import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SourceImport } from "../../../src/cli/sources/source-import.ts";
import { scimGroups } from "../../../src/cli/sources/systems/scim.ts";
import { groupKind, urns, userKind } from "../../../src/scim/attributes.ts";
import { groupRecord } from "../../../src/scim/group-document.ts";
import { normalizeDocument } from "../../../src/scim/normalize.ts";
import { userRecord } from "../../../src/scim/user-document.ts";
import { arbitraryResource } from "../../scim/support/arbitrary-resources.ts";
import { membersOf, once, openSource, printReport, readUsers } from "./support/read-export.ts";

const list = (...Resources: object[]) =>
  once(JSON.stringify({ schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"], Resources }));

/** Reads the groups of an export. */
async function readGroups(bytes: AsyncIterable<Uint8Array>, names: Record<string, string> = {}) {
  const source = new SourceImport(scimGroups, new Map(), { groupNames: new Map(Object.entries(names)) });
  expect((await Array.fromAsync(source.read(bytes))).join("")).toBe("");
  const { groups } = source;
  if (!groups) throw new Error("The source has no groups.");
  return { groups, source };
}

const named = <Name extends string>(kind: typeof userKind, name: Name, values: fc.Arbitrary<string>) =>
  fc.tuple(arbitraryResource(kind), values).map(([resource, value]) => ({ ...resource, [name]: value }));
const userNames = fc.constantFrom("ada", "Ada@example.com", "zoë", "x".repeat(256));

describe("a resource of SCIM", () => {
  const meta = { meta: { resourceType: "User", created: "2010-01-23T04:56:22Z" } };
  const ids = { scimId: "7", originalCreatedAt: "2010-01-23T04:56:22Z" };

  test("becomes the record that SCIM stores for it, and keeps its id and the time of its creation", async () => {
    await fc.assert(
      fc.asyncProperty(named(userKind, "userName", userNames), async (resource) => {
        const source = await openSource("scim");
        const [user] = await readUsers(source, list({ id: "7", ...resource, ...meta }));
        const { record, withoutEmail } = userRecord(normalizeDocument(userKind, resource), undefined);
        expect(user).toEqual({ ...record, ...ids });
        expect(source.sent(1)?.withoutEmail).toEqual(withoutEmail && { ...withoutEmail, ...ids });
      }),
    );
  });

  test("that is a group becomes the group that SCIM stores for it", async () => {
    await fc.assert(
      fc.asyncProperty(named(groupKind, "displayName", fc.constantFrom("Staff", "ÄÖ")), async (resource) => {
        const group = { id: "7", ...resource, meta: { ...meta.meta, resourceType: "Group" } };
        const { groups } = await readGroups(list(group));
        const record = groupRecord(normalizeDocument(groupKind, resource), undefined);
        expect(JSON.parse(groups.all[0]?.json ?? "")).toEqual({ ...record, ...ids });
      }),
    );
  });

  test("has attributes that are not imported, and the report names each with the reason", async () => {
    const source = await openSource("scim");
    const user = {
      id: "7",
      userName: "ada",
      shoeSize: 7,
      name: { givenName: "Ada", nobility: "Countess", middleName: null },
      title: [],
      pin: "1234",
      password: "hunter2",
      groups: [{ value: "g1", display: "Staff" }],
      emails: [{ value: "ada@example.com", resetToken: "t0k3n" }],
      [urns.enterpriseUser]: { department: "engines", floor: 7, manager: { value: "8", displayName: "Bob" } },
      "urn:example:Badge": { colour: "red", api_key: "t0k3n" },
    };
    const [ada] = await readUsers(
      source,
      list(user, { schemas: [urns.group], id: "g1", displayName: "Staff" }),
    );
    expect(ada).toEqual({
      name: "Ada",
      userName: "ada",
      email: "ada@example.com",
      emails: [{}],
      givenName: "Ada",
      department: "engines",
      manager: { value: "8" },
      scim: { displayName: null, extensions: { "urn:example:Badge": { colour: "red" } } },
      scimId: "7",
    });
    const secret = "Roster stores no passwords, hashes and other secrets.";
    const enterprise = `"${urns.enterpriseUser}"`;
    const rows = printReport(source).map((line) => line.replace(/ {2,}/g, "|"));
    expect(rows).toEqual(
      expect.arrayContaining([
        "Not imported: 1 record (groups: import them with roster groups import).",
        "shoeSize|1|No field is meant for it.",
        "name.nobility|1|No field is meant for it.",
        `pin|1|${secret}`,
        `password|1|${secret}`,
        `emails.resetToken|1|${secret}`,
        `"urn:example:Badge".api_key|1|${secret}`,
        "groups|1|To import groups with their members, use roster groups import.",
        `${enterprise}.floor|1|No field is meant for it.`,
        `${enterprise}.manager.displayName|1|It is the name of another user.`,
        "Empty fields that were not imported, and their users: name.middleName (1), title (1).",
      ]),
    );
  });

  test("follows --map: a new name, and nothing for an attribute that is left out", async () => {
    const user = {
      id: "7",
      externalId: "e7",
      userName: "ada",
      displayName: "Ada Lovelace",
      title: "Countess",
      emails: [{ value: "ada@example.com", type: "work", primary: true }],
      name: { givenName: "Ada", familyName: "King" },
      "urn:example:Badge": { colour: "red", floor: { number: 7 } },
    };
    const read = async (names: Record<string, string>) => {
      const source = await openSource("scim", names);
      const [found] = await readUsers(source, list(user));
      return { found, source };
    };
    const { found, source } = await read({
      '"urn:example:Badge".colour': "badge",
      '"urn:example:Badge".floor.number': "floor",
      externalId: "scimId",
      displayName: "",
      "name.familyName": "surname",
      nothing: "x",
    });
    expect(found).toEqual({
      userName: "ada",
      name: "Ada",
      email: "ada@example.com",
      title: "Countess",
      givenName: "Ada",
      surname: "King",
      badge: "red",
      floor: 7,
      scimId: "e7",
      scim: { displayName: null },
    });
    expect([...source.mapping.unusedNames]).toEqual(["nothing"]);
    expect(printReport(source).join("\n")).toMatch(/displayName +1 +You left it out with --map\./);
    expect((await read({ userName: "login", emails: "" })).found).toMatchObject({
      login: "ada",
      name: "Ada Lovelace",
    });
    expect((await read({ userName: "" })).found).not.toHaveProperty("userName");
    // Nothing keeps an email of --map, so another user's email is an error.
    const moved = await read({ title: "email" });
    expect(moved.found).toMatchObject({ email: "Countess" });
    expect(moved.source.sent(1)?.withoutEmail).toBeUndefined();
  });

  test("that SCIM refuses is a line that fails, with the reason", async () => {
    const source = await openSource("scim");
    const primary = { value: "a@b.example", primary: true };
    const users = [
      { id: "1", userName: "one", title: 5 },
      { id: "2", userName: "two", emails: [primary, { ...primary, value: "c@d.example" }] },
      { id: "3", userName: "three" },
    ];
    expect(await readUsers(source, list(...users))).toMatchObject([null, null, { userName: "three" }]);
    expect(source.sent(1)).toMatchObject({ sourceId: "1", refusal: expect.stringContaining("title") });
    expect(source.sent(2)).toMatchObject({ sourceId: "2", refusal: expect.stringContaining("primary") });
    expect(source.sent(3)?.refusal).toBeUndefined();
  });

  test("that is updated sends no null inside of an object: that would remove a member", async () => {
    const source = new SourceImport(
      await (await import("../../../src/cli/sources/sources.ts")).sources.scim(),
      new Map(),
      { isPatch: true },
    );
    const users = [{ userName: "ada" }, { userName: "bob", "urn:example:Badge": { colour: "red" } }];
    expect(await readUsers(source, list(...users))).toEqual([
      { userName: "ada", name: "ada" },
      { userName: "bob", name: "bob", scim: { extensions: { "urn:example:Badge": { colour: "red" } } } },
    ]);
  });
});

describe("list responses", () => {
  test("can be empty or have no resources, and resources of other types are not imported", async () => {
    const source = await openSource("scim");
    const text = [
      { schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"], totalResults: 0 },
      { schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"], totalResults: 0, Resources: [] },
      { Resources: [{ id: "d1", displayName: "Printer", meta: { resourceType: "Device" } }] },
      { userName: "ada" },
    ];
    expect(await readUsers(source, once(text.map((page) => JSON.stringify(page)).join("\n")))).toMatchObject([
      { userName: "ada" },
    ]);
    expect(printReport(source)).toEqual(
      expect.arrayContaining([
        "Not imported: 1 record (list responses without resources).",
        "Not imported: 1 record (resources of the type Device).",
      ]),
    );
  });
});

describe("groups of SCIM", () => {
  const group = (id: string, displayName: string, members: unknown, more: object = {}) => ({
    schemas: [urns.group],
    id,
    displayName,
    members,
    ...more,
  });

  test("have members in any form: objects, texts, and a user or a group with the same id", async () => {
    const { groups, source } = await readGroups(
      list(
        group("7", "Staff", [
          { value: "1", $ref: "https://scim.example/Users/1", type: "User" },
          { value: "7", $ref: "https://scim.example/Users/7" },
          { value: "8", $ref: "../Groups/8" },
          "2",
          3,
          null,
          {},
          { value: "9", type: "GROUP" },
        ]),
        group("8", "Parts", { value: "1", type: "user" }),
        group("9", "Empty", []),
        { id: "1", userName: "ada" },
      ),
    );
    const users = ["1", "2", "3", "7"];
    for (const id of users)
      groups.graph.addUser(Number(id), [`roster:${id}`, ...scimGroups.groups.keysOf({ id })], []);
    expect(membersOf(groups)).toEqual({ Staff: [1, 2, 3, 7], Parts: [1], Empty: [] });
    expect(groups.graph.count()).toMatchObject({ unknown: 0, ambiguous: 0, nested: 2, nestedMembers: 1 });
    expect(membersOf(groups, { flatten: true })).toMatchObject({ Staff: [1, 2, 3, 7] });
    expect(printReport(source)).toContain(
      "Not imported: 1 record (users: import them with roster users import).",
    );
  });

  test("do not guess: an id that a user and a group have, or two users, is not a member", async () => {
    const { groups } = await readGroups(
      list(group("7", "Staff", ["7", "8", "9"]), group("8", "Parts", ["1"])),
    );
    const add = (user: number, id: string) =>
      groups.graph.addUser(user, [`roster:${user}`, ...scimGroups.groups.keysOf({ id })], []);
    add(1, "8");
    add(2, "9");
    add(3, "9");
    expect(membersOf(groups)).toEqual({ Staff: [], Parts: [] });
    expect(groups.graph.count()).toMatchObject({ ambiguous: 2, unknown: 1 });
  });

  test("can be larger than a user", async () => {
    const members = Array.from({ length: 20_000 }, (_, id) => ({ value: `${id}`, display: "x".repeat(50) }));
    const { groups } = await readGroups(list(group("1", "All", members)));
    groups.graph.addUser(1, ["user:19999", "id:19999"], []);
    expect(membersOf(groups)).toEqual({ All: [1] });
    await expect(readUsers(await openSource("scim"), list(group("1", "All", members)))).rejects.toThrow(
      "more than 1 MiB",
    );
  });

  test("follow --map, and a group without a name is a line that fails", async () => {
    const { groups, source } = await readGroups(
      list(
        group("1", "Staff", [], { description: "All of us", "urn:example:Room": { floor: 7 } }),
        { id: "2", members: [] },
        { id: "3", meta: { resourceType: "Group" } },
      ),
      { '"urn:example:Room".floor': "floor", id: "code", nothing: "x" },
    );
    expect(groups.all.map(({ json }) => JSON.parse(json))).toEqual([
      { name: "Staff", code: "1", floor: 7 },
      null,
      null,
    ]);
    expect(groups.all.map(({ refusal }) => refusal)).toEqual([
      undefined,
      "displayName is required.",
      "displayName is required.",
    ]);
    // Groups that fail have no name that others could have, too.
    expect(groups.select({ flatten: false })).toEqual({ selected: [0, 1, 2], sameName: [] });
    expect(printReport(groups).join("\n")).toMatch(/description +1 +No field is meant for it\./);
    expect([...groups.mapping.unusedNames]).toEqual(["nothing"]);
    expect(printReport(source).join("")).not.toContain("users:");
  });
});

test("--show-mapping has every attribute of the table, with the path that --map takes", async () => {
  const { mapping } = await openSource("scim", { title: "role", nickName: "" });
  const rows = mapping.describe();
  expect(rows).toEqual(
    expect.arrayContaining([
      ["id", "scimId", ""],
      ["meta.created", "originalCreatedAt", ""],
      ["title", "role", ""],
      ["nickName", "—", "You left it out with --map."],
      ["name.formatted", "formattedName", ""],
      [`"${urns.enterpriseUser}".department`, "department", ""],
      [`"${urns.rosterUser}"`, "the same names", "all other custom fields"],
      ["any other extension", "scim.extensions", "as it is"],
    ]),
  );
  const from = rows.map(([path]) => path);
  expect(new Set(from).size).toBe(from.length);
  for (const { name } of [...userKind.core.attributes, ...groupKind.core.attributes]) {
    if (name === "members") continue;
    expect(from.some((path = "") => path === name || path.startsWith(`${name}.`))).toBe(true);
  }
});
