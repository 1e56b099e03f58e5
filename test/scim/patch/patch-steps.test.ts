import { expect, test } from "bun:test";
import type { Json, JsonObject } from "../../../src/contract/json.ts";
import { urns, userKind } from "../../../src/scim/attributes.ts";
import { applyPatch } from "../../../src/scim/patch/apply-patch.ts";
import { parsePatch } from "../../../src/scim/patch/parse-patch.ts";
import { parsePatch as parseAtOnce } from "../support/patch.ts";

const NAMES = 300;

const members = (name: (index: number) => string): JsonObject =>
  Object.fromEntries(Array.from({ length: NAMES }, (_, index) => [name(index), index]));

test.each<[what: string, operations: Json[]]>([
  ["operations", Array.from({ length: NAMES }, () => ({ op: "add", path: "title", value: "T" }))],
  ["attributes", [{ op: "add", value: members((index) => `urn:example:u:a${index}`) }]],
  ["attributes of the core schema", [{ op: "add", value: { [urns.user]: members((index) => `a${index}`) } }]],
  ["custom fields", [{ op: "add", value: { [urns.rosterUser]: members((index) => `a${index}`) } }]],
  [
    "attributes of an extension",
    [{ op: "add", path: urns.rosterUser, value: members((index) => `a${index}`) }],
  ],
])("others can go on between the %s of a patch", (_, Operations) => {
  expect([...parsePatch(userKind, { Operations })].length).toBeGreaterThanOrEqual(NAMES);
  const operations = parseAtOnce(userKind, { Operations });
  const steps = [...applyPatch(userKind, { userName: "ada" }, operations)];
  expect(steps.length).toBe(operations.length);
});

test("the attributes of an extension are added and removed one by one", () => {
  const change = (op: string, value: (index: number) => Json) =>
    Array.from({ length: NAMES }, (_, index) => ({
      op,
      path: `urn:example:Other:a${index}`,
      value: value(index),
    }));
  const document = { userName: "ada", "urn:example:Other": { a1: 0 } };
  const apply = (...Operations: Json[]) => {
    const steps = applyPatch(userKind, document, parseAtOnce(userKind, { Operations }));
    let step = steps.next();
    while (!step.done) step = steps.next();
    return step.value;
  };
  const [add, remove] = [change("add", (index) => index), change("replace", () => null)];
  expect(apply(...add)).toEqual({ userName: "ada", "urn:example:Other": members((index) => `a${index}`) });
  expect(apply(...add, ...remove)).toEqual({ userName: "ada" });
  expect(apply(...add, ...remove, ...add.slice(0, 1))).toEqual({
    userName: "ada",
    "urn:example:Other": { a0: 0 },
  });
});
