import type { Expression, Literal } from "../filter/expression.ts";
import { comparesGroups, parse } from "../filter/parse-expression.ts";
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
  const memberships = new Map<Expression, MembershipComparison>();
  for (const [comparison, { errorOf }] of comparisons)
    if (comparesGroups(comparison))
      memberships.set(comparison, { filter: toFilter(comparison), error: () => errorOf(FORMS) });
  const { memberships: groups, rest } = takeMemberships(expression, memberships);
  return { groups, expression: rest };
}

/** A comparison of memberships. */
export interface MembershipComparison {
  /** The filter that it is. Undefined if it is none. */
  readonly filter: MembershipFilter | undefined;
  /** The error of a comparison that is no filter, or not where a filter can be. */
  readonly error: () => Error;
}

/**
 * Takes the filters by memberships out of an expression: its comparisons in the map, which have to be joined by `and` with the rest,
 * each also in `not (…)`. Throws the error of one that is elsewhere.
 */
export function takeMemberships(
  expression: Expression,
  memberships: ReadonlyMap<Expression, MembershipComparison>,
): { memberships: readonly MembershipFilter[]; rest: Expression | undefined } {
  if (memberships.size === 0) return { memberships: [], rest: expression };
  const found: MembershipFilter[] = [];
  const rest: Expression[] = [];
  const left = new Map(memberships);
  for (const operand of expression.kind === "and" ? expression.operands : [expression]) {
    const isNegated = operand.kind === "not";
    const leaf = isNegated ? operand.operand : operand;
    const filter = left.get(leaf)?.filter;
    if (!filter) rest.push(operand);
    else {
      left.delete(leaf);
      found.push({ ...filter, negated: isNegated !== (filter.negated ?? false), source: operand });
    }
  }
  for (const { error } of left.values()) throw error();
  const [only] = rest;
  return { memberships: found, rest: rest.length > 1 ? { kind: "and", operands: rest } : only };
}

function toFilter(comparison: Expression): MembershipFilter | undefined {
  const { kind } = comparison;
  if (kind === "present" && isPath(comparison.path, [])) return { kind: "membership", by: "any", values: [] };
  if (kind !== "compare") return undefined;
  const { path, operator, value } = comparison;
  if ((operator !== "eq" && operator !== "ne") || !isIdOrName(value)) return undefined;
  const negated = operator === "ne";
  if (isPath(path, [])) {
    const values = typeof value === "number" && Number.isSafeInteger(value) ? [value] : [];
    return { kind: "membership", by: "id", values, negated };
  }
  if (isPath(path, ["name"])) {
    const values = typeof value === "string" ? [foldEmail(value.trim())] : [];
    return { kind: "membership", by: "name", values, negated };
  }
  return undefined;
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
