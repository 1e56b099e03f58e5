import { expect, test } from "bun:test";
import { closestMatch } from "../../src/cli/closest-match.ts";
import { countStringCalls } from "../support/counted-work.ts";

const words = ["list", "get", "find", "create", "update", "replace", "delete"];

test("finds the word that a misspelt word is closest to", () => {
  for (const [word, match] of [
    ["lst", "list"],
    ["lits", "list"],
    ["LIST", "list"],
    ["upate", "update"],
    ["delte", "delete"],
    ["craete", "create"],
    ["fnid", "find"],
  ] as const)
    expect(closestMatch(word, words)).toBe(match);
});

test("finds nothing for other words", () => {
  for (const word of ["remove", "x".repeat(200), "constructor"])
    expect(closestMatch(word, words)).toBeUndefined();
});

test("removes each letter of a long word a few times at most", () => {
  const long = "ab".repeat(100);
  const { calls } = countStringCalls("slice", () =>
    expect(closestMatch(long, ["ba".repeat(100), `${long}c`])).toBe(`${long}c`),
  );
  expect(calls).toBeWithin(1, 10 * long.length);
});
