import { describe, expect, test } from "bun:test";
import type { Json } from "../../src/contract/json.ts";
import { checkBulk } from "../../src/domain/bulk/check-bulk.ts";
import { ProblemError } from "../../src/domain/problem-error.ts";

/** The pointers of the errors of a body. */
async function pointersOf(body: Json): Promise<readonly (string | undefined)[]> {
  try {
    await checkBulk(body);
    return [];
  } catch (error) {
    if (!(error instanceof ProblemError && error.type === "invalid-bulk")) throw error;
    return error.errors?.map(({ pointer }) => pointer) ?? [];
  }
}

describe("the body of a bulk change", () => {
  const ids = [1];
  test.each<[what: string, body: Json, pointers: string[]]>([
    ["a group as text", { ids, addToGroup: "7" }, ["/addToGroup"]],
    ["the group 0", { ids, addToGroup: 0 }, ["/addToGroup"]],
    ["a negative group", { ids, removeFromGroup: -7 }, ["/removeFromGroup"]],
    ["a fraction as group", { ids, addToGroup: 7.5 }, ["/addToGroup"]],
    ["a group beyond 2^53", { ids, removeFromGroup: 2 ** 53 }, ["/removeFromGroup"]],
    ["no group", { ids, addToGroup: null }, ["/addToGroup"]],
    ["true as group", { ids, removeFromGroup: true }, ["/removeFromGroup"]],
    ["several groups", { ids, addToGroup: [7] }, ["/addToGroup"]],
    ["the name of a group", { ids, addToGroup: { name: "Sales" } }, ["/addToGroup"]],
    ["both members", { ids, addToGroup: 7, removeFromGroup: 8 }, [""]],
    ["a group and a patch", { ids, addToGroup: 7, patch: {} }, [""]],
    ["a group and a delete", { ids, removeFromGroup: 7, delete: true }, [""]],
    ["a group and a restore", { ids, addToGroup: 7, restore: true }, [""]],
    [
      "several mistakes",
      { ids: [0], addToGroup: "7", removeFromGroup: 0 },
      ["/ids/0", "", "/addToGroup", "/removeFromGroup"],
    ],
    ["a group without users", { addToGroup: 7 }, ["/ids"]],
    ["a misspelled member", { ids, addToGroups: 7 }, ["/addToGroups", ""]],
    ["groups under or", { filter: "groups eq 7 or level eq 3", addToGroup: 7 }, ["/filter"]],
    ["groups in brackets", { filter: "teams[groups eq 7]", delete: true }, ["/filter"]],
    ["groups with a condition", { filter: "groups[id eq 7]", delete: true }, ["/filter"]],
    ["an and of groups inside not", { filter: "not (groups eq 7 and level eq 3)", patch: {} }, ["/filter"]],
    ["a comparison that groups do not have", { filter: "groups gt 7", patch: {} }, ["/filter"]],
    ["a field that groups do not have", { filter: "groups.level eq 7", patch: {} }, ["/filter"]],
    ["groups of deleted users", { filter: "groups eq 7", restore: true }, ["/filter"]],
    [
      "names of groups of deleted users",
      { filter: 'not (groups.name eq "Sales")', restore: true },
      ["/filter"],
    ],
  ])("is invalid with %s", async (_, body, pointers) => {
    expect(await pointersOf(body)).toEqual(pointers);
  });

  test("says why a filter of deleted users cannot compare groups, and where", async () => {
    const checked = checkBulk({ filter: "level eq 3 and groups pr", restore: true });
    await expect(checked).rejects.toMatchObject({
      data: {
        errors: [
          {
            pointer: "/filter",
            detail: expect.stringContaining("this filter cannot compare groups"),
            position: 16,
          },
        ],
      },
    });
  });

  test("has the comparisons of groups apart from the rest of the filter", async () => {
    const filter = 'not (groups eq 7) and level ge 3 and groups.name eq " SALES "';
    expect(await checkBulk({ filter, addToGroup: 7 })).toMatchObject({
      filter,
      groups: [
        { by: "id", values: [7], negated: true },
        { by: "name", values: ["sales"], negated: false },
      ],
      expression: { kind: "compare", path: [{ name: "level" }] },
      change: { groupId: 7, isMember: true },
    });
    expect(await checkBulk({ filter: "groups pr", removeFromGroup: 2 ** 53 - 1 })).toEqual({
      filter: "groups pr",
      groups: [expect.objectContaining({ by: "any", negated: false })],
      expression: undefined,
      change: { groupId: 2 ** 53 - 1, isMember: false },
    });
  });
});
