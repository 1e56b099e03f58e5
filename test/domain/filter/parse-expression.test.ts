import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { filterLimits } from "../../../src/contract/listing.ts";
import type { Expression } from "../../../src/domain/filter/expression.ts";
import { FilterSyntaxError } from "../../../src/domain/filter/filter-syntax-error.ts";
import { formatExpression } from "../../../src/domain/filter/format-expression.ts";
import { parse, parseExpression } from "../../../src/domain/filter/parse-expression.ts";
import { countMatchedCharacters, countStringCalls } from "../../support/counted-work.ts";

function catchError(text: string, parseText: (text: string) => unknown = parseExpression): FilterSyntaxError {
  try {
    parseText(text);
  } catch (error) {
    if (error instanceof FilterSyntaxError) return error;
    throw error;
  }
  throw new Error(`This expression is valid: ${text}`);
}

describe("a valid expression", () => {
  test("becomes plain data", () => {
    expect(parseExpression('department eq "sales" and (level ge 3 or not (plan pr))')).toEqual({
      kind: "and",
      operands: [
        { kind: "compare", path: [{ name: "department" }], operator: "eq", value: "sales" },
        {
          kind: "or",
          operands: [
            { kind: "compare", path: [{ name: "level" }], operator: "ge", value: 3 },
            { kind: "not", operand: { kind: "present", path: [{ name: "plan" }] } },
          ],
        },
      ],
    });
    const work: Expression = { kind: "compare", path: [{ name: "type" }], operator: "eq", value: "work" };
    expect(parseExpression('phones[type eq "work"].value sw "+47"')).toEqual({
      kind: "compare",
      path: [{ name: "phones", where: work }, { name: "value" }],
      operator: "sw",
      value: "+47",
    });
    expect(parseExpression('phones[type eq "work"]')).toEqual({
      kind: "element",
      path: [{ name: "phones", where: work }],
    });
  });

  /** What the text means, as the formatted text shows. */
  test.each([
    // And binds tighter than or.
    ["a pr or b pr and c pr", "a pr or b pr and c pr"],
    ["a pr or (b pr and c pr)", "a pr or b pr and c pr"],
    ["(a pr or b pr) and c pr", "(a pr or b pr) and c pr"],
    // Parentheses that change nothing disappear.
    ["((a pr))", "a pr"],
    ["(a pr and b pr) and (c pr and d pr)", "a pr and b pr and c pr and d pr"],
    ["a pr or (b pr or (c pr))", "a pr or b pr or c pr"],
    ["not ((a pr))", "not (a pr)"],
    ["not (not (a pr))", "not (not (a pr))"],
    ["not (a pr) and b pr", "not (a pr) and b pr"],
    ["not (a pr or b pr) or c pr", "not (a pr or b pr) or c pr"],
    ["a[(b pr or c pr)]", "a[b pr or c pr]"],
    // Operators and constants in any case. Field names keep theirs.
    ["NOT (A Eq TRUE AND b PR) oR c nE Null", "not (A eq true and b pr) or c ne null"],
    // Space is optional where nothing changes without it.
    ["  a\teq\r\n1 and(b pr)  ", "a eq 1 and b pr"],
    ['not(a eq"x"and b pr)', 'not (a eq "x" and b pr)'],
    ["a[ b pr ].c pr", "a[b pr].c pr"],
    // Any word can be the name of a field.
    ["not eq 1", "not eq 1"],
    ["and eq 1 and or pr or not pr", "and eq 1 and or pr or not pr"],
    ["pr pr", "pr pr"],
    ["eq eq 1", "eq eq 1"],
    ["true eq true", "true eq true"],
    ["not.not pr", "not.not pr"],
    // Names with other characters are JSON strings.
    ['"first name" eq "x"', '"first name" eq "x"'],
    ['address."post code".x_1-$ eq 1', 'address."post code".x_1-$ eq 1'],
    ['"plain"."\\u00e9" pr', 'plain."é" pr'],
    ['"" pr', '"" pr'],
    ['"a.b"."[" pr', '"a.b"."[" pr'],
    // Literals are those of JSON.
    ['a eq "\\"\\\\\\/\\b\\f\\n\\r\\t\\u00E9\\ud83d\\ude00"', 'a eq "\\"\\\\/\\b\\f\\n\\r\\té😀"'],
    ["a eq -0", "a eq 0"],
    ["a eq 1e-999", "a eq 0"],
    ["a eq 1E+2", "a eq 100"],
    ["a eq -1.50", "a eq -1.5"],
    ["a eq 12345678901234567890123", "a eq 1.2345678901234568e+22"],
    ["a eq 1.7976931348623157e308", "a eq 1.7976931348623157e+308"],
    // A condition in brackets can be followed by a name, an operator, or nothing.
    ["a[b pr].d[c pr]", "a[b pr].d[c pr]"],
    ["a[b pr] eq 1 and c[d pr] pr or e[f pr]", "a[b pr] eq 1 and c[d pr] pr or e[f pr]"],
    ["a[b[c[d pr].e pr]]", "a[b[c[d pr].e pr]]"],
  ])("%j means %j", (text, formatted) => {
    const expression = parseExpression(text);
    expect(formatExpression(expression)).toBe(formatted);
    expect(parseExpression(formatted)).toEqual(expression);
  });
});

