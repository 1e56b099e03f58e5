import { describe, expect, test } from "bun:test";
import {
  fixture,
  membersOf,
  once,
  openSource,
  printReport,
  readGroups,
  readUsers,
} from "./support/read-export.ts";

const jsonOf = ({ all }: Awaited<ReturnType<typeof readGroups>>) => all.map(({ json }) => JSON.parse(json));

/** Entries of a directory, each with a DN and attributes. */
function ldif(
  entries: Readonly<Record<string, Readonly<Record<string, readonly string[] | string>>>>,
): string {
  return Object.entries(entries)
    .map(([dn, attributes]) => {
      const lines = Object.entries(attributes).flatMap(([name, values]) =>
        [values].flat().map((value) => `${name}: ${value}`),
      );
      return [`dn: ${dn}`, ...lines, ""].join("\n");
    })
    .join("\n");
}

const ada = { objectClass: "inetOrgPerson", uid: "ada", cn: "Ada" };
const bob = { objectClass: "inetOrgPerson", uid: "bob", cn: "Bob" };

describe("the groups of Keycloak", () => {
  const realm = JSON.stringify({
    realm: "acme",
    groups: [
      {
        id: "g1",
        name: "sales",
        path: "/sales",
        attributes: { cost: ["7"], areas: ["north", "south"], members: ["all"] },
        realmRoles: ["admin"],
        subGroups: [
          { name: "emea", path: "/sales/emea", subGroups: [{ name: "dach", path: "/sales/emea/dach" }] },
          { name: "apac", path: "/sales/apac", subGroups: [] },
        ],
      },
      { name: "a/b", path: "/a/b", subGroups: [] },
    ],
    users: [
      { username: "ada", groups: ["/sales/emea/dach", "/a/b"] },
      { username: "bob", groups: ["/sales/apac", "/sales"] },
      { username: "eve", groups: ["/sales/emea/dach"] },
    ],
  });

  test("are those at the top, and a name can have a slash", async () => {
    const groups = await readGroups("keycloak", realm);
    expect(membersOf(groups)).toEqual({ sales: [2], "a/b": [1] });
    expect(groups.graph.count()).toMatchObject({ nested: 3, areParts: true, nestedMembers: 3 });
    expect(jsonOf(groups)[0]).toEqual({
      name: "sales",
      keycloakId: "g1",
      cost: "7",
      areas: ["north", "south"],
      memberNames: "all",
    });
  });

  test("have the path as name if they are flattened, and the users in them are in the groups above", async () => {
    expect(membersOf(await readGroups("keycloak", realm), { flatten: true })).toEqual({
      sales: [1, 2, 3],
      "sales/emea": [1, 3],
      "sales/emea/dach": [1, 3],
      "sales/apac": [2],
      "a/b": [1],
    });
  });

  test("are named by users only, in the files of users", async () => {
    const users = JSON.stringify({
      realm: "acme",
      users: [
        { username: "ada", groups: ["/staff", "/sales/emea"] },
        { username: "bob", groups: ["staff", "/a~/b"] },
      ],
    });
    const groups = await readGroups("keycloak", users);
    expect(membersOf(groups)).toEqual({ staff: [1, 2], "a/b": [2], sales: [] });
    expect(membersOf(groups, { flatten: true })).toEqual({
      staff: [1, 2],
      "a/b": [2],
      sales: [1],
      "sales/emea": [1],
    });
  });

  test("can come in a file of their own, after the users, as a list and without paths", async () => {
    const users = '{"users":[{"username":"ada","groups":["/staff","/staff/it"]}]}';
    const group = { name: "staff", subGroups: [{ name: "it" }] };
    const realms = [
      { realm: "empty", groups: [] },
      { realm: "acme", groups: [{ name: "x" }, group] },
    ];
    for (const file of [realms, [group]]) {
      const groups = await readGroups("keycloak", `${users}\n${JSON.stringify(file)}`);
      expect(membersOf(groups, { flatten: true })).toMatchObject({ staff: [1], "staff/it": [1] });
    }
  });

  test("can be larger than a user", async () => {
    const subGroups = Array.from({ length: 20_000 }, (_, index) => ({
      name: `part ${index}`,
      path: `/all/part ${index}`,
      attributes: { note: ["x".repeat(30)] },
    }));
    const text = JSON.stringify({
      groups: [{ name: "all", path: "/all", subGroups }],
      users: [{ username: "ada" }],
    });
    expect((await readGroups("keycloak", text)).all).toHaveLength(20_001);
  });

  test("have a limit of levels", async () => {
    const path = "/a".repeat(101);
    await expect(
      readGroups("keycloak", JSON.stringify([{ username: "ada", groups: [path] }])),
    ).rejects.toThrow("more than 100 levels: /a/a/a/…");
    let group: object = { name: "a" };
    for (let level = 0; level < 100; level++) group = { name: "a", subGroups: [group] };
    await expect(readGroups("keycloak", JSON.stringify({ groups: [group] }))).rejects.toThrow("100 levels");
  });

  test.each([
    ["another case", { groups: ["/Staff", "/staff"] }, { Staff: [1] }, ["/staff"]],
    ["an empty name", { groups: ["/", ""] }, { "": [1] }, []],
    ["the same group twice", { groups: ["/staff", "/staff"] }, { staff: [1] }, []],
    ["something else than text", { groups: [null, 7, {}, ["/x"]] }, { 7: [1] }, []],
    ["no list", { groups: "/staff" }, {}, []],
  ])("of a user with %s", async (_, user, members, sameName) => {
    const groups = await readGroups("keycloak", JSON.stringify([{ username: "ada", ...user }]));
    expect(membersOf(groups)).toEqual(members);
    expect(groups.select({ flatten: false }).sameName.map((index) => groups.all[index]?.sourceId)).toEqual(
      sameName,
    );
  });

  test("that come twice are named", async () => {
    const group = { name: "staff", subGroups: [] };
    const groups = await readGroups("keycloak", JSON.stringify([group, group]));
    expect(groups.repeated).toEqual(["/staff"]);
  });
});

