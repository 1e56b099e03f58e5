import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  type Condition,
  formatConditions,
  isDay,
  parseConditions,
  readFilters,
  replaceByExpression,
  type Scalar,
  toExpression,
  writeFilters,
} from "../../../src/console/users/filters/condition.ts";
import { isFilterName } from "../../../src/contract/listing.ts";
import { countComparisons } from "../../../src/domain/filter/count-comparisons.ts";
import { parseExpression } from "../../../src/domain/filter/parse-expression.ts";

const number = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
);
const text = fc.oneof(fc.constantFrom("pro", "and", 'a "b"', ") or (", "not", "2026-01-31"), fc.string());
const scalar: fc.Arbitrary<Scalar> = fc.oneof(number, text, fc.boolean());
const day = fc
  .date({ min: new Date("1900-01-01"), max: new Date("2999-12-31"), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
const name = fc.oneof(
  fc.stringMatching(/^[A-Za-z][A-Za-z0-9_]{0,10}$/),
  fc.constantFrom("and", "not", "a b", 'quo"te', "pr"),
);

const condition: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({
    field: name,
    operator: fc.constant("any" as const),
    values: fc.uniqueArray(scalar, { minLength: 1, maxLength: 4, comparator: Object.is }),
  }),
  fc.record({
    field: name,
    operator: fc.constantFrom("ne", "co", "sw", "ew", "gt", "ge", "lt", "le"),
    values: fc.tuple(scalar),
  }),
  fc.record({ field: name, operator: fc.constant("range" as const), values: fc.tuple(number, number) }),
  fc.record({
    field: name,
    operator: fc.constant("days" as const),
    values: fc.tuple(day, day).map((days) => days.toSorted()),
  }),
  fc.record({ field: name, operator: fc.constantFrom("pr", "np"), values: fc.constant([]) }),
);
/** Two comparisons of one field can be one condition. */
const conditions = fc.uniqueArray(condition, { selector: ({ field }) => field, maxLength: 5 });

describe("the conditions of a list", () => {
  test("survive formatting and parsing", () => {
    fc.assert(
      fc.property(conditions, (given) => {
        expect(parseConditions(formatConditions(given))).toEqual(given);
      }),
    );
  });

  test("are parameters of the URL and an expression, and are read back from these", () => {
    const parameter = fc.record({
      field: fc.stringMatching(/^[A-Z]{1,10}$/).filter(isFilterName),
      operator: fc.constant("any" as const),
      values: fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 4 }),
      isParameter: fc.constant(true as const),
    });
    const parameters = fc.uniqueArray(parameter, { selector: ({ field }) => field, maxLength: 3 });
    fc.assert(
      fc.property(parameters, conditions, (exact, others) => {
        const filters = writeFilters({ conditions: [...exact, ...others] });
        expect(filters.filter).toBe(formatConditions(others));
        expect(Object.entries(filters.where)).toEqual(exact.map(({ field, values }) => [field, values]));
        expect(readFilters(filters)).toEqual({ conditions: [...exact, ...others] });
      }),
    );
  });

  test("have the parameter for groups apart from fields, also from a custom field of the same name", () => {
    const filters = { where: { group: ["7", "8"] }, filter: 'group eq "north" and groups ne 9' };
    const conditions: Condition[] = [
      { field: "groups", operator: "any", values: ["7", "8"], isParameter: true },
      { field: "group", operator: "any", values: ["north"] },
      { field: "groups", operator: "ne", values: [9] },
    ];
    expect(readFilters(filters)).toEqual({ conditions });
    expect(Object.entries(writeFilters({ conditions }).where)).toEqual([["group", ["7", "8"]]]);
    expect(writeFilters({ conditions }).filter).toBe(filters.filter);
    expect(toExpression(filters)).toBe(filters.filter);
    const replaced = replaceByExpression(filters, "level ge 3");
    expect([Object.entries(replaced.where), replaced.filter]).toEqual([
      [["group", ["7", "8"]]],
      "level ge 3",
    ]);
  });

  test("are expressions that the service accepts, with a comparison for each value", () => {
    fc.assert(
      fc.property(conditions, (given) => {
        fc.pre(given.length > 0);
        const comparisons = given.reduce((sum, { values }) => sum + Math.max(1, values.length), 0);
        expect(countComparisons(parseExpression(formatConditions(given)))).toBe(comparisons);
      }),
    );
  });

  test("of several comparisons are one condition each", () => {
    expect(parseConditions("level ge 3 and level le 7")).toEqual([
      { field: "level", operator: "range", values: [3, 7] },
    ]);
    expect(parseConditions('(plan eq "pro" or plan eq "free") and not (email pr)')).toEqual([
      { field: "plan", operator: "any", values: ["pro", "free"] },
      { field: "email", operator: "np", values: [] },
    ]);
    // The day after the last one is not in the range.
    expect(parseConditions('started ge "2026-02-27" and started lt "2026-03-01"')).toEqual([
      { field: "started", operator: "days", values: ["2026-02-27", "2026-02-28"] },
    ]);
    expect(parseConditions("LEVEL GE 3 AND LEVEL le 7 and LEVEL pr")).toEqual([
      { field: "LEVEL", operator: "range", values: [3, 7] },
      { field: "LEVEL", operator: "pr", values: [] },
    ]);
  });

  test("stay separate if they are no range", () => {
    const operators = (expression: string) => parseConditions(expression)?.map(({ operator }) => operator);
    expect(operators("level ge 3 and age le 7")).toEqual(["ge", "le"]);
    expect(operators("level ge 3 and level lt 7")).toEqual(["ge", "lt"]);
    expect(operators('level ge "a" and level le "b"')).toEqual(["ge", "le"]);
    expect(operators('started ge "2026-03-01" and started lt "2026-03-01"')).toEqual(["ge", "lt"]);
    expect(operators('started ge "2026-02-31" and started lt "2026-03-09"')).toEqual(["ge", "lt"]);
  });

  test.each([
    "level",
    "level is 3",
    "level eq 3 or level eq 4",
    "(level eq 3 or plan eq 4)",
    "(level eq 3 or level gt 4)",
    "(level eq 3)",
    "not (level eq 3)",
    "level eq 3 and",
    "level eq 1e999",
    "level eq null",
    'address.city eq "Oslo"',
    'phones[type eq "work"].value pr',
    'plan eq "pro',
    "and pr",
  ])("are not read from %s", (expression) => {
    expect(parseConditions(expression)).toBeUndefined();
    // The whole text stays as it is.
    expect(writeFilters(readFilters({ where: {}, filter: expression }))).toEqual({
      where: Object.create(null),
      filter: expression,
    });
  });

  test("are joined to an expression that is more than conditions, in parentheses", () => {
    const filters = { where: { level: ["3"] }, filter: "a pr or b pr" };
    const { conditions: found, expression } = readFilters(filters);
    expect(toExpression(filters)).toBe("level eq 3 and (a pr or b pr)");
    expect(
      writeFilters({
        conditions: [...found, { field: "plan", operator: "sw", values: ["p"] }],
        ...(expression !== undefined && { expression }),
      }).filter,
    ).toBe('(a pr or b pr) and plan sw "p"');
  });

  test("have days that exist", () => {
    expect(["2026-02-28", "2026-02-29", "2028-02-29", "2026-2-1", "2026-01-01T00:00Z", 3].map(isDay)).toEqual(
      [true, false, true, false, false, false],
    );
  });
});