const operator = "an operator (eq, ne, co, sw, ew, gt, ge, lt, le or pr)";
const value = "a value (text in double quotes, a number, true, false or null)";
const start = 'a field name, "(" or "not ("';

describe("an invalid expression", () => {
  test.each([
    ["", 1, start, "the end"],
    ["   ", 4, start, "the end"],
    ["a", 2, operator, "the end"],
    ["a ", 3, operator, "the end"],
    ["a.", 3, "a field name", "the end"],
    ["a..b pr", 3, "a field name", '".b"'],
    ["a. b pr", 3, "a field name", '" "'],
    ["a .b pr", 3, operator, '".b"'],
    [".a pr", 1, start, '".a"'],
    ["1a pr", 1, start, '"1a"'],
    ["é pr", 1, start, '"é"'],
    ["aé pr", 2, operator, '"é"'],
    ["'a' pr", 1, start, '"\'"'],
    ["a = 1", 3, operator, '"="'],
    ["a == 1", 3, operator, '"="'],
    ["a equals 1", 3, operator, '"equals"'],
    ["a eq-1", 3, operator, '"eq-1"'],
    ["a eq", 5, value, "the end"],
    ["a eq ", 6, value, "the end"],
    ["a eq sales", 6, value, '"sales"'],
    ["a eq 'sales'", 6, value, '"\'"'],
    ["a eq and b pr", 6, value, '"and"'],
    ["a eq nulls", 6, value, '"nulls"'],
    ["a eq (1)", 6, value, '"("'],
    ["a eq [1]", 6, value, '"["'],
    ["a eq 01", 6, value, '"01"'],
    ["a eq +1", 6, value, '"+1"'],
    ["a eq .5", 6, value, '".5"'],
    ["a eq 5.", 6, value, '"5."'],
    ["a eq 0x10", 6, value, '"0x10"'],
    ["a eq 1e", 6, value, '"1e"'],
    ["a eq --1", 6, value, '"--1"'],
    ["a eq 1and b pr", 6, value, '"1and"'],
    ["a eq 2024-01-31", 6, value, '"2024-01-31"'],
    ["a eq NaN", 6, value, '"NaN"'],
    ["a eq -Infinity", 6, value, '"-Infinity"'],
    ["a eq 1 2", 8, '"and", "or" or the end', '"2"'],
    ["a pr b pr", 6, '"and", "or" or the end', '"b"'],
    ["a pr && b pr", 6, '"and", "or" or the end', '"&"'],
    ["a pr xor b pr", 6, '"and", "or" or the end', '"xor"'],
    ['a pr "b" pr', 6, '"and", "or" or the end', "text in quotes"],
    ["a pr)", 5, '"and", "or" or the end', '")"'],
    ["a[b pr] c", 9, '"and", "or" or the end', '"c"'],
    ["a[b pr][c pr]", 8, '"and", "or" or the end', '"["'],
    ["a pr and", 9, start, "the end"],
    ["a pr or or b pr", 12, operator, '"b"'],
    ["and", 4, operator, "the end"],
    ["not a pr", 5, operator, '"a"'],
    ["not", 4, operator, "the end"],
    ["not (", 6, start, "the end"],
    ["()", 2, start, '")"'],
    ["(a pr", 6, '"and", "or" or ")"', "the end"],
    ["(a pr]", 6, '"and", "or" or ")"', '"]"'],
    ["a[", 3, start, "the end"],
    ["a[]", 3, start, '"]"'],
    ["a[0] eq 1", 3, start, '"0"'],
    ["a[b pr", 7, '"and", "or" or "]"', "the end"],
    ["a[b pr)", 7, '"and", "or" or "]"', '")"'],
    ["a [b pr]", 3, operator, '"["'],
    ['a eq "x', 8, "a closing quote", "the end"],
    ['a eq "x\\"', 10, "a closing quote", "the end"],
    ['a."x', 5, "a closing quote", "the end"],
    // Positions count characters, not UTF-16 units.
    ['"😀" eq "😀" x', 12, '"and", "or" or the end', '"x"'],
    ["a pr 😀", 6, '"and", "or" or the end', '"😀"'],
    ["a pr \u0000", 6, '"and", "or" or the end', '"\\u0000"'],
    ["a pr \ud800", 6, '"and", "or" or the end', '"\\ud800"'],
    [`a eq ${"x".repeat(99)}`, 6, value, `"${"x".repeat(30)}"`],
  ])("%j fails at character %d", (text, position, expected, found) => {
    const error = catchError(text);
    expect(error.message).toBe(`Character ${position}: expected ${expected}, but found ${found}.`);
    expect(error).toMatchObject({ position, expected });
  });

  const wellFormed = "text without U+0000 and without half of a surrogate pair";
  test.each([
    ['a eq "\\x"', 7, 'an escape of JSON, such as \\", \\\\ or \\u00e9'],
    ['a eq "\\u12g4"', 7, 'an escape of JSON, such as \\", \\\\ or \\u00e9'],
    ['a eq "\\', 7, 'an escape of JSON, such as \\", \\\\ or \\u00e9'],
    ['a eq "1\n2"', 8, "an escape such as \\n instead of a control character"],
    ['a eq "\\ud83d"', 6, wellFormed],
    ['a eq "\ud83d"', 6, wellFormed],
    ['a eq "\\u0000"', 6, wellFormed],
    ['a."\\ude00" pr', 3, wellFormed],
    ["a eq 1e999", 6, "a number of at most 1.7976931348623157e308"],
    [`a eq -${"9".repeat(400)}`, 6, "a number of at most 1.7976931348623157e308"],
  ])("%j fails at character %d", (text, position, expected) => {
    expect(catchError(text).message).toBe(`Character ${position}: expected ${expected}.`);
  });
});

