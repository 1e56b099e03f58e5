import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { JsonObject } from "../../../src/contract/json.ts";
import { groupKind, userKind } from "../../../src/scim/attributes.ts";
import { normalizeDocument } from "../../../src/scim/normalize.ts";
import { arbitraryResource } from "../support/arbitrary-resources.ts";
import { applyPatch, parsePatch } from "../support/patch.ts";

describe("an operation that is repeated changes nothing", () => {
  test.each([
    { kind: userKind, op: "add" },
    { kind: userKind, op: "replace" },
    { kind: groupKind, op: "add" },
    { kind: groupKind, op: "replace" },
  ])("$op of what a client sends as a $kind.name", ({ kind, op }) => {
    const sent = arbitraryResource(kind);
    fc.assert(
      fc.property(sent, sent, (first, value) => {
        const apply = (document: JsonObject) =>
          applyPatch(kind, document, parsePatch(kind, { Operations: [{ op, value }] }));
        const once = apply(normalizeDocument(kind, first));
        expect(apply(once)).toBe(once);
      }),
      { numRuns: 300 },
    );
  });

  test.each<[string, JsonObject]>([
    ["a primary entry without a value", { streetAddress: "Main Street 1", type: "work", primary: true }],
    ["an entry whose members come in another order", { type: "work", streetAddress: "Main Street 1" }],
  ])("add of %s", (_, address) => {
    const document = { addresses: [{ streetAddress: "Main Street 1", ...address }] };
    const operations = parsePatch(userKind, {
      Operations: [{ op: "add", path: "addresses", value: address }],
    });
    expect(applyPatch(userKind, document, operations)).toBe(document);
  });
});

test.each([
  ["add", { path: "urn:example:2.0:Badge" }],
  ["replace", { path: "urn:example:2.0:Badge" }],
])("%s of an extension that has objects changes this extension only", (op, { path }) => {
  const badge = { color: { name: "red" }, codes: ["a"] };
  for (const operation of [
    { op, path, value: badge },
    { op, value: { [path]: badge } },
  ]) {
    const operations = parsePatch(userKind, { Operations: [operation] });
    expect(applyPatch(userKind, { title: "T" }, operations)).toEqual({ title: "T", [path]: badge });
  }
});
