import { describe, expect, test } from "bun:test";
import type { Json, JsonObject } from "../../../src/contract/json.ts";
import { groupKind, type ResourceKind, urns, userKind } from "../../../src/scim/attributes.ts";
import { errorOf } from "../support/error-of.ts";
import { applyPatch, parsePatch } from "../support/patch.ts";

const user: JsonObject = {
  id: "42",
  userName: "ada",
  active: true,
  emails: [
    { value: "ada@example.com", type: "work", primary: true },
    { value: "b@x.example", type: "home" },
  ],
};
const refusal = (body: unknown, kind: ResourceKind = userKind) =>
  errorOf(() => applyPatch(kind, user, parsePatch(kind, body)));
const refusalOf = (operation: Json) => refusal({ Operations: [operation] });

describe("the body of a patch is refused", () => {
  const shape = "invalidSyntax: The body must be a JSON object with a list of Operations.";
  test.each<[what: string, body: unknown, error: string]>([
    ["that is a list", [], shape],
    ["that is null", null, shape],
    ["without operations", { schemas: [] }, shape],
    ["with one operation instead of a list", { Operations: { op: "add" } }, shape],
    ["with a text as operation", { Operations: ["add"] }, "invalidSyntax: An operation must be an object."],
    ["without op", { Operations: [{ path: "title" }] }, "invalidSyntax: op must be add, replace or remove."],
    [
      "with another op",
      { Operations: [{ op: "move" }] },
      "invalidSyntax: op must be add, replace or remove.",
    ],
    ["with a number as op", { Operations: [{ op: 1 }] }, "invalidSyntax: op must be add, replace or remove."],
    [
      "with a list as path",
      { Operations: [{ op: "add", path: ["title"], value: 1 }] },
      "invalidPath: path must be text.",
    ],
    [
      "with 1,001 operations",
      { Operations: Array.from({ length: 1001 }, () => ({ op: "add", path: "title", value: "T" })) },
      "too-large: A PATCH has at most 1000 operations. Send several.",
    ],
  ])("%s", (_, body, error) => {
    expect(refusal(body)).toBe(error);
  });

  test.each<[what: string, body: unknown]>([
    ["no operations", { Operations: [] }],
    ["names in any case", { OPERATIONS: [{ OP: "ADD", PATH: "title", VALUE: "T" }] }],
    ["null as path", { operations: [{ op: "add", path: null, value: {} }] }],
    [
      "1,000 operations",
      { Operations: Array.from({ length: 1000 }, () => ({ op: "add", path: "title", value: "T" })) },
    ],
  ])("but not with %s", (_, body) => {
    expect(refusal(body)).toBeUndefined();
  });
});

describe("a path is refused", () => {
  const form = ': a path is like userName, name.givenName or emails[type eq "work"].value.';
  const unknown = ": there is no such attribute.";
  test.each<[path: string, error: string]>([
    ["", "The path: name an attribute."],
    ["unknown", `unknown${unknown}`],
    ["title.a", `title.a${unknown}`],
    ["name.nick", `name.nick${unknown}`],
    ["emails.unknown", `emails.unknown${unknown}`],
    ["a.b.c", `a.b.c${form}`],
    ["name.givenName.a", `name.givenName.a${form}`],
    [".", `.${form}`],
    ["emails.", `emails.${form}`],
    [" title", ` title${form}`],
    ["title ", `title ${form}`],
    ["emails[", `emails[${form}`],
    ["emails]", `emails]${form}`],
    ['[type eq "work"]', `[type eq "work"]${form}`],
    ['emails[type eq "work"]value', `emails[type eq "work"]value${form}`],
    ['emails[type eq "work"].a.b', `emails[type eq "work"].a.b${form}`],
    ["__proto__", `__proto__${form}`],
    ["constructor", `constructor${form}`],
    ["name.__proto__", `name.__proto__${form}`],
    [
      `${urns.rosterUser}:__proto__`,
      `${urns.rosterUser}:__proto__${form}`.replace(urns.rosterUser, urns.rosterUser),
    ],
    [`${urns.enterpriseUser}:unknown`, `${urns.enterpriseUser}:unknown${unknown}`],
    [urns.user, `${urns.user}: name an attribute.`],
    [`${urns.user}:`, `${urns.user}:: name an attribute.`],
    ["title[value eq 1]", "title[value eq 1]: title is no list, so it has no filter."],
    ["name[givenName pr]", "name[givenName pr]: name is no list, so it has no filter."],
    ["members", `members${unknown}`],
    ["x".repeat(4097), "A path has at most 4096 characters."],
  ])("%s", (path, error) => {
    expect(refusalOf({ op: "replace", path, value: "x" })).toBe(`invalidPath: ${error}`);
  });

  test.each<[filter: string, error: RegExp]>([
    ["", /expected a field name/],
    ["type", /expected an operator/],
    ["type is 'work'", /expected an operator/],
    ['type eq "work', /expected a closing quote/],
    ['type eq "work" or', /expected a field name/],
    ["(type pr", /expected "and", "or" or "\)"/],
    ["unknown eq 1", /names unknown, which emails do not have/],
    ["type.a eq 1", /names type, which emails do not have/],
    ["type[a eq 1] pr", /names type, which emails do not have/],
    [`${"(".repeat(9)}type pr${")".repeat(9)}`, /at most \d+ levels/],
  ])("with the filter %s", (filter, error) => {
    const refused = refusalOf({ op: "replace", path: `emails[${filter}].value`, value: "x" });
    expect(refused).toStartWith("invalidPath: The filter in the path");
    expect(refused).toMatch(error);
  });
});

