import type { ComparisonOperator } from "../../../domain/filter/expression.ts";

/** Integers from `low` to `high`, both included. Empty if `low` is greater. */
export interface IntegerRange {
  readonly low: number;
  readonly high: number;
}

const { MAX_SAFE_INTEGER: MAX, MIN_SAFE_INTEGER: MIN } = Number;

/** The integers that compare so with a number; undefined for an operator that does not select a range. */
export function integerRange(operator: ComparisonOperator, value: number): IntegerRange | undefined {
  switch (operator) {
    case "eq":
      return clamp(Math.ceil(value), Math.floor(value));
    case "gt":
      return clamp(Math.floor(value) + 1, MAX);
    case "ge":
      return clamp(Math.ceil(value), MAX);
    case "lt":
      return clamp(MIN, Math.ceil(value) - 1);
    case "le":
      return clamp(MIN, Math.floor(value));
    default:
      return undefined;
  }
}

export function intersect(a: IntegerRange, b: IntegerRange): IntegerRange {
  return { low: Math.max(a.low, b.low), high: Math.min(a.high, b.high) };
}

/** A bound beyond the integers of a column leaves the range empty, or does not restrict it. */
function clamp(low: number, high: number): IntegerRange {
  return low > MAX || high < MIN || low > high
    ? { low: 1, high: 0 }
    : { low: Math.max(low, MIN), high: Math.min(high, MAX) };
}
