import { expect, test } from "bun:test";
import { closestMatch } from "../../src/cli/closest-match.ts";
import { timeLimit } from "../support/time-limit.ts";

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

test("finds nothing for other words, and stays fast for long words", () => {
  const start = performance.now();
  for (const word of ["remove", "x".repeat(200), "constructor"])
    expect(closestMatch(word, words)).toBeUndefined();
  const long = "ab".repeat(100);
  expect(closestMatch(long, [`${"ba".repeat(100)}`, `${long}c`])).toBe(`${long}c`);
  expect(performance.now() - start).toBeLessThan(timeLimit(1000));
});
