import { expect, test } from "bun:test";
import { findKey } from "../../src/scim/find-key.ts";

const URN = "urn:Example:User";

test("the key of a member is found in any case, and the exact one first", () => {
  const object = { [URN]: 1, [URN.toUpperCase()]: 2 };
  expect(findKey(object, URN)).toBe(URN);
  expect(findKey(object, URN.toUpperCase())).toBe(URN.toUpperCase());
  expect(findKey(object, URN.toLowerCase())).toBe(URN);
});

test("without such a member, the name itself is the key, also for the next search", () => {
  const object: Record<string, number> = {};
  const key = findKey(object, URN);
  expect(key).toBe(URN);
  object[key] = 1;
  expect(findKey(object, URN.toLowerCase())).toBe(URN);
});

test("a member that was removed can come back in another case", () => {
  const object: Record<string, number> = { [URN]: 1 };
  expect(findKey(object, URN.toLowerCase())).toBe(URN);
  delete object[URN];
  const key = findKey(object, URN.toLowerCase());
  expect(key).toBe(URN.toLowerCase());
  object[key] = 2;
  expect(findKey(object, URN)).toBe(URN.toLowerCase());
});

test("the names of a prototype are no members", () => {
  expect(findKey({}, "__proto__")).toBe("__proto__");
  expect(findKey({}, "CONSTRUCTOR")).toBe("CONSTRUCTOR");
});
