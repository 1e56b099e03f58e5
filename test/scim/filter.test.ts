import { describe, expect, test } from "bun:test";
import { groupListFields } from "../../src/domain/groups/group-list-fields.ts";
import { userListFields } from "../../src/domain/users/user-list-fields.ts";
import { groupKind, urns, userKind } from "../../src/scim/attributes.ts";
import { parseGroupFilter, parseUserFilter } from "../../src/scim/filter/parse-filter.ts";
import { parseSort } from "../../src/scim/filter/parse-sort.ts";
import { ScimError } from "../../src/scim/scim-error.ts";

function catchError(work: () => unknown): ScimError {
  try {
    work();
  } catch (error) {
    if (error instanceof ScimError) return error;
    throw error;
  }
  throw new Error("This did not fail.");
}

const operator = "an operator (eq, ne, co, sw, ew, gt, ge, lt, le or pr)";
const value = "a value (text in double quotes, a number, true, false or null)";
const groupForms =
  'groups.value eq "g7", groups.display eq "Sales" or groups pr, also in not (…), joined by and with the rest';
const groupPlace = "groups at the top level, joined by and with the rest, also in not (…)";

describe("a filter that is not valid", () => {
  test.each([
    ["", 1, 'a field name, "(" or "not (", but found the end'],
    ["userName", 9, `${operator}, but found the end`],
    ["userName is bob", 10, `${operator}, but found "is"`],
    ["userName eq", 12, `${value}, but found the end`],
    ['userName eq "bob', 17, "a closing quote, but found the end"],
    ['userName eq "bob" and', 22, 'a field name, "(" or "not (", but found the end'],
    ['userName eq "bob" "x"', 19, '"and", "or" or the end, but found text in quotes'],
    ["emails[type eq work", 20, '"and", "or" or "]", but found the end'],
    ["(active eq true", 16, '"and", "or" or ")", but found the end'],
    [`${urns.enterpriseUser}:a..b pr`, 1, 'a URN and field names, joined by dots, but found "urn"'],
    ["active gt true", 1, "eq, ne or pr: active is true or false"],
    ["title pr and ACTIVE le false", 14, "eq, ne or pr: active is true or false"],
    ["emails.primary co t", 1, "eq, ne or pr: primary is true or false"],
    ["emails[type eq work and primary ge true]", 25, "eq, ne or pr: primary is true or false"],
    ["active eq yes", 1, "true or false as the value of active"],
    ["roles[primary eq 1]", 7, "true or false as the value of primary"],
    [`${urns.rosterUser}:vip gt true`, 1, "eq, ne or pr: a value is true or false"],
    [
      `${urns.rosterUser}:a[vip gt true]`,
      urns.rosterUser.length + 4,
      "eq, ne or pr: a value is true or false",
    ],
    [`${urns.rosterUser} pr`, 1, "an attribute of this extension"],
    ['meta.location eq "x"', 1, "another attribute than meta.location"],
    ['meta.version sw "W"', 1, "eq or ne for meta.version"],
    ['schemas co "User"', 1, "eq, ne or pr for schemas"],
    ['groups.value eq "g7" or title pr', 1, groupPlace],
    ['title pr or not (groups.value eq "g7")', 18, groupPlace],
    ['not (groups.value eq "g7" and title pr)', 6, groupPlace],
    ['title pr and groups.value sw "g"', 14, groupForms],
    ['groups.$ref eq "x"', 1, groupForms],
    ['groups[value eq "g7" or value eq "g8"]', 1, groupForms],
    ['groups[not (value eq "g7")]', 1, groupForms],
  ])("%j fails at character %d", (text, position, expected) => {
    const error = catchError(() => parseUserFilter(text));
    expect(error.scimType).toBe("invalidFilter");
    expect(error.detail).toBe(`filter: Character ${position}: expected ${expected}.`);
  });

  test("a filter of groups fails in the same way", () => {
    const { scimType, detail } = catchError(() => parseGroupFilter('members.value eq "7" or displayName pr'));
    expect(scimType).toBe("invalidFilter");
    expect(detail).toBe(
      "filter: Character 1: expected members at the top level, joined by and with the rest, also in not (…).",
    );
  });

  test("says what is always so of memberships without them", () => {
    expect(parseUserFilter('groups.value eq "7" or active pr')).toEqual({
      filters: [],
      expression: undefined,
    });
    expect(parseUserFilter("groups pr and unknown pr").filters).toEqual([
      { kind: "column", field: "id", values: [] },
    ]);
  });
});

