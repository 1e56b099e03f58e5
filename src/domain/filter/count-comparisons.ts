import type { Expression, Path } from "./expression.ts";

/** The number of comparisons of an expression, those in conditions included. */
export function countComparisons(expression: Expression): number {
  switch (expression.kind) {
    case "and":
    case "or":
      return sum(expression.operands.map(countComparisons));
    case "not":
      return countComparisons(expression.operand);
    case "present":
    case "compare":
      return 1 + countInPath(expression.path);
    case "element":
      return countInPath(expression.path);
    case "fits":
    case "same":
      return 1;
  }
}

function countInPath(path: Path): number {
  return sum(path.map(({ where }) => (where ? countComparisons(where) : 0)));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
