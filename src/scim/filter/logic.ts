import type { Expression } from "../../domain/filter/expression.ts";

/** An expression, or true or false for all records. */
export type Logic = Expression | boolean;

export function allOf(...parts: readonly Logic[]): Logic {
  return join("and", parts);
}

export function anyOf(...parts: readonly Logic[]): Logic {
  return join("or", parts);
}

export function not(part: Logic): Logic {
  if (typeof part === "boolean") return !part;
  return part.kind === "not" ? part.operand : { kind: "not", operand: part };
}

/** A part that is the same for all records decides, or says nothing. */
function join(kind: "and" | "or", parts: readonly Logic[]): Logic {
  const deciding = kind === "or";
  const operands: Expression[] = [];
  for (const part of parts) {
    if (part === deciding) return deciding;
    if (typeof part === "boolean") continue;
    if (part.kind === kind) operands.push(...part.operands);
    else operands.push(part);
  }
  const [only] = operands;
  if (only === undefined) return !deciding;
  return operands.length === 1 ? only : { kind, operands };
}