describe("the groups of a directory", () => {
  test("have members by their DN, in any notation, or by their user name", async () => {
    const groups = await readGroups(
      "ldif",
      ldif({
        "cn=staff,dc=x": {
          objectClass: ["top", "groupOfNames"],
          cn: "staff",
          description: "All",
          member: ["UID=ada, ou=people,DC=x", "cn=Doe\\, Jane,dc=x"],
        },
        "uid=ada,ou=people,dc=x": ada,
        "cn=Doe\\2C Jane,dc=x": { objectClass: "person", cn: "Jane" },
        "uid=bob,ou=people,dc=x": bob,
        "cn=unique,dc=x": {
          objectClass: "groupOfUniqueNames",
          cn: "unique",
          uniqueMember: "uid=bob,ou=people,dc=x#'0101'B",
        },
        "cn=posix,dc=x": {
          objectClass: "posixGroup",
          cn: "posix",
          gidNumber: "7",
          memberUid: ["ada", "BOB"],
        },
        "cn=ad,dc=x": { objectClass: ["top", "group"], cn: "ad", member: "uid=ada,ou=people,dc=x" },
      }),
    );
    expect(membersOf(groups)).toEqual({ staff: [1, 2], unique: [3], posix: [1, 3], ad: [1] });
    expect(jsonOf(groups)[0]).toEqual({ name: "staff", ldapDn: "cn=staff,dc=x", description: "All" });
    expect(jsonOf(groups)[2]).toMatchObject({ gidNumber: "7" });
  });

  test("have the users whose primary group they are", async () => {
    const groups = await readGroups(
      "ldif",
      ldif({
        "uid=ada,dc=x": { ...ada, GIDNUMBER: "100" },
        "uid=bob,dc=x": { ...bob, gidNumber: "200" },
        "cn=users,dc=x": { objectClass: "posixGroup", cn: "users", gidNumber: "100" },
      }),
    );
    expect(membersOf(groups)).toEqual({ users: [1] });
    expect(groups.graph.count()).toMatchObject({ unknown: 0 });
  });

  test("can be in each other, in a circle", async () => {
    const group = (cn: string, ...member: string[]) => ({ objectClass: "groupOfNames", cn, member });
    const groups = await readGroups(
      "ldif",
      ldif({
        "uid=ada,dc=x": ada,
        "uid=bob,dc=x": bob,
        "cn=a,dc=x": group("a", "uid=ada,dc=x", "cn=b,dc=x"),
        "cn=b,dc=x": group("b", "cn=a,dc=x", "cn=b,dc=x", "uid=bob,dc=x"),
        "cn=c,dc=x": group("c", "cn=a,dc=x"),
      }),
    );
    expect(membersOf(groups)).toEqual({ a: [1], b: [2], c: [] });
    expect(groups.graph.count()).toMatchObject({ nested: 2, areParts: false, nestedMembers: 2 });
    expect(membersOf(groups, { flatten: true })).toEqual({ a: [1, 2], b: [1, 2], c: [1, 2] });
  });

  test("do not guess: a user name of two users is not a member, and two groups of a name are not one", async () => {
    const groups = await readGroups(
      "ldif",
      ldif({
        "uid=ada,ou=a,dc=x": ada,
        "uid=ada,ou=b,dc=x": ada,
        "cn=admins,ou=a,dc=x": { objectClass: "posixGroup", cn: "admins", memberUid: "ada" },
        "cn=Admins,ou=b,dc=x": { objectClass: "groupOfNames", cn: "Admins", member: "uid=ada,ou=a,dc=x" },
      }),
    );
    expect(membersOf(groups)).toEqual({ admins: [] });
    expect(groups.graph.count()).toMatchObject({ ambiguous: 1 });
    expect(groups.select({ flatten: true }).sameName).toEqual([1]);
  });

  test("count members that are not users or groups", async () => {
    const groups = await readGroups(
      "ldif",
      ldif({
        "cn=a,dc=x": { objectClass: "groupOfNames", cn: "a", member: ["", "cn=ghost,dc=x", "cn=pc,dc=x"] },
        "cn=pc,dc=x": { objectClass: ["user", "computer"], cn: "pc" },
      }),
    );
    expect(membersOf(groups)).toEqual({ a: [] });
    expect(groups.graph.count()).toMatchObject({ unknown: 2 });
  });

  test("of Active Directory come in parts, and the report says if one is missing", async () => {
    const text =
      "dn: uid=ada,dc=x\nobjectClass: user\ncn: Ada\n\ndn: cn=a,dc=x\nobjectClass: group\ncn: a\nmember;range=0-1499: uid=ada,dc=x\n";
    const source = await openSource("ldif");
    await readUsers(source, once(text));
    expect(source.groups && membersOf(source.groups)).toEqual({ a: [1] });
    const { groups } = source;
    expect(printReport(groups ?? source).join("\n")).toMatch(
      /field +groups +reason\nmember +1 +The directory sent only some of the values\./,
    );
    const whole = await openSource("ldif");
    await readUsers(whole, once(text.replace("1499", "*")));
    expect(printReport(whole.groups ?? whole).join("\n")).not.toContain("some of the values");
  });
});

test("groups are the same if the import is repeated", async () => {
  const source = await openSource("keycloak");
  for (let time = 0; time < 2; time++) {
    await readUsers(source, fixture("keycloak.json"));
    expect(source.groups && membersOf(source.groups)).toEqual({ staff: [1] });
  }
});

test("without groups, the report says that they were left out", async () => {
  const source = await openSource("keycloak", {}, { withGroups: false });
  const text = '{"groups":[{"name":"staff"}],"users":[{"username":"ada","groups":["/staff"]}]}';
  expect(await readUsers(source, once(text))).toEqual([{ name: "ada", userName: "ada" }]);
  expect(source.groups).toBeUndefined();
  const report = printReport(source).join("\n");
  expect(report).toContain("Not imported: 1 record (groups).");
  expect(report).toMatch(/groups +1 +You left groups out with --no-groups\./);
});