describe("with bare words", () => {
  const parseWords = (text: string) => parse(text, { bareWords: true });

  test.each([
    ["a eq jyoung", 'a eq "jyoung"'],
    ["a eq example.com", 'a eq "example.com"'],
    ["a gt 2015-10-10T14:38:21.8617979-07:00", 'a gt "2015-10-10T14:38:21.8617979-07:00"'],
    ["a eq é😀 and b pr", 'a eq "é😀" and b pr'],
    // A space, quote, bracket or parenthesis ends a word.
    ["(a eq x)", 'a eq "x"'],
    ["a[b eq x].c eq y", 'a[b eq "x"].c eq "y"'],
    // What JSON has a value for is this value.
    ["a eq 42", "a eq 42"],
    ["a eq -0", "a eq 0"],
    ["a eq TRUE", "a eq true"],
    ["a eq Null", "a eq null"],
    // All else is text.
    ["a eq 042", 'a eq "042"'],
    ["a eq 1e999", 'a eq "1e999"'],
    ["a eq 'x'", `a eq "'x'"`],
    ["a eq x,y", 'a eq "x,y"'],
    ["a eq and", 'a eq "and"'],
    ['a eq "42"', 'a eq "42"'],
  ])("%j means %j", (text, formatted) => {
    expect(parseWords(text).expression).toEqual(parseExpression(formatted));
  });

  test("each comparison has its word and its place", () => {
    const { expression, comparisons } = parseWords('a eq 042 and b[c eq "x"] or d eq 1.50');
    const places = [...comparisons].map(([comparison, { word, errorOf }]) => [
      formatExpression(comparison),
      word,
      errorOf("x").position,
    ]);
    expect(places).toEqual([
      ['a eq "042"', "042", 1],
      ['c eq "x"', undefined, 16],
      ['b[c eq "x"]', undefined, 14],
      ["d eq 1.5", "1.50", 29],
    ]);
    expect(formatExpression(expression)).toBe('a eq "042" and b[c eq "x"] or d eq 1.5');
  });

  test.each([
    ["a eq", 5, "the end"],
    ["a eq (x)", 6, '"("'],
    ["a eq ]", 6, '"]"'],
    ['a eq x"y"', 7, "text in quotes"],
    ["a eq x y", 8, '"y"'],
    ["a.b-c.2 eq x", 7, '"2"'],
  ])("%j fails at character %d", (text, position, found) => {
    const error = catchError(text, parseWords);
    expect(error.position).toBe(position);
    expect(error.message).toEndWith(`, but found ${found}.`);
  });

  test.each([
    ["a eq \u0000", 6],
    ["a eq x\ud800", 6],
  ])("%j fails, because no stored text has such characters", (text, position) => {
    const error = catchError(text, parseWords);
    expect(error.message).toBe(
      `Character ${position}: expected text without U+0000 and without half of a surrogate pair.`,
    );
  });
});

