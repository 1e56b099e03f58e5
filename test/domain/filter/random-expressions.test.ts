import { expect, test } from "bun:test";
import fc from "fast-check";
import { compileExpression } from "../../../src/domain/filter/compile-expression.ts";
import { formatExpression } from "../../../src/domain/filter/format-expression.ts";
import { parseExpression } from "../../../src/domain/filter/parse-expression.ts";
import {
  arbitraryExpression,
  arbitraryRecord,
  arbitraryRewritten,
} from "../../support/filter/arbitraries.ts";
import { matchesNaively } from "../../support/filter/naive-filter.ts";

const arbitraryUser = fc
  .tuple(arbitraryRecord, fc.integer({ min: 1, max: 3 }), fc.date({ noInvalidDate: true }))
  .map(([record, number, date]) => {
    const time = date.toISOString();
    return { id: number, ...record, version: number, createdAt: time, updatedAt: time };
  });

test("parses a formatted expression back to the same expression", () => {
  fc.assert(
    fc.property(arbitraryExpression, (expression) => {
      expect(parseExpression(formatExpression(expression))).toEqual(expression);
    }),
    { numRuns: 1000 },
  );
});

test("tests users like the naive evaluator", () => {
  let matches = 0;
  let tested = 0;
  fc.assert(
    fc.property(
      arbitraryRewritten,
      fc.array(arbitraryUser, { minLength: 1, maxLength: 5 }),
      (expression, users) => {
        const test = compileExpression(expression);
        for (const user of users) {
          const expected = matchesNaively(expression, user);
          expect(test(user)).toBe(expected);
          tested += 1;
          if (expected) matches += 1;
        }
      },
    ),
    { numRuns: 1000 },
  );
  // Otherwise the random values prove little.
  expect(matches).toBeGreaterThan(tested / 10);
  expect(tested - matches).toBeGreaterThan(tested / 10);
}, 30_000);
