import { expect, test } from "bun:test";
import type { Json, JsonObject } from "../../../src/contract/json.ts";
import { userKind } from "../../../src/scim/attributes.ts";
import { applyPatch, parsePatch } from "../support/patch.ts";

const a = { value: "a", type: "home", display: "A" };
const b = { value: "b", display: "B" };

/** The roles after an operation. */
function patchRoles(roles: JsonObject[], operation: JsonObject): Json | undefined {
  return applyPatch(userKind, { roles }, parsePatch(userKind, { Operations: [operation] })).roles;
}

test.each<[what: string, roles: JsonObject[], operation: JsonObject, after: JsonObject[]]>([
  [
    "by a replacement in front of the other one",
    [b, a],
    { op: "replace", path: 'roles[display eq "B"]', value: { value: "A", type: "home" } },
    [{ ...a, value: "A", display: "B" }],
  ],
  [
    "by a replacement behind the other one",
    [a, b],
    { op: "replace", path: 'roles[display eq "B"]', value: { value: "A", type: "home" } },
    [{ ...a, value: "A", display: "B" }],
  ],
  [
    "by a part",
    [{ ...b, type: "home", primary: false }, a],
    { op: "replace", path: 'roles[value eq "b"].value', value: "a" },
    [{ ...a, display: "B", primary: false }],
  ],
  [
    "by an entry that is primary, as the other one",
    [b, { ...a, primary: true }],
    { op: "add", path: 'roles[value eq "b"]', value: { ...a, primary: true } },
    [{ ...a, primary: true }],
  ],
  [
    "by the removal of a part",
    [
      { ...a, type: "work" },
      { value: "A", display: "B" },
    ],
    { op: "remove", path: 'roles[type eq "work"].type' },
    [{ value: "a", display: "A" }],
  ],
  [
    "by an addition",
    [{ ...a, primary: true }, b],
    { op: "add", path: "roles", value: [{ value: "A", type: "HOME", primary: true }] },
    [{ ...a, value: "A", type: "HOME", primary: true }, b],
  ],
])("entries become the same %s: what the operation says holds", (_, roles, operation, after) => {
  expect(patchRoles(roles, operation)).toEqual(after);
});
