import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../src/contract/json.ts";
import { urns } from "../../src/scim/attributes.ts";
import { groupDocument, groupRecord } from "../../src/scim/group-document.ts";
import { errorOf } from "./support/error-of.ts";
import { locate, stored } from "./support/stored.ts";

const { rosterGroup } = urns;
const okta = "urn:okta:custom:group:1.0";

test("a group is shown with its name, custom fields and extensions, and without its members", () => {
  const record = {
    name: "Sales",
    externalId: "x",
    region: "north",
    title: "custom",
    scim: { extensions: { [okta]: { a: 1 } } },
    memberCount: 3,
  };
  expect(groupDocument(stored(record, 7), locate)).toEqual({
    schemas: [urns.group, rosterGroup, okta],
    id: "g7",
    externalId: "x",
    displayName: "Sales",
    [rosterGroup]: { region: "north", title: "custom" },
    [okta]: { a: 1 },
    meta: {
      resourceType: "Group",
      created: "2026-11-15T09:30:00.000Z",
      lastModified: "2026-11-16T08:00:00.000Z",
      location: "https://roster.example/scim/v2/Groups/g7",
      version: 'W/"7"',
    },
  });
});

test("an external id that is no text is a custom field", () => {
  const shown = groupDocument(stored({ name: "Sales", externalId: 5 }), locate);
  expect(shown).toMatchObject({ [rosterGroup]: { externalId: 5 } });
  expect(shown).not.toHaveProperty("externalId");
});

describe("a document becomes a group", () => {
  test.each<[what: string, document: JsonObject, record: JsonObject]>([
    ["with a name", {}, {}],
    ["with an external id", { externalId: "x" }, { externalId: "x" }],
    ["with custom fields", { [rosterGroup]: { region: "north" } }, { region: "north" }],
    ["with other extensions", { [okta]: { a: 1 } }, { scim: { extensions: { [okta]: { a: 1 } } } }],
    ["without members", { members: [{ value: "1" }] }, {}],
  ])("%s", (_, document, record) => {
    const found = groupRecord({ displayName: "Sales", ...document }, undefined);
    expect(found).toEqual({ name: "Sales", ...record });
  });
});

test("a group keeps what SCIM does not show", () => {
  const record = { name: "Sales", tags: [], scim: { note: "x", extensions: { [okta]: { a: null, b: 1 } } } };
  const before = stored({ ...record, memberCount: 3 });
  const document = { ...groupDocument(before, locate), displayName: "Sales north" };
  expect(groupRecord(document, before)).toEqual({ ...record, name: "Sales north" });
});

describe("a document is refused", () => {
  test.each<[what: string, document: JsonObject, error: string]>([
    ["without a name", {}, "invalidValue: displayName is required."],
    [
      "with scim as custom field",
      { displayName: "Sales", [rosterGroup]: { scim: {} } },
      "invalidValue: scim is not a custom field.",
    ],
    [
      "with memberCount as custom field",
      { displayName: "Sales", [rosterGroup]: { memberCount: 1 } },
      "invalidValue: memberCount is not a custom field.",
    ],
  ])("%s", (_, document, error) => {
    expect(errorOf(() => groupRecord(document, undefined))).toBe(error);
  });
});
