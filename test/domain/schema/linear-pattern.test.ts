import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { LinearPattern } from "../../../src/domain/schema/linear-pattern.ts";
import { PatternError } from "../../../src/domain/schema/parse-pattern.ts";

const letters = (count: number) => "a".repeat(count);

/** Patterns and texts that take a backtracking engine seconds or years. */
const evil: readonly (readonly [pattern: string, text: string])[] = [
  ["^(a+)+$", `${letters(16_000)}!`],
  ["^(a*)*$", `${letters(16_000)}!`],
  ["^(a|a)*$", `${letters(16_000)}!`],
  ["^(a|aa)+$", `${letters(16_000)}!`],
  ["^(a|a?)+$", `${letters(16_000)}!`],
  ["(.*a){20}", `${letters(19)}${"b".repeat(16_000)}`],
  ["(x+x+)+y", "x".repeat(16_000)],
  ["a*a*a*a*a*a*b", letters(16_000)],
  ["^(([a-z])+.)+[A-Z]([a-z])+$", letters(16_000)],
  [
    "^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$",
    `${letters(16_000)}!`,
  ],
  ["^\\s+|\\s+$", `${"\t".repeat(16_000)}x${"\t".repeat(16_000)}x`.slice(1)],
  ["[ab]*a[ab]{100}c", "ab".repeat(8000)],
];

describe("linear patterns", () => {
  test.each(evil)("matches %s in linear time", (pattern, text) => {
    const linear = new LinearPattern(pattern);
    const before = process.cpuUsage();
    linear.test(text);
    const { user } = process.cpuUsage(before);
    expect(user / 1000).toBeLessThan(1000);
  });

  test.each([
    ["^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$", "123e4567-e89b-12d3-a456-426614174000", true],
    ["^\\+[1-9]\\d{1,14}$", "+4722334455", true],
    ["^\\+[1-9]\\d{1,14}$", "4722334455", false],
    ["^(sales|support)$", "sales", true],
    ["^(sales|support)$", "presales", false],
    ["b", "abc", true],
    ["^$", "", true],
    ["$", "abc", true],
    ["^\\p{Lu}", "Ångström", true],
    ["^.$", "😀", true],
    ["^\\u{1F600}$", "😀", true],
    ["^\\uD83D\\uDE00$", "😀", true],
    ["^[^\\]]+$", "a]", false],
    ["^(?<year>\\d{4})$", "2026", true],
    ["a$b", "a", false],
    ["a|^b|c$", "xb", false],
  ])("matches %s with %j: %s", (pattern, text, expected) => {
    expect(new LinearPattern(pattern).test(text)).toBe(expected);
    expect(new RegExp(pattern, "u").test(text)).toBe(expected);
  });

  test.each([
    "(?=a)",
    "(?!a)",
    "(?<=a)b",
    "(a)\\1",
    "(?<n>a)\\k<n>",
    "\\bword",
    "(",
    "[z-a]",
    "a{1000}",
    "(?i:a)",
  ])("rejects %s", (pattern) => {
    expect(() => new LinearPattern(pattern)).toThrow(PatternError);
  });

  test("repeats nothing without work", () => {
    expect(new LinearPattern("^((){1000}){1000}a$").test("a")).toBe(true);
  });

  test("agrees with RegExp for random patterns and texts", () => {
    const atom = fc.constantFrom(
      "a",
      "b",
      "ab",
      ".",
      "[ab]",
      "[^a]",
      "\\d",
      "\\w",
      "^",
      "$",
      "",
      "é",
      "\\u{1F600}",
    );
    const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
      pattern: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        atom,
        fc.tuple(tie("pattern"), tie("pattern")).map(([a, b]) => `${a}${b}`),
        fc.tuple(tie("pattern"), tie("pattern")).map(([a, b]) => `(${a}|${b})`),
        fc
          .tuple(tie("pattern"), fc.constantFrom("*", "+", "?", "*?", "{2}", "{0,2}", "{1,}"))
          .map(([a, quantifier]) => `(?:${a})${quantifier}`),
      ),
    }));
    const text = fc.string({ unit: fc.constantFrom("a", "b", "1", "é", "😀", "\n", " "), maxLength: 12 });
    fc.assert(
      fc.property(pattern, fc.array(text, { maxLength: 10 }), (source, texts) => {
        let linear: LinearPattern;
        try {
          linear = new LinearPattern(source);
        } catch (error) {
          expect(error).toBeInstanceOf(PatternError);
          return;
        }
        const expression = new RegExp(source, "u");
        for (const sample of texts) expect(linear.test(sample)).toBe(expression.test(sample));
      }),
      { numRuns: 500 },
    );
  });
});
