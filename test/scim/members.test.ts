import { describe, expect, test } from "bun:test";
import type { Json } from "../../src/contract/json.ts";
import { groupKind, urns } from "../../src/scim/attributes.ts";
import { type MemberChange, memberChange, parseMembers } from "../../src/scim/members.ts";
import { errorOf } from "./support/error-of.ts";
import { parsePatch } from "./support/patch.ts";

describe("members are read from", () => {
  test.each<[what: string, value: Json | undefined, ids: number[]]>([
    ["nothing", undefined, []],
    ["null", null, []],
    ["an empty list", [], []],
    ["objects", [{ value: "42" }, { value: "7", $ref: "/Users/7", type: "User", display: "Ada" }], [42, 7]],
    ["texts", ["42", "7"], [42, 7]],
    ["one object", { value: "42" }, [42]],
    ["one text", "42", [42]],
    ["the same ones twice", ["42", { value: "42" }], [42]],
    ["names in any case", [{ VALUE: "42", TYPE: "user" }], [42]],
  ])("%s", (_, value, ids) => {
    expect(parseMembers(value)).toEqual(ids);
  });
});

const unsent = "invalidValue: members: send an object with the id of a user as value.";

describe("members are refused that are", () => {
  test.each<[what: string, value: Json, error: string]>([
    ["numbers", [42], unsent],
    ["objects without a value", [{ $ref: "/Users/42" }], unsent],
    ["objects with a number", [{ value: 42 }], unsent],
    ["null in a list", [null], unsent],
    ["lists", [["42"]], unsent],
    [
      "groups",
      [{ value: "g7" }],
      'invalidValue: members: "g7" cannot be a member, because groups have no groups as members.',
    ],
    [
      "of the type Group",
      [{ value: "7", type: "Group" }],
      'invalidValue: members: "7" cannot be a member, because groups have no groups as members.',
    ],
    ["no ids", ["ada"], 'invalidValue: members: "ada" cannot be a member, because no user has this id.'],
    ["zero", ["0"], 'invalidValue: members: "0" cannot be a member, because no user has this id.'],
    [
      "too large",
      ["9".repeat(60)],
      `invalidValue: members: "${"9".repeat(40)}" cannot be a member, because no user has this id.`,
    ],
  ])("%s", (_, value, error) => {
    expect(errorOf(() => parseMembers(value))).toBe(error);
  });
});

const changeOf = (...Operations: Json[]) => memberChange(parsePatch(groupKind, { Operations }));
const change = (parts: Partial<MemberChange>) => ({ replace: undefined, add: [], remove: [], ...parts });

describe("a patch changes members", () => {
  test.each<[what: string, operations: Json[], found: MemberChange | undefined]>([
    [
      "not, if no operation is about them",
      [{ op: "replace", path: "displayName", value: "Sales" }],
      undefined,
    ],
    ["by adding", [{ op: "add", path: "members", value: [{ value: "1" }, "2"] }], change({ add: [1, 2] })],
    ["by adding one", [{ op: "Add", path: "MEMBERS", value: { value: "1" } }], change({ add: [1] })],
    ["by adding without a path", [{ op: "add", value: { members: [{ value: "1" }] } }], change({ add: [1] })],
    [
      "by a path with a URN",
      [{ op: "add", path: `${urns.group}:members`, value: "1" }],
      change({ add: [1] }),
    ],
    [
      "by removing with a value",
      [{ op: "Remove", path: "members", value: [{ value: "1" }] }],
      change({ remove: [1] }),
    ],
    ["by removing with a filter", [{ op: "remove", path: 'members[value eq "1"]' }], change({ remove: [1] })],
    [
      "by removing with a bare word",
      [{ op: "remove", path: "members[value eq 1]" }],
      change({ remove: [1] }),
    ],
    [
      "by removing several with a filter",
      [{ op: "remove", path: 'members[value eq "1" or VALUE EQ "2"]' }],
      change({ remove: [1, 2] }),
    ],
    [
      "by removing with a filter of the type",
      [{ op: "remove", path: 'members[type eq "User" and value eq "1"]' }],
      change({ remove: [1] }),
    ],
    ["by removing all", [{ op: "remove", path: "members" }], change({ replace: [] })],
    ["by removing with null", [{ op: "remove", path: "members", value: null }], change({ replace: [] })],
    ["not, by removing an empty list", [{ op: "remove", path: "members", value: [] }], change({})],
    [
      "not, by removing what no user is",
      [{ op: "remove", path: "members", value: ["g7", "ada"] }],
      change({}),
    ],
    ["not, by a filter that finds no user", [{ op: "remove", path: 'members[value eq "ada"]' }], change({})],
    ["by replacing", [{ op: "replace", path: "members", value: ["1", "2"] }], change({ replace: [1, 2] })],
    ["by replacing with nothing", [{ op: "replace", path: "members", value: [] }], change({ replace: [] })],
    [
      "by replacing without a path",
      [{ op: "replace", value: { id: "g7", members: ["1"] } }],
      change({ replace: [1] }),
    ],
    [
      "in the order of the operations",
      [
        { op: "add", path: "members", value: ["1", "2"] },
        { op: "remove", path: 'members[value eq "2"]' },
        { op: "remove", path: 'members[value eq "3"]' },
        { op: "add", path: "members", value: ["3"] },
      ],
      change({ add: [1, 3], remove: [2] }),
    ],
    [
      "from all that replace them",
      [
        { op: "add", path: "members", value: ["9"] },
        { op: "replace", path: "members", value: ["1", "2"] },
        { op: "add", path: "members", value: ["3"] },
        { op: "remove", path: "members", value: ["1"] },
      ],
      change({ replace: [2, 3] }),
    ],
  ])("%s", (_, operations, found) => {
    expect(changeOf(...operations)).toEqual(found as MemberChange);
  });
});

describe("a patch of members is refused", () => {
  const selects = 'invalidPath: Select members by their ids, as in members[value eq "42"].';
  test.each<[what: string, operation: Json, error: string]>([
    [
      "with a group",
      { op: "add", path: "members", value: ["g7"] },
      'invalidValue: members: "g7" cannot be a member, because groups have no groups as members.',
    ],
    ["with a number to remove", { op: "remove", path: "members", value: [1] }, unsent],
    ["with a filter by name", { op: "remove", path: 'members[display eq "Ada"]' }, selects],
    ["with a filter of what is not equal", { op: "remove", path: 'members[value ne "1"]' }, selects],
    ["with a negated filter", { op: "remove", path: 'members[not (value eq "1")]' }, selects],
    [
      "with a filter that replaces",
      { op: "replace", path: 'members[value eq "1"]', value: "2" },
      "mutability: A member cannot be replaced. Remove it, and add another one.",
    ],
    [
      "with another id for a member",
      { op: "replace", path: 'members[value eq "1"].value', value: "2" },
      'mutability: members[value eq "1"].value: add and remove members instead.',
    ],
    [
      "with a name for a member",
      { op: "add", path: 'members[value eq "1"].display', value: "Ada" },
      'mutability: members[value eq "1"].display is read-only.',
    ],
    [
      "with an unknown sub-attribute",
      { op: "add", path: "members.id", value: "2" },
      "invalidPath: members.id: there is no such attribute.",
    ],
    [
      "with 10,001 members",
      { op: "add", path: "members", value: Array.from({ length: 10_001 }, (_, index) => `${index + 1}`) },
      "too-large: A PATCH changes at most 10000 members. Send several, or PUT the group.",
    ],
  ])("%s", (_, operation, error) => {
    expect(errorOf(() => changeOf(operation))).toBe(error);
  });
});