describe("with URNs", () => {
  const known = "urn:x:2.0:User";
  const splitUrn = (text: string) => {
    if (!text.startsWith(known)) return { urn: undefined, rest: text };
    return { urn: known, rest: text.slice(known.length + 1) };
  };
  const parseUrns = (text: string) => parse(text, { splitUrn });

  test.each([
    [`${known}:a.b eq 1`, `"${known}".a.b eq 1`],
    [`${known}:a[c pr].b pr`, `"${known}".a[c pr].b pr`],
    [`not(${known}:a pr)`, `not ("${known}".a pr)`],
    [`${known} pr`, `"${known}" pr`],
    [`${known}[a pr]`, `"${known}"[a pr]`],
    [`"${known}".a pr`, `"${known}".a pr`],
    // A name that only begins like a URN.
    ["urn eq 1 and urns.a pr", "urn eq 1 and urns.a pr"],
  ])("%j means %j", (text, formatted) => {
    expect(parseUrns(text).expression).toEqual(parseExpression(formatted));
  });

  test.each([
    ["urn:y:z eq 1", 4, `${operator}, but found ":"`],
    [`${known}:a..b pr`, 1, `a URN and field names, joined by dots, but found "urn"`],
    [`${known}:é pr`, 1, `a URN and field names, joined by dots, but found "urn"`],
    [`a pr and ${known}:1 pr`, 10, `a URN and field names, joined by dots, but found "urn"`],
  ])("%j fails at character %d", (text, position, expected) => {
    expect(catchError(text, parseUrns).message).toBe(`Character ${position}: expected ${expected}.`);
  });

  test("a URN is no name without them", () => {
    expect(catchError(`${known}:a pr`).position).toBe(4);
  });
});