describe("an operation is refused", () => {
  test.each<[operation: JsonObject, error: string]>([
    [{ op: "remove" }, "noTarget: remove needs a path."],
    [{ op: "add", path: "title" }, "invalidValue: title: a value is missing."],
    [{ op: "add", value: "x" }, "invalidValue: Without a path, the value must be an object."],
    [
      { op: "replace", value: [{ title: "x" }] },
      "invalidValue: Without a path, the value must be an object.",
    ],
    [{ op: "replace", path: "id", value: "1" }, "mutability: id is read-only."],
    [{ op: "remove", path: "meta" }, "mutability: meta is read-only."],
    [{ op: "add", path: "meta.version", value: "1" }, "mutability: meta.version is read-only."],
    [{ op: "add", path: "groups", value: [{ value: "g1" }] }, "mutability: groups is read-only."],
    [{ op: "remove", path: "groups[value eq g1]" }, "mutability: groups[value eq g1] is read-only."],
    [
      { op: "replace", path: "manager.displayName", value: "A" },
      "mutability: manager.displayName is read-only.",
    ],
    [{ op: "remove", path: "userName" }, "mutability: userName cannot be removed."],
    [{ op: "replace", path: "USERNAME", value: null }, "mutability: USERNAME cannot be removed."],
    [{ op: "remove", path: "active" }, "mutability: active cannot be removed."],
    [{ op: "replace", value: { active: null } }, "mutability: active cannot be removed."],
    [{ op: "replace", path: "title", value: 5 }, "invalidValue: title must be text."],
    [{ op: "replace", path: "active", value: "no" }, "invalidValue: active must be true or false."],
    [{ op: "replace", path: "name", value: "Ada" }, "invalidValue: name must be an object."],
    [
      { op: "replace", path: "name.givenName", value: { a: 1 } },
      "invalidValue: name.givenName must be text.",
    ],
    [{ op: "add", path: "emails", value: [5] }, "invalidValue: emails must be a list of objects."],
    [
      { op: "replace", path: "emails[type eq work].value", value: 5 },
      "invalidValue: emails.value must be text.",
    ],
    [
      { op: "add", path: "emails[type eq work]", value: [{ value: "a" }, { value: "b" }] },
      "invalidValue: emails: send one entry for those that the filter finds.",
    ],
    [
      {
        op: "add",
        path: "emails",
        value: [
          { value: "a", primary: true },
          { value: "c", primary: true },
        ],
      },
      "invalidValue: emails has more than one primary entry. Send primary with at most one.",
    ],
    [
      { op: "replace", path: "emails.primary", value: true },
      "invalidValue: emails has more than one primary entry. Send primary with at most one.",
    ],
    [
      { op: "replace", path: 'emails[type eq "other2"].value', value: "x" },
      'noTarget: emails[type eq "other2"].value: no entry meets the filter.',
    ],
    [
      { op: "replace", path: 'emails[value eq "c"].display', value: "x" },
      'noTarget: emails[value eq "c"].display: no entry meets the filter.',
    ],
    [
      { op: "add", path: 'emails[type sw "oth"].value', value: "x" },
      'noTarget: emails[type sw "oth"].value: no entry meets the filter.',
    ],
    [
      { op: "add", path: 'emails[type eq "a" or type eq "b"].value', value: "x" },
      'noTarget: emails[type eq "a" or type eq "b"].value: no entry meets the filter.',
    ],
    [{ op: "add", path: urns.rosterUser, value: 5 }, `invalidValue: ${urns.rosterUser} must be an object.`],
  ])("%j", (operation, error) => {
    expect(refusalOf(operation)).toBe(error);
  });

  test("that removes the name of a group", () => {
    const refused = (operation: Json) => refusal({ Operations: [operation] }, groupKind);
    expect(refused({ op: "remove", path: "displayName" })).toBe("mutability: displayName cannot be removed.");
    expect(refused({ op: "replace", path: "displayName", value: null })).toStartWith("mutability:");
    expect(refusalOf({ op: "remove", path: "displayName" })).toBeUndefined();
  });

  test("that compares entries too often", () => {
    const compare = (comparisons: number) => {
      const path = `roles[${Array(comparisons).fill('value eq "x"').join(" or ")}]`;
      const value = Array.from({ length: 400 }, (_, index) => ({ value: `${index}` }));
      return refusal({
        Operations: [
          { op: "add", path: "roles", value },
          { op: "remove", path },
        ],
      });
    };
    expect(compare(20)).toBeUndefined();
    expect(compare(30)).toStartWith("too-large:");
  });

  test("that looks at too many entries with the others", () => {
    const value = Array.from({ length: 200 }, (_, index) => ({ value: `${index}` }));
    const change = { op: "replace", path: "roles[value eq 1].display", value: "x" };
    const Operations: Json[] = [
      { op: "add", path: "roles", value },
      ...Array.from({ length: 900 }, () => change),
    ];
    expect(refusal({ Operations })).toStartWith("too-large:");
  });
});
