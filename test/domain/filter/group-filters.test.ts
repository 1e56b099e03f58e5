import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { FilterSyntaxError } from "../../../src/domain/filter/filter-syntax-error.ts";
import { formatExpression } from "../../../src/domain/filter/format-expression.ts";
import { parseExpression, parseRecordExpression } from "../../../src/domain/filter/parse-expression.ts";
import { parseUserExpression } from "../../../src/domain/lists/group-filters.ts";
import type { MembershipFilter } from "../../../src/domain/lists/listing.ts";
import { arbitraryExpression } from "../../support/filter/arbitraries.ts";

const byId = (values: readonly number[], negated: boolean) =>
  ({ kind: "membership", by: "id", values, negated }) as const;

describe("a filter of users", () => {
  test.each<[text: string, groups: readonly MembershipFilter[], rest: string | undefined]>([
    ["groups eq 7", [byId([7], false)], undefined],
    ["groups ne 7", [byId([7], true)], undefined],
    ["not (groups eq 7)", [byId([7], true)], undefined],
    ["not (groups ne 7)", [byId([7], false)], undefined],
    ["(groups eq 7)", [byId([7], false)], undefined],
    ['groups eq "7"', [byId([], false)], undefined],
    ["groups eq 7.5", [byId([], false)], undefined],
    ["groups pr", [{ kind: "membership", by: "any", values: [], negated: false }], undefined],
    ["not (groups pr)", [{ kind: "membership", by: "any", values: [], negated: true }], undefined],
    [
      'groups.name eq " SALES\u00c9 "',
      [{ kind: "membership", by: "name", values: ["sales\u00e9"], negated: false }],
      undefined,
    ],
    ["groups.name eq 7", [{ kind: "membership", by: "name", values: [], negated: false }], undefined],
    ["groups eq 7 and level ge 3", [byId([7], false)], "level ge 3"],
    [
      "groups eq 7 and (level ge 3 or plan pr) and not (groups eq 8)",
      [byId([7], false), byId([8], true)],
      "level ge 3 or plan pr",
    ],
    [
      "(groups eq 7 and groups eq 8) and level ge 3 and plan pr",
      [byId([7], false), byId([8], false)],
      "level ge 3 and plan pr",
    ],
    // Below another field, groups is a name like any other.
    ["profile.groups eq 7", [], "profile.groups eq 7"],
    ["Groups eq 7", [], "Groups eq 7"],
  ])("asks for groups: %s", (text, groups, rest) => {
    const { expression, groups: found } = parseUserExpression(text);
    expect(found.map(({ source, ...filter }) => filter)).toEqual([...groups]);
    for (const { source } of found) expect(text).toContain(source ? formatExpression(source) : "no source");
    expect(expression).toEqual(rest === undefined ? undefined : parseExpression(rest));
  });

  test.each([
    ["groups eq 7 or level ge 3", 1],
    ["level ge 3 or groups eq 7", 15],
    ["level ge 3 and (plan pr or groups eq 7)", 28],
    ["not (groups eq 7 and level ge 3)", 6],
    ["not (groups eq 7 or groups eq 8)", 6],
    ["not (not (groups eq 7))", 11],
    ["groups gt 7", 1],
    ["groups eq null", 1],
    ["level ge 3 and groups ne true", 16],
    ["groups.name eq false", 1],
    ['groups co "7"', 1],
    ["groups.id eq 7", 1],
    ['groups.name sw "Sal"', 1],
    ["groups.name pr", 1],
    ["groups.name.first eq 7", 1],
    ["groups[id eq 7]", 1],
    ['groups[name eq "Sales"].id eq 7', 1],
    ["phones[groups eq 7]", 8],
    ['"groups" gt 7', 1],
    ["groups eq 7 and groups gt 8", 17],
  ])("cannot compare groups in another way or place: %s", (text, position) => {
    expect(positionOf(() => parseUserExpression(text))).toBe(position);
  });

  test("is parsed as ever if it does not name groups", () => {
    fc.assert(
      fc.property(arbitraryExpression, (expression) => {
        const text = formatExpression(expression);
        fc.pre(!text.includes("groups"));
        expect(parseUserExpression(text)).toEqual({ groups: [], expression: parseExpression(text) });
      }),
    );
  });
});

test.each([
  ["groups eq 7", 1],
  ["level ge 3 and not (groups pr)", 21],
  ['groups.name eq "Sales"', 1],
])("a filter of single records cannot compare groups: %s", (text, position) => {
  expect(positionOf(() => parseRecordExpression(text))).toBe(position);
  // Filters that were stored before keep their meaning.
  expect(parseExpression(text)).toBeDefined();
});

/** The position of the syntax error that parsing fails with. */
function positionOf(parse: () => unknown): number | undefined {
  try {
    parse();
  } catch (error) {
    if (error instanceof FilterSyntaxError) return error.position;
    throw error;
  }
  return undefined;
}
