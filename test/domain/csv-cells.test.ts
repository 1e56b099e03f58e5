import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Json } from "../../src/contract/user.ts";
import { formatCell, formatTextCell, parseCell, parseTextCell } from "../../src/domain/csv/cells.ts";

/** Texts that are close to what means something else. */
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

describe("a cell", () => {
  test("gives back the value that was written to it, whatever it is", () => {
    fc.assert(
      fc.property(value, (each) => expect(parseCell(formatCell(each))).toEqual(each)),
      { numRuns: 5000 },
    );
  });

  test("gives back plain text that was written to it", () => {
    fc.assert(
      fc.property(tricky, (each) => expect(parseTextCell(formatTextCell(each))).toBe(each)),
      {
        numRuns: 5000,
      },
    );
  });

  test("never begins with what a spreadsheet would run, unless it is a number", () => {
    fc.assert(
      fc.property(value, (each) => {
        const cell = formatCell(each);
        if (/^[=+\-@\t\r]/.test(cell)) expect(typeof each).toBe("number");
        if (typeof each === "string") expect(formatTextCell(each)).not.toMatch(/^[=+\-@\t\r]/);
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
  ])("that a person writes as %j is %j", (cell, expected) => {
    expect(parseCell(cell)).toEqual(expected);
  });
});
