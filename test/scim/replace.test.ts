import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../src/contract/json.ts";
import { groupKind, urns, userKind } from "../../src/scim/attributes.ts";
import { normalizeDocument } from "../../src/scim/normalize.ts";
import { replaceDocument } from "../../src/scim/replace.ts";
import { userDocument } from "../../src/scim/user-document.ts";
import { locate, stored } from "./support/stored.ts";

const { enterpriseUser, rosterUser } = urns;
const other = "urn:example:params:2.0:User";
const before = userDocument(
  stored({
    name: "Ada",
    userName: "ada",
    email: "ada@example.com",
    active: false,
    externalId: "x",
    title: "T",
    givenName: "Ada",
    department: "D",
    level: 5,
    badge: 7,
    scim: { extensions: { [other]: { a: 1, b: 2 } } },
  }),
  locate,
);
const replace = (body: JsonObject) => replaceDocument(userKind, before, normalizeDocument(userKind, body));

describe("a PUT", () => {
  const { schemas, id, meta } = before;
  const kept = { schemas, id, meta, active: false, [rosterUser]: before[rosterUser], [other]: before[other] };
  test.each<[what: string, body: JsonObject, next: object]>([
    ["clears what the body omits, except active", { userName: "ada" }, { userName: "ada" }],
    ["replaces", { userName: "b", title: "U" }, { userName: "b", title: "U" }],
    ["sets active", { userName: "ada", active: "True" }, { userName: "ada", active: true }],
    ["keeps active that is null", { userName: "ada", active: null }, { userName: "ada" }],
    [
      "replaces the enterprise extension",
      { userName: "ada", [enterpriseUser]: { costCenter: "C" } },
      { userName: "ada", [enterpriseUser]: { costCenter: "C" } },
    ],
    [
      "replaces the custom fields, if the body has any",
      { userName: "ada", [rosterUser]: { level: 6 } },
      { userName: "ada", [rosterUser]: { level: 6 } },
    ],
    [
      "clears the custom fields, if the body says so",
      { userName: "ada", [rosterUser]: {} },
      { userName: "ada", [rosterUser]: undefined },
    ],
    [
      "replaces another extension, whatever the case of its URN",
      { userName: "ada", [other.toUpperCase()]: { c: 3 } },
      { userName: "ada", [other]: { c: 3 } },
    ],
    [
      "clears another extension, if the body says so",
      { userName: "ada", [other]: null },
      { userName: "ada", [other]: undefined },
    ],
    [
      "ignores what only the service writes",
      { userName: "ada", id: "9", meta: { version: "x" }, groups: [{ value: "g1" }] },
      { userName: "ada" },
    ],
  ])("%s", (_, body, next) => {
    expect<object>(replace(body)).toEqual({ ...kept, ...next });
  });

  test("of what GET returned changes nothing", () => {
    expect(replace(before)).toBe(before);
    const reversed = Object.fromEntries(Object.entries(before).reverse());
    expect(replace(reversed)).toBe(before);
  });

  test("of a group leaves its members to others", () => {
    const group = { schemas: [urns.group], id: "g7", displayName: "Sales", meta: {} };
    const body = normalizeDocument(groupKind, { displayName: "Sales", members: [{ value: "1" }] });
    expect(replaceDocument(groupKind, group, body)).toBe(group);
  });
});
