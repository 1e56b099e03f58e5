import type { Expression, Path, Step } from "./expression.ts";
import { isName } from "./scanner.ts";

/**
 * The text of an expression, with as few parentheses as possible. `parseExpression` returns the expression, if a text can say it
 * (`ComparisonOptions`).
 */
export function formatExpression(expression: Expression): string {
  switch (expression.kind) {
    case "or":
      return expression.operands.map(formatExpression).join(" or ");
    case "and":
      return expression.operands.map(formatOperandOfAnd).join(" and ");
    case "not":
      return `not (${formatExpression(expression.operand)})`;
    case "present":
      return `${formatPath(expression.path)} pr`;
    case "element":
      return formatPath(expression.path);
    case "fits":
      return `${formatPath([{ name: expression.field }])} has the right type`;
    case "same":
      return `${formatPath([{ name: expression.member }])} is the ${expression.field}`;
    case "compare": {
      const { path, operator, value } = expression;
      return `${formatPath(path)} ${operator} ${JSON.stringify(value)}`;
    }
  }
}

function formatOperandOfAnd(operand: Expression): string {
  const text = formatExpression(operand);
  return operand.kind === "or" ? `(${text})` : text;
}

function formatPath(path: Path): string {
  return path.map(formatStep).join(".");
}

function formatStep({ name, where }: Step): string {
  const text = isName(name) ? name : JSON.stringify(name);
  return where ? `${text}[${formatExpression(where)}]` : text;
}