describe("the limits", () => {
  const anyOf = (comparison: string, count: number) => Array(count).fill(comparison).join(" or ");

  test("50 comparisons are accepted, and one more is not", () => {
    expect(parseUserFilter(anyOf('userName eq "x"', 50)).expression).toBeDefined();
    expect(catchError(() => parseUserFilter(anyOf("title pr", 51))).detail).toEndWith(
      "expected at most 50 comparisons.",
    );
  });

  test("a filter that becomes too many comparisons of fields is refused", () => {
    expect(parseUserFilter(anyOf('emails.value eq "x"', 20)).expression).toBeDefined();
    const error = catchError(() => parseUserFilter(anyOf('emails.value eq "x"', 50)));
    expect(error.scimType).toBe("invalidFilter");
    expect(error.detail).toBe(
      "filter: Send fewer comparisons. Some attributes are compared in several fields.",
    );
  });

  test("4096 characters and 8 levels are accepted, and more are not", () => {
    expect(catchError(() => parseUserFilter(`title eq "${"x".repeat(4096)}"`)).detail).toEndWith(
      "at most 4096 characters.",
    );
    expect(catchError(() => parseUserFilter(`${"(".repeat(9)}title pr${")".repeat(9)}`)).detail).toEndWith(
      "at most 8 levels of parentheses and brackets.",
    );
  });
});

describe("sortBy", () => {
  const sortUsers = (text: string) => parseSort(userKind, userListFields, text);
  const sortGroups = (text: string) => parseSort(groupKind, groupListFields, text);

  test.each<[text: string, sort: ReturnType<typeof sortUsers>]>([
    ["id", "id"],
    ["userName", { custom: "userName" }],
    ["USERNAME", { custom: "userName" }],
    ["displayName", "name"],
    ["active", { custom: "active" }],
    ["externalId", { custom: "externalId" }],
    ["name.familyName", { custom: "familyName" }],
    ["name.formatted", { custom: "formattedName" }],
    ["title", { custom: "title" }],
    ["emails", "email"],
    ["emails.value", "email"],
    ["meta.created", "createdAt"],
    ["meta.lastModified", "updatedAt"],
    ["meta.version", "version"],
    ["department", { custom: "department" }],
    [`${urns.enterpriseUser}:department`, { custom: "department" }],
    [`${urns.enterpriseUser}:manager`, { custom: "manager.value" }],
    ["manager.value", { custom: "manager.value" }],
    [`${urns.user}:title`, { custom: "title" }],
    [`${urns.rosterUser}:level`, { custom: "level" }],
    [`${urns.rosterUser}:place.city`, { custom: "place.city" }],
    ["urn:x:y:code", { custom: "scim.extensions.urn:x:y.code" }],
  ])("of users: %s", (text, sort) => {
    expect(sortUsers(text)).toEqual(sort);
  });

  test.each<[text: string, sort: ReturnType<typeof sortGroups>]>([
    ["id", "id"],
    ["displayName", "name"],
    ["externalId", { custom: "externalId" }],
    ["meta.lastModified", "updatedAt"],
    [`${urns.rosterGroup}:level`, { custom: "level" }],
  ])("of groups: %s", (text, sort) => {
    expect(sortGroups(text)).toEqual(sort);
  });

  test.each([
    "",
    "unknown",
    "name",
    "name.unknown",
    "userName.value",
    "emails.type",
    'emails[type eq "work"].value',
    "phoneNumbers",
    "phoneNumbers.value",
    "groups",
    "meta",
    "meta.location",
    "password",
    "name.familyName.x",
    "a b",
    urns.enterpriseUser,
    `${urns.enterpriseUser}:unknown`,
    urns.rosterUser,
    `${urns.rosterUser}:email`,
    `${urns.rosterUser}:${"x".repeat(200)}`,
  ])("of nothing that has one value fails: %s", (text) => {
    const error = catchError(() => sortUsers(text));
    expect(error.scimType).toBe("invalidValue");
    expect(error.detail).toStartWith("sortBy: Name an attribute that has one value");
  });

  test("by members fails", () => {
    expect(catchError(() => sortGroups("members")).scimType).toBe("invalidValue");
  });
});
