import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  and,
  type Condition,
  type Field,
  type FieldOf,
  field,
  groups,
  not,
  or,
} from "../../src/client/filter.ts";
import type { ComparisonOperator, Expression, Literal, Path } from "../../src/domain/filter/expression.ts";
import { parseExpression } from "../../src/domain/filter/parse-expression.ts";
import { parseUserExpression } from "../../src/domain/lists/group-filters.ts";
import { arbitraryExpression } from "../support/filter/arbitraries.ts";

describe("the builder of filter expressions", () => {
  test("writes text that the service parses to the same expression", () => {
    fc.assert(
      fc.property(arbitraryExpression, (expression) => {
        const condition = build(expression);
        fc.pre(condition !== undefined);
        expect(parseExpression(String(condition))).toEqual(expression);
      }),
      { numRuns: 500 },
    );
  });

  test.each<[Condition, string]>([
    [field("level").ge(3), "level ge 3"],
    [field("address.city").eq('"Oslo"\n'), 'address.city eq "\\"Oslo\\"\\n"'],
    [field("address.post code").pr(), 'address."post code" pr'],
    [field(["odd", "a.b"]).co("x"), 'odd."a.b" co "x"'],
    [field("born").lt(new Date(0)), 'born lt "1970-01-01T00:00:00.000Z"'],
    [and(field("a").pr(), or(field("b").pr(), field("c").pr())), "a pr and (b pr or c pr)"],
    [or(and(field("a").pr(), field("b").pr()), field("c").pr()), "a pr and b pr or c pr"],
    [and(and(field("a").pr()), field("b").pr()), "a pr and b pr"],
    [not(field("a").ne(null)), "not (a ne null)"],
    [field("plan").in(["free", "pro"]), 'plan eq "free" or plan eq "pro"'],
    [and(field("plan").in(["a", "b"]), field("c").pr()), '(plan eq "a" or plan eq "b") and c pr'],
    [field("plan").in([]), "plan pr and not (plan pr)"],
    [field("phones").where(field("type").eq("work")), 'phones[type eq "work"]'],
    [
      field("phones")
        .where((phone) => or(phone("type").eq("work"), phone("main").eq(true)))
        .field("value.digits")
        .sw("47"),
      'phones[type eq "work" or main eq true].value.digits sw "47"',
    ],
  ])("%# writes the shortest text", (condition, text) => {
    expect(String(condition)).toBe(text);
    expect(JSON.stringify(condition)).toBe(JSON.stringify(text));
    expect(() => parseExpression(text)).not.toThrow();
  });

  test.each<[Condition<boolean>, string]>([
    [groups.eq(7), "groups eq 7"],
    [not(groups.pr()), "not (groups pr)"],
    [and(groups.ne(7), groups.name.ne("Sales")), 'groups ne 7 and groups.name ne "Sales"'],
    [
      and(and(field("level").ge(3), not(groups.name.eq("A"))), or(field("a").pr(), field("b").pr())),
      'level ge 3 and not (groups.name eq "A") and (a pr or b pr)',
    ],
    [
      and(field("team.groups").eq(1), field("phones").where(field("a").pr()).field("groups").pr()),
      "team.groups eq 1 and phones[a pr].groups pr",
    ],
  ])("%# compares groups where lists of users allow it", (condition, text) => {
    expect(String(condition)).toBe(text);
    expect(condition.comparesGroups).toBe(!text.startsWith("team"));
    expect(() => parseUserExpression(text)).not.toThrow();
  });

  test.each<[() => unknown, string]>([
    // @ts-expect-error not below or
    [() => or(field("a").pr(), groups.eq(7)), "a pr or groups eq 7"],
    // @ts-expect-error alone in not
    [() => not(and(groups.eq(7), field("a").pr())), "not (groups eq 7 and a pr)"],
    // @ts-expect-error once in not
    [() => not(not(groups.eq(7))), "not (not (groups eq 7))"],
    // @ts-expect-error not in brackets
    [() => field("phones").where(groups.eq(7)), "phones[groups eq 7]"],
    [() => field("phones").where((phone) => phone("groups").eq(7)), "phones[groups eq 7]"],
    [() => field("groups").gt(7), "groups gt 7"],
    [() => field(["groups", "name"]).sw("S"), 'groups.name sw "S"'],
  ])("%# throws a RangeError for a comparison of groups that the service refuses", (build, text) => {
    expect(build).toThrow(RangeError);
    expect(() => parseUserExpression(text)).toThrow();
  });

  test("rejects numbers that JSON does not have", () => {
    expect(() => groups.eq(Number.NaN)).toThrow(RangeError);
    for (const number of [Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => field("level").gt(number)).toThrow(RangeError);
    }
  });
});

/** Undefined for what the builder leaves out: comparisons that never match, and those of whole elements (`tags[x pr] eq 1`). */
function build(expression: Expression): Condition | undefined {
  switch (expression.kind) {
    case "and":
    case "or": {
      const [first, ...others] = expression.operands.map(build);
      if (!first || others.some((other) => other === undefined)) return undefined;
      const conditions = others.flatMap((other) => other ?? []);
      return expression.kind === "and" ? and(first, ...conditions) : or(first, ...conditions);
    }
    case "not": {
      const operand = build(expression.operand);
      return operand && not(operand);
    }
    case "present":
      return buildField(expression.path)?.pr();
    case "compare":
      return buildComparison(buildField(expression.path), expression.operator, expression.value);
    case "element": {
      const path = [...expression.path];
      const last = path.pop();
      const where = last?.where && build(last.where);
      return last && where && buildField([...path, { name: last.name }])?.where(where);
    }
  }
}

function buildComparison(
  compared: Field | undefined,
  operator: ComparisonOperator,
  value: Literal,
): Condition | undefined {
  if (operator === "eq" || operator === "ne") return compared?.[operator](value);
  if (typeof value === "string") return compared?.[operator](value);
  const isText = operator === "co" || operator === "sw" || operator === "ew";
  return typeof value === "number" && !isText ? compared?.[operator](value) : undefined;
}

function buildField(path: Path): Field | undefined {
  let of: FieldOf<unknown> = field;
  let names: string[] = [];
  for (const { name, where } of path) {
    names.push(name);
    if (!where) continue;
    const condition = build(where);
    if (!condition) return undefined;
    of = of(names).where(condition).field;
    names = [];
  }
  return names.length > 0 ? of(names) : undefined;
}
