/** Plain data, so that it can be sent to another thread. Fields and nested values are reached by a path. */
export type Expression =
  | { readonly kind: "and" | "or"; readonly operands: readonly Expression[] }
  | { readonly kind: "not"; readonly operand: Expression }
  | {
      readonly kind: "compare";
      readonly path: Path;
      readonly operator: ComparisonOperator;
      readonly value: Literal;
    }
  | { readonly kind: "present"; readonly path: Path }
  /** `phones[type eq "work"]`: the last step has a condition, and some element meets it. */
  | { readonly kind: "element"; readonly path: Path };

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
