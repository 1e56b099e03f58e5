import type { Expression, Literal } from "../filter/expression.ts";
import { comparesGroups, type Place, parse } from "../filter/parse-expression.ts";
import { foldEmail } from "../fold.ts";
import type { MembershipFilter } from "./listing.ts";

/** The filter expression of a list of users: what it says about their groups, and the rest of it. */
export interface UserExpression {
  readonly groups: readonly MembershipFilter[];
  readonly expression: Expression | undefined;
}

const FORMS =
  'groups eq 7, groups.name eq "Sales" or groups pr, also in not (…), joined by and with the rest';

/**
 * Parses the filter expression of a list of users. Throws a `FilterSyntaxError`, also if it compares groups in a place or in a way in
 * which an index could not find the users.
 */
export function parseUserExpression(text: string): UserExpression {
  const { expression, comparisons } = parse(text);
  const groups = new Map([...comparisons].filter(([comparison]) => comparesGroups(comparison)));
  if (groups.size === 0) return { groups: [], expression };
  const found: MembershipFilter[] = [];
  const rest: Expression[] = [];
  const left = new Map(groups);
  for (const operand of expression.kind === "and" ? expression.operands : [expression]) {
    const isNegated = operand.kind === "not";
    const leaf = isNegated ? operand.operand : operand;
    const filter = left.delete(leaf) ? toFilter(leaf, isNegated, groups) : undefined;
    if (filter) found.push({ ...filter, source: operand });
    else rest.push(operand);
  }
  for (const { errorOf } of left.values()) throw errorOf(FORMS);
  const [only] = rest;
  return {
    groups: found,
    expression: rest.length > 1 ? { kind: "and", operands: rest } : only,
  };
}

function toFilter(
  leaf: Expression,
  isNegated: boolean,
  groups: ReadonlyMap<Expression, Place>,
): MembershipFilter {
  const { kind } = leaf;
  if (kind === "present" && isPath(leaf.path, [])) {
    return { kind: "membership", by: "any", values: [], negated: isNegated };
  }
  if (kind === "compare" && (leaf.operator === "eq" || leaf.operator === "ne") && isIdOrName(leaf.value)) {
    const { path, operator, value } = leaf;
    const negated = isNegated !== (operator === "ne");
    if (isPath(path, [])) {
      const values = typeof value === "number" && Number.isSafeInteger(value) ? [value] : [];
      return { kind: "membership", by: "id", values, negated };
    }
    if (isPath(path, ["name"])) {
      const values = typeof value === "string" ? [foldEmail(value.trim())] : [];
      return { kind: "membership", by: "name", values, negated };
    }
  }
  throw groups.get(leaf)?.errorOf(FORMS) ?? new Error("A comparison of groups has no place in the text.");
}

/** A text never matches an id, nor a number a name. Groups are never true, false or null. */
function isIdOrName(value: Literal): value is number | string {
  return typeof value === "number" || typeof value === "string";
}

/** Whether a path is `groups` and these names, without conditions in brackets. */
function isPath(
  [first, ...steps]: readonly { name: string; where?: Expression }[],
  names: readonly string[],
): boolean {
  return (
    first?.where === undefined &&
    steps.length === names.length &&
    steps.every(({ name, where }, index) => name === names[index] && where === undefined)
  );
}
