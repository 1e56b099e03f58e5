import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { GroupGraph } from "../../../src/cli/sources/group-graph.ts";

/** The users in a group and in all groups that can be reached from it, found by repetition until nothing changes. */
function naiveMembers(members: ReadonlyMap<string, readonly string[]>, group: string): Set<string> {
  const found = new Set([group]);
  for (let size = 0; size < found.size; ) {
    size = found.size;
    for (const name of [...found]) for (const member of members.get(name) ?? []) found.add(member);
  }
  return new Set([...found].filter((name) => name.startsWith("u")));
}

const userNames = ["u1", "u2", "u3", "u4", "u5", "u6"];
const groupNames = ["a", "b", "c", "d", "e", "f", "g"];
const anyMembers = fc.uniqueArray(
  fc.tuple(fc.constantFrom(...groupNames), fc.array(fc.constantFrom(...userNames, ...groupNames))),
  { selector: ([name]) => name },
);

describe("the members of a group", () => {
  test("are those of all groups in it, in any order of the export, with cycles", () => {
    fc.assert(
      fc.property(anyMembers, fc.boolean(), (groups, usersFirst) => {
        const graph = new GroupGraph();
        const addUsers = () => {
          for (const [index, name] of userNames.entries()) graph.addUser(index + 1, [name], []);
        };
        if (usersFirst) addUsers();
        for (const [key, members] of groups) graph.addGroup({ key, members });
        if (!usersFirst) addUsers();
        const members = new Map(groups);
        for (const [index, [name, own]] of groups.entries()) {
          const lines = (nested: boolean) =>
            new Set([...graph.membersOf(index, { nested })].map((line) => `u${line}`));
          expect(lines(true)).toEqual(naiveMembers(members, name));
          expect(lines(false)).toEqual(new Set(own.filter((member) => member.startsWith("u"))));
        }
      }),
    );
  });

  test("are the same if the users name their groups, and the parts their whole", () => {
    const anyTree = fc.array(fc.option(fc.nat(), { nil: undefined }), { minLength: 1, maxLength: 12 });
    const anyGroupsOfUsers = fc.array(fc.array(fc.nat(11)), { maxLength: 6 });
    fc.assert(
      fc.property(anyTree, anyGroupsOfUsers, (parents, groupsOfUsers) => {
        const graph = new GroupGraph();
        const members = new Map<string, string[]>(parents.map((_, index) => [`g${index}`, []]));
        groupsOfUsers.forEach((groups, index) => {
          const keys = groups.filter((group) => group < parents.length).map((group) => `g${group}`);
          graph.addUser(index + 1, [], keys);
          for (const key of keys) members.get(key)?.push(`u${index + 1}`);
        });
        for (const [index, parent] of parents.entries()) {
          const whole = index === 0 || parent === undefined ? undefined : `g${parent % index}`;
          graph.addGroup({ key: `g${index}`, members: [], parent: whole });
          if (whole !== undefined) members.get(whole)?.push(`g${index}`);
        }
        for (const index of parents.keys()) {
          const lines = [...graph.membersOf(index, { nested: true })].map((line) => `u${line}`);
          expect(new Set(lines)).toEqual(naiveMembers(members, `g${index}`));
        }
      }),
    );
  });
});

describe("a graph of groups", () => {
  const nothing = { unknown: 0, ambiguous: 0, nested: 0, areParts: false, nestedMembers: 0 };

  test("counts members that the export does not have", () => {
    const graph = new GroupGraph();
    graph.addGroup({ key: "a", members: ["u1", "ghost"] });
    graph.addUser(1, ["u1"], []);
    expect(graph.count()).toEqual({ ...nothing, unknown: 1 });
    expect([...graph.membersOf(0, { nested: true })]).toEqual([1]);
  });

  test("does not guess which of two users or groups a name means", () => {
    const graph = new GroupGraph();
    graph.addGroup({ key: "a", otherKeys: ["gid:1"], members: ["uid:ada", "dn:2"] });
    graph.addGroup({ key: "b", otherKeys: ["gid:1"], members: [] });
    graph.addUser(1, ["dn:1", "uid:ada"], ["gid:1"]);
    graph.addUser(2, ["dn:2", "uid:ada"], []);
    expect(graph.count()).toEqual({ ...nothing, ambiguous: 2 });
    expect([...graph.membersOf(0, { nested: true })]).toEqual([2]);
    expect([...graph.membersOf(1, { nested: true })]).toEqual([]);
  });

  test("keeps the first of a user that comes twice, and the members of each time a group comes", () => {
    const graph = new GroupGraph();
    graph.addUser(1, ["dn:1", "uid:ada"], []);
    graph.addUser(2, ["dn:1", "uid:ada"], []);
    expect(graph.addGroup({ key: "a", members: ["uid:ada"] })).toBe(0);
    graph.addUser(3, ["dn:3"], []);
    expect(graph.addGroup({ key: "a", members: ["dn:3"] })).toBeUndefined();
    expect([...graph.membersOf(0, { nested: false })]).toEqual([1, 3]);
  });

  test("counts groups in groups, and their users, but not a group that is its own member", () => {
    const graph = new GroupGraph();
    graph.addUser(1, ["u1"], []);
    graph.addGroup({ key: "a", members: ["a", "b"] });
    graph.addGroup({ key: "b", members: ["u1", "b"] });
    expect(graph.count()).toEqual({ ...nothing, nested: 1, nestedMembers: 1 });
  });
});
