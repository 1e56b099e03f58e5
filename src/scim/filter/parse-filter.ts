import type { GroupColumn } from "../../contract/groups/group-fields.ts";
import { filterLimits } from "../../contract/listing.ts";
import type { ColumnField } from "../../contract/users/user-fields.ts";
import { countComparisons } from "../../domain/filter/count-comparisons.ts";
import type { Expression } from "../../domain/filter/expression.ts";
import { FilterSyntaxError } from "../../domain/filter/filter-syntax-error.ts";
import { type ParsedExpression, parse } from "../../domain/filter/parse-expression.ts";
import { takeMemberships } from "../../domain/lists/group-filters.ts";
import type { Filter } from "../../domain/lists/listing.ts";
import { isStandInName } from "../../domain/users/stand-in-name.ts";
import { splitUrn } from "../attribute-path.ts";
import { groupKind, type ResourceKind, userKind } from "../attributes.ts";
import { ScimError } from "../scim-error.ts";
import { Rewriter } from "./rewriter.ts";
import { typedValue } from "./typed-value.ts";

/** A filter of SCIM, as lists of records have it. */
export interface ScimFilter<Column extends string> {
  readonly filters: readonly Filter<Column>[];
  readonly expression: Expression | undefined;
}

export interface ScimUserFilter extends ScimFilter<ColumnField> {
  /** Set if the whole filter is `userName eq "…"`: the user name finds the user. */
  readonly userName?: string;
}

/** Fails with `invalidFilter`. */
export function parseUserFilter(text: string): ScimUserFilter {
  return withPosition(() => {
    const { parsed, rewriter } = parseText(userKind, text);
    const userName = findUserName(parsed, rewriter);
    return { ...rewrite(parsed, rewriter), ...(userName !== undefined && { userName }) };
  });
}

/** Fails with `invalidFilter`. */
export function parseGroupFilter(text: string): ScimFilter<GroupColumn> {
  return withPosition(() => {
    const { parsed, rewriter } = parseText(groupKind, text);
    return rewrite(parsed, rewriter);
  });
}

/** One attribute can be several fields: so many times more comparisons may a filter become. */
const MAX_GROWTH = 4;
const MAX_COMPARISONS = MAX_GROWTH * filterLimits.comparisons;

function parseText(kind: ResourceKind, text: string): { parsed: ParsedExpression; rewriter: Rewriter } {
  const parsed = parse(text, { bareWords: true, splitUrn: (name) => splitUrn(kind, name) });
  return { parsed, rewriter: new Rewriter(kind, parsed.comparisons) };
}

function rewrite({ expression }: ParsedExpression, rewriter: Rewriter): ScimFilter<"id"> {
  const logic = rewriter.rewrite(expression);
  if (typeof logic === "boolean") return toConstant(logic);
  const { memberships, rest } = takeMemberships(logic, usedIn(logic, rewriter.memberships));
  const id = rest && findId(rest);
  if (id !== undefined) return { filters: [...memberships, selectId([id])], expression: undefined };
  if (rest && countComparisons(rest) > MAX_COMPARISONS) {
    throw new ScimError(
      "invalidFilter",
      "filter: Send fewer comparisons. Some attributes are compared in several fields.",
    );
  }
  return { filters: memberships, expression: rest };
}

function toConstant(matchesAll: boolean): ScimFilter<"id"> {
  return { filters: matchesAll ? [] : [selectId([])], expression: undefined };
}

/** Only the rows with one of these ids. */
function selectId(values: readonly number[]): Filter<"id"> {
  return { kind: "column", field: "id", values };
}

/** The id, if it is all that the expression compares. */
function findId(expression: Expression): number | undefined {
  if (expression.kind !== "compare" || expression.operator !== "eq" || expression.path.length > 1)
    return undefined;
  const { path, value } = expression;
  return path[0]?.name === "id" && typeof value === "number" ? value : undefined;
}

/** Those memberships that are in the expression: others say nothing about which records match. */
function usedIn<Found>(
  expression: Expression,
  memberships: ReadonlyMap<Expression, Found>,
): ReadonlyMap<Expression, Found> {
  const used = new Map<Expression, Found>();
  const visit = (part: Expression): void => {
    const found = memberships.get(part);
    if (found) used.set(part, found);
    if (part.kind === "not") visit(part.operand);
    if (part.kind === "and" || part.kind === "or") part.operands.forEach(visit);
  };
  visit(expression);
  return used;
}

/** The user name, if the filter is `userName eq "…"` and no more. A stand-in is not stored: its id finds the user. */
function findUserName({ expression, comparisons }: ParsedExpression, rewriter: Rewriter): string | undefined {
  const place = comparisons.get(expression);
  if (expression.kind !== "compare" || expression.operator !== "eq" || !place) return undefined;
  const attribute = rewriter.attributeOf(expression);
  const name = attribute?.name === "userName" ? typedValue(attribute, expression, place) : null;
  return typeof name === "string" && !isStandInName(name) ? name : undefined;
}

function withPosition<Result>(parseText: () => Result): Result {
  try {
    return parseText();
  } catch (error) {
    if (!(error instanceof FilterSyntaxError)) throw error;
    throw new ScimError("invalidFilter", `filter: ${error.message}`);
  }
}
