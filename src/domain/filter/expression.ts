import type { Shape } from "./shape.ts";

/** Plain data, so that it can be sent to another thread. Fields and nested values are reached by a path. */
export type Expression =
  | { readonly kind: "and" | "or"; readonly operands: readonly Expression[] }
  | { readonly kind: "not"; readonly operand: Expression }
  | ({
      readonly kind: "compare";
      readonly path: Path;
      readonly operator: ComparisonOperator;
      readonly value: Literal;
    } & ComparisonOptions)
  | { readonly kind: "present"; readonly path: Path }
  /** `phones[type eq "work"]`: the last step has a condition, and some element meets it. */
  | { readonly kind: "element"; readonly path: Path }
  /** The field of a record has a value of this shape. No text of a filter says so. */
  | { readonly kind: "fits"; readonly field: string; readonly shape: Shape }
  /** A member of an element is the same text as a field of the record, compared as in this field. No text of a filter says so. */
  | { readonly kind: "same"; readonly member: string; readonly field: string };

/** What no text of a filter says: other faces of a record need it, whose filters are rewritten to expressions. */
export interface ComparisonOptions {
  /** Texts are compared character by character, also texts that are dates. */
  readonly exact?: true;
  /** An array counts as absent: its elements are not compared. Steps have no conditions. */
  readonly direct?: true;
  /** In a condition: the path starts at the record, not at the element. Steps have no conditions. */
  readonly ofRecord?: true;
  /** A number is compared as text that follows this prefix: 7 as `user-7`. */
  readonly prefix?: string;
}

/** A comparison of the values at a path. */
export type Comparison = Extract<Expression, { kind: "compare" }>;

export const comparisonOperators = ["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"] as const;

export type ComparisonOperator = (typeof comparisonOperators)[number];

export type Literal = string | number | boolean | null;

/** The steps from the user to a value, at least one. A step that meets an array goes on with each element. */
export type Path = readonly Step[];

export interface Step {
  readonly name: string;
  /** Only elements that meet this condition. */
  readonly where?: Expression;
}
