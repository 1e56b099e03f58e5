import { expect, test } from "bun:test";
import fc from "fast-check";
import { readWhere, toExpression } from "../../src/cli/flags/where-flag.ts";
import type { Json } from "../../src/contract/json.ts";
import { compileExpression } from "../../src/domain/filter/compile-expression.ts";
import { parseExpression } from "../../src/domain/filter/parse-expression.ts";
import { matchesTexts } from "../../src/store/lists/conditions/custom-filter.ts";

const texts = ["a", "A", "", "3", "3.0", "-1", "1e3", "true", "null", "2026-01-31", "a eq b", 'x"y', "ß"];
const value = fc.oneof(
  fc.constantFrom<Json>(...texts, 3, -1, 1000, true, false, null),
  fc.array(fc.constantFrom<Json>(...texts, 3, null), { maxLength: 3 }),
);

test("every user that a list with --where finds matches the expression of a change", () => {
  const users = fc.dictionary(fc.constantFrom("one", "two"), value);
  const conditions = fc.array(
    fc.tuple(fc.constantFrom("one", "two"), fc.constantFrom(...texts)).map((pair) => pair.join("=")),
    { minLength: 1, maxLength: 4 },
  );
  fc.assert(
    fc.property(users, conditions, (user, flags) => {
      const where = readWhere(flags);
      const isListed = Object.entries(where).every(([field, values]) => matchesTexts(field, values)(user));
      const matches = compileExpression(parseExpression(toExpression(where, undefined)));
      if (isListed) expect({ user, flags, changed: matches(user) }).toEqual({ user, flags, changed: true });
    }),
    { numRuns: 2000 },
  );
});

test.each([
  [["department=sales"], undefined, 'department eq "sales"'],
  [["level=3"], undefined, 'level eq 3 or level eq "3"'],
  [["id=3", "id=4", "email=3"], undefined, '(id eq 3 or id eq 4) and email eq "3"'],
  [["constructor=x", "constructor=y"], undefined, 'constructor eq "x" or constructor eq "y"'],
  [["plan=a=b"], "level ge 3 or level lt 1", 'plan eq "a=b" and (level ge 3 or level lt 1)'],
  [["active=true"], "not (plan pr)", '(active eq true or active eq "true") and not (plan pr)'],
])("%j with the filter %p is %s", (where, filter, expression) => {
  expect(toExpression(readWhere(where), filter)).toBe(expression);
});
