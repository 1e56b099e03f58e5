import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Json } from "../../src/contract/json.ts";
import { mergePatch } from "../../src/domain/records/record.ts";

/** The test cases of RFC 7396, appendix A: original, patch, result. */
const examples: [Json, Json, Json][] = [
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [
    ["a", "b"],
    ["c", "d"],
    ["c", "d"],
  ],
  [{ a: "b" }, ["c"], ["c"]],
  [{ a: "foo" }, null, null],
  [{ a: "foo" }, "bar", "bar"],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: "b", c: null }, { a: "b" }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

const key = fc.constantFrom("a", "b", "c", "d");
const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<Json>(null, true, 0, 1, "x", ""),
    fc.array(tie("json"), { maxLength: 3 }),
    fc.dictionary(key, tie("json"), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

describe("merge patch", () => {
  for (const [original, patch, result] of examples) {
    test(`${JSON.stringify(original)} with ${JSON.stringify(patch)} is ${JSON.stringify(result)}`, () => {
      expect(mergePatch(original, patch)).toEqual(result);
    });
  }

  test("gives the same result when applied twice", () => {
    fc.assert(
      fc.property(json, json, (target, patch) => {
        const merged = mergePatch(target, patch);
        expect(mergePatch(merged, patch)).toEqual(merged);
      }),
    );
  });

  test("does not modify the target or the patch", () => {
    fc.assert(
      fc.property(json, json, (target, patch) => {
        const before = JSON.stringify([target, patch]);
        mergePatch(target, patch);
        expect(JSON.stringify([target, patch])).toBe(before);
      }),
    );
  });

  test("changes nothing if the patch is empty", () => {
    fc.assert(
      fc.property(fc.dictionary(key, json, { noNullPrototype: true }), (target) =>
        expect(mergePatch(target, {})).toEqual(target),
      ),
    );
  });
});
