import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Json } from "../../src/contract/json.ts";
import { formatCell, formatTextCell, parseCell, parseTextCell } from "../../src/domain/csv/cells.ts";

/** Texts that look like JSON or like formulas. */
const tricky = fc.oneof(
  fc.constantFrom(
    "=1+1",
    "'=1",
    "''=1",
    "-5",
    "+49 30 1234",
    "@x",
    "x;=1",
    "x;'=1",
    'x;"=1',
    "a|@b,+c",
    "x\t=1",
    "x\n=1",
    ";\t=",
    "\tx",
    "true",
    "null",
    "007",
    "1e3",
    '"x"',
    "{",
    "[1]",
  ),
  fc.string(),
  fc.string({ unit: fc.constantFrom(..."=+-@'\t\r\n\"{}[]0123456789.eE truefalsnl,;|＝") }),
);
const value: fc.Arbitrary<Json> = fc.oneof(
  tricky,
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.array(tricky, { maxLength: 3 }),
  fc.dictionary(
    fc.string({ minLength: 1 }).filter((key) => key !== "__proto__"),
    tricky,
    { maxKeys: 3 },
  ),
);

describe("a CSV cell", () => {
  test("reads back any value that was written", () => {
    fc.assert(
      fc.property(value, (original) => expect(parseCell(formatCell(original))).toEqual(original)),
      { numRuns: 1000 },
    );
  });

  test("reads back any text that was written", () => {
    fc.assert(
      fc.property(tricky, (original) => expect(parseTextCell(formatTextCell(original))).toBe(original)),
      {
        numRuns: 1000,
      },
    );
  });

  test("never starts like a formula, unless it is a number", () => {
    fc.assert(
      fc.property(value, (original) => {
        const cell = formatCell(original);
        if (/^[=+\-@\t\r]/.test(cell)) expect(typeof original).toBe("number");
        if (typeof original === "string") expect(formatTextCell(original)).not.toMatch(/^[=+\-@\t\r]/);
      }),
      { numRuns: 1000 },
    );
  });

  test("has no formula after any separator, so that no way to split the file shows one", () => {
    const formula = /(?:^|[,;|\t\r\n]["]*)[=+\-@\t\r＝＋－＠]/;
    fc.assert(
      fc.property(value, tricky, (original, text) => {
        expect(formatTextCell(text)).not.toMatch(formula);
        const cell = formatCell(original);
        if (typeof original === "string") expect(cell).not.toMatch(formula);
        // Numbers in arrays follow a comma, and may be negative.
        else if (typeof original === "object")
          expect(cell).not.toMatch(/[;|\t\r\n]["]*[=+\-@＝＋－＠]|,[=+@]/);
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    ["x;=1+1", "x;'=1+1"],
    ["x\t@SUM", "x\t'@SUM"],
    ["x\n=1", "x\n'=1"],
    ["x|-1", "x|'-1"],
    ["Lee, Ann; Bo - x", "Lee, Ann; Bo - x"],
  ])("protects the text %j as %j", (text, cell) => {
    expect(formatTextCell(text)).toBe(cell);
    expect(formatCell(text)).toBe(cell);
  });

  test("protects text inside of JSON", () => {
    expect(formatCell({ a: "x;=1" })).toBe('{"a":"x\\u003b=1"}');
    expect(formatCell([1, -2])).toBe("[1,-2]");
  });

  // With work that grows with the square of a text, this would take minutes.
  test("reads back long texts of separators, quotes and apostrophes", () => {
    for (const text of [`;${'"'.repeat(200_000)}=`, "'".repeat(200_000), ";=".repeat(100_000)]) {
      expect(parseTextCell(formatTextCell(text))).toBe(text);
    }
  });

  test.each<[cell: string, value: Json | undefined]>([
    ["", undefined],
    ["Ada", "Ada"],
    ["42", 42],
    ["-3.5", -3.5],
    ["007", "007"],
    ["1e3", "1e3"],
    ["1.50", "1.50"],
    ["12345678901234567890", "12345678901234567890"],
    ["+49 30 1234", "+49 30 1234"],
    ["true", true],
    ["True", "True"],
    ["null", null],
    ['{"a":[1]}', { a: [1] }],
    ["{not json", "{not json"],
    ['"42"', "42"],
    ["'=SUM(A1)", "=SUM(A1)"],
    ["it's", "it's"],
    ["'quoted'", "'quoted'"],
  ])("reads %j as %j", (cell, expected) => {
    expect(parseCell(cell)).toEqual(expected);
  });
});
