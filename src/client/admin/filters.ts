import { and, type Condition, type Field, type FilterValue, field, not } from "../filter.ts";

/** What a framework asks for, in the words of its own operators. */
export interface Comparison {
  /** Names with dots between them. */
  readonly path: string;
  readonly operator: ComparisonName;
  readonly negated?: boolean;
  readonly value: unknown;
}

export type ComparisonName = keyof typeof comparisons;

const comparisons = {
  /** Equal to the value, or to one of several values. */
  eq: (compared: Field, value: unknown) =>
    Array.isArray(value) ? compared.in(value.map(toValue)) : compared.eq(toValue(value)),
  gt: (compared: Field, value: unknown) => compared.gt(toOrdered(value)),
  ge: (compared: Field, value: unknown) => compared.ge(toOrdered(value)),
  lt: (compared: Field, value: unknown) => compared.lt(toOrdered(value)),
  le: (compared: Field, value: unknown) => compared.le(toOrdered(value)),
  co: (compared: Field, value: unknown) => compared.co(String(value)),
  sw: (compared: Field, value: unknown) => compared.sw(String(value)),
  ew: (compared: Field, value: unknown) => compared.ew(String(value)),
  /** An array with each of the values. */
  all: (compared: Field, value: unknown) => all(toList(value).map((item) => compared.eq(toValue(item)))),
  /** From the first to the second value. An empty value is no limit. */
  between: (compared: Field, value: unknown) => {
    const [low, high] = toList(value);
    return all([
      isEmpty(low) ? undefined : compared.ge(toOrdered(low)),
      isEmpty(high) ? undefined : compared.le(toOrdered(high)),
    ]);
  },
  null: (compared: Field) => compared.eq(null),
};

/** Undefined for a comparison that every user meets. */
export function toCondition({ path, operator, negated, value }: Comparison): Condition | undefined {
  const condition = comparisons[operator](field(path), value);
  return negated && condition ? not(condition) : condition;
}

/** All of the conditions. Undefined if there are none. */
export function all(conditions: readonly (Condition | undefined)[]): Condition | undefined {
  const [first, ...others] = conditions.flatMap((condition) => condition ?? []);
  return first && and(first, ...others);
}

export function isEmpty(value: unknown): boolean {
  return value === undefined || value === "";
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function toValue(value: unknown): FilterValue {
  return value === null || typeof value === "boolean" ? value : toOrdered(value);
}

function toOrdered(value: unknown): string | number | Date {
  if (typeof value === "string" || typeof value === "number" || value instanceof Date) return value;
  throw new TypeError("Filter by text, numbers, dates, true, false or null.");
}
