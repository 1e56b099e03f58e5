import { compileTest } from "../../domain/filter/compile-test.ts";
import type { ComparisonOperator, ComparisonOptions, Literal, Path } from "../../domain/filter/expression.ts";
import { foldCase } from "../../domain/fold.ts";
import { type Logic, not } from "./logic.ts";
import type { ComparedValue } from "./typed-value.ts";

/** A test of a value that is there, or of whether it is. */
export type ValueTest =
  | "present"
  | { readonly operator: Exclude<ComparisonOperator, "ne">; readonly value: Exclude<Literal, null> };

/** What an attribute means in records: the condition that its value passes a test. Without a value, it passes none. */
export type Term = (test: ValueTest) => Logic;

/** A comparison of the value. Null stands for no value. */
export function compare(term: Term, { operator, value }: ComparedValue): Logic {
  if (operator === "ne") return not(compare(term, { operator: "eq", value }));
  if (value === null) return operator === "eq" && not(term("present"));
  return term({ operator, value });
}

/** A comparison that no list can be filtered by. */
export class Unfilterable extends Error {
  constructor(readonly expected: string) {
    super(expected);
  }
}

/** An attribute that no resource has. */
export const absent: Term = () => false;

/** An attribute that has the same value in all resources. */
export function always(value: string | boolean): Term {
  return (test) =>
    test === "present" ? value !== "" : compileTest(test.operator, test.value, () => foldCase)(value);
}

/** Text in a field that is always text, if there is any. */
export function textAt(path: Path, options: ComparisonOptions = {}): Term {
  return (test) =>
    test === "present"
      ? { kind: "compare", path, operator: "gt", value: "", ...options }
      : { kind: "compare", path, ...test, ...options };
}

/** A value that can have any type: all its elements, if it is an array. */
export function valueAt(path: Path): Term {
  return (test) => (test === "present" ? { kind: "present", path } : { kind: "compare", path, ...test });
}

/** A number that is shown after a prefix. */
export function numberAt(name: string, prefix: string, options: ComparisonOptions = {}): Term {
  return (test) => {
    if (test === "present") return true;
    const { operator, value } = test;
    if (typeof value !== "string") return false;
    if (operator === "eq") {
      const number = numberAfter(prefix, value);
      return number !== undefined && { kind: "compare", path: [{ name }], operator, value: number };
    }
    return { kind: "compare", path: [{ name }], operator, value, prefix, ...options };
  };
}

/** The number of a text that is a prefix and a number, as they are shown. */
export function numberAfter(prefix: string, text: string): number | undefined {
  const digits = text.startsWith(prefix) ? text.slice(prefix.length) : "";
  const number = /^[1-9]\d{0,15}$/.test(digits) ? Number(digits) : undefined;
  return Number.isSafeInteger(number) ? number : undefined;
}