describe("the limits", () => {
  const { characters, comparisons, levels } = filterLimits;

  test("accept 4096 characters, also of two UTF-16 units, and reject one more", () => {
    const text = `a eq "${"😀".repeat(characters - 7)}"`;
    expect(parseExpression(text)).toMatchObject({ kind: "compare" });
    expect(catchError(`${text} `).message).toBe("Character 4097: expected at most 4096 characters.");
  });

  test("accept 50 comparisons, and reject one more at its first character", () => {
    const text = Array(comparisons).fill("a pr").join(" or ");
    expect(parseExpression(text)).toMatchObject({ operands: { length: comparisons } });
    expect(catchError(`${text} and  b eq 1`).message).toBe(
      `Character ${text.length + 7}: expected at most 50 comparisons.`,
    );
    // Comparisons in brackets count, the brackets do not.
    const inBrackets = (count: number) => `a[${Array(count).fill("b pr").join(" and ")}]`;
    expect(parseExpression(inBrackets(comparisons))).toMatchObject({ kind: "element" });
    expect(catchError(inBrackets(comparisons + 1)).expected).toBe("at most 50 comparisons");
    expect(catchError(`${inBrackets(comparisons)} pr`).position).toBe(1);
  });

  test("accept 8 levels of parentheses and brackets, and reject one more", () => {
    const nested = (depth: number) => `${"(".repeat(depth)}a pr${")".repeat(depth)}`;
    expect(parseExpression(nested(levels))).toMatchObject({ kind: "present" });
    expect(parseExpression(`${nested(levels)} and ${nested(levels)}`)).toMatchObject({ kind: "and" });
    for (const [text, position] of [
      [nested(levels + 1), 9],
      [`${"not (".repeat(levels)}(a pr`, 41],
      ["a[".repeat(levels + 1), 18],
      ["(a[".repeat(levels), 13],
    ] as const) {
      expect(catchError(text).message).toBe(
        `Character ${position}: expected at most 8 levels of parentheses and brackets.`,
      );
    }
  });

  test.each([
    ["(", 1],
    [")", 1],
    ["[", 1],
    ["a[", 2],
    ["not(", 4],
    ["not ", 4],
    ["a", 1],
    ["a.", 2],
    ['"', 1],
    ['""', 2],
    ['"\\', 2],
    ["\\", 1],
    [" ", 1],
    ["a eq 9", 6],
    ["a pr and ", 9],
    ["\ud800", 1],
  ])("make %j, repeated, fail after reading each character a few times", (part, length) => {
    const text = part.repeat(characters / length);
    let matched = 0;
    const { calls } = countStringCalls("charCodeAt", () => {
      matched = countMatchedCharacters(() => catchError(text));
    });
    expect(matched + calls).toBeWithin(1, 5 * characters);
  });

  test("hold for a path of 2000 steps and a number of 4000 digits", () => {
    expect(parseExpression(`${"a.".repeat(2000)}a pr`)).toMatchObject({ path: { length: 2001 } });
    expect(parseExpression(`a eq 0.${"1".repeat(4000)}`)).toMatchObject({ value: 1 / 9 });
  });
});

test("any text is an expression or fails at one of its characters", () => {
  const pieces = fc.constantFrom(
    ...'( ) [ ] . " \\ a b not and or eq pr 1 -1 true "x" é 😀 \ud800'.split(" "),
    " ",
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(pieces).map((parts) => parts.join("")),
        fc.string({ unit: "binary" }),
      ),
      (text) => {
        try {
          const expression = parseExpression(text);
          expect(parseExpression(formatExpression(expression))).toEqual(expression);
        } catch (error) {
          if (!(error instanceof FilterSyntaxError)) throw error;
          expect(error.position).toBeGreaterThanOrEqual(1);
          expect(error.position).toBeLessThanOrEqual([...text].length + 1);
        }
      },
    ),
    { numRuns: 1000 },
  );
});
