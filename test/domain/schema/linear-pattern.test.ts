import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { schemaLimits } from "../../../src/contract/schema/schema.ts";
import { LinearPattern } from "../../../src/domain/schema/linear-pattern.ts";
import { PatternError } from "../../../src/domain/schema/parse-pattern.ts";

const letters = (count: number) => "a".repeat(count);

/** The same text for the same arguments. */
function randomText(characters: readonly string[], length: number): string {
  let state = length;
  return Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return characters[Math.floor(state / 65_536) % characters.length];
  }).join("");
}

function distinctCharacters(count: number): string {
  return Array.from({ length: count }, (_, index) => String.fromCodePoint(0x100 + index)).join("");
}

/** Patterns and texts that take a backtracking engine seconds or years. */
const evil: readonly (readonly [pattern: string, text: string])[] = [
  ["^(a+)+$", `${letters(16_000)}!`],
  ["^(a*)*$", `${letters(16_000)}!`],
  ["^(a|a)*$", `${letters(16_000)}!`],
  ["^(a|aa)+$", `${letters(16_000)}!`],
  ["^(a|a?)+$", `${letters(16_000)}!`],
  ["(.*a){9}", `${letters(8)}${"b".repeat(16_000)}`],
  ["(x+x+)+y", "x".repeat(16_000)],
  ["a*a*a*a*a*a*b", letters(16_000)],
  ["^(([a-z])+.)+[A-Z]([a-z])+$", letters(16_000)],
  [
    "^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$",
    `${letters(16_000)}!`,
  ],
  ["^\\s+|\\s+$", `${"\t".repeat(16_000)}x${"\t".repeat(16_000)}x`.slice(1)],
  ["[ab]*a[ab]{20}c", "abb".repeat(5000)],
];

/** The steps that a new pattern takes for a text. */
function countSteps(pattern: string, text: string, maxLength?: number): number {
  const linear = new LinearPattern(pattern, maxLength);
  const before = linear.steps;
  linear.test(text);
  return linear.steps - before;
}

describe("linear patterns", () => {
  test.each(evil)(
    "matches %s within the limit of steps, and in steps that grow with the text",
    (pattern, text) => {
      const half = text.slice(text.length / 2);
      expect(countSteps(pattern, text)).toBeLessThanOrEqual(schemaLimits.patternWork);
      // A text that needs no new set of states takes no steps.
      expect(countSteps(pattern, text)).toBeLessThanOrEqual(3 * countSteps(pattern, half) + 1000);
    },
  );

  /** Each has close to the most steps that are allowed, and needs them for almost every character. */
  test.each([
    ["many states", "[ab]*a[ab]{48}c", undefined, randomText(["a", "a", "a", "b"], 16_384)],
    ["many states and a maxLength", "[ab]*a[ab]{230}c", 4000, randomText(["a", "a", "a", "b"], 4000)],
    ["many classes", "\\p{L}\\p{N}\\p{P}\\p{S}\\p{M}\\p{Z}\\w\\s!", undefined, distinctCharacters(16_384)],
    [
      "many empty alternatives",
      `([ab]${"|".repeat(440)})*a[ab]{46}c`,
      undefined,
      randomText(["a", "b"], 16_384),
    ],
  ])("matches a pattern with %s within the limit of steps", (_, pattern, maxLength, text) => {
    const steps = countSteps(pattern, text, maxLength);
    expect(steps).toBeWithin(schemaLimits.patternWork / 3, schemaLimits.patternWork + 1);
  });

  test("compares single characters without a step for each", () => {
    const singles = [...distinctCharacters(28)].join("|");
    expect(countSteps(`(${singles}|\\.|[.])*!`, distinctCharacters(16_384))).toBeLessThan(10_000);
  });

  test("is rejected if it has many states for a long text", () => {
    expect(() => new LinearPattern("[ab]*a[ab]{230}c")).toThrow("maxLength of at most 4355.");
    expect(() => new LinearPattern("^[ab]{120}c")).not.toThrow();
  });

  test("rejects a text of more than 16,384 characters, and leaves a text longer than maxLength to maxLength", () => {
    expect(new LinearPattern("^a+$").test(letters(16_384))).toBe(true);
    expect(new LinearPattern("^a+$").test(letters(16_385))).toBe(false);
    expect(new LinearPattern("^a+$", 10).test(letters(10))).toBe(true);
    expect(new LinearPattern("^b+$", 10).test(letters(10))).toBe(false);
    expect(new LinearPattern("a*b", 10).test(letters(11))).toBe(true);
  });

  test("remembers nothing wrong when a text needs many sets of states and many classes", () => {
    const pattern = "[^a]{3}(a|b|c|[d-f]|é|ü)$";
    const linear = new LinearPattern(pattern);
    const expression = new RegExp(pattern, "u");
    const characters = [..."abcdefgéü", "😀", "中"];
    for (let length = 1; length < 400; length++) {
      const text = randomText(characters, length);
      expect(linear.test(text)).toBe(expression.test(text));
    }
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
        for (const sample of texts) {
          const before = linear.steps;
          expect(linear.test(sample)).toBe(expression.test(sample));
          expect(linear.steps - before).toBeLessThanOrEqual(linear.maxSteps([...sample].length));
        }
      }),
      { numRuns: 500 },
    );
  });
});
