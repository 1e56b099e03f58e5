import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Json } from "../../src/contract/user.ts";
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
  fc.string({ unit: fc.constantFrom(..."=+-@'\t\r\n\"{}[]0123456789.eE truefalsnl,;") }),
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
      { numRuns: 5000 },
    );
  });

  test("reads back any text that was written", () => {
    fc.assert(
      fc.property(tricky, (original) => expect(parseTextCell(formatTextCell(original))).toBe(original)),
      {
        numRuns: 5000,
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
      { numRuns: 5000 },
    );
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
