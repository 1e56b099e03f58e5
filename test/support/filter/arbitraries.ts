import fc from "fast-check";
import type { Json } from "../../../src/contract/json.ts";
import { filterLimits } from "../../../src/contract/listing.ts";
import type { UserRecord } from "../../../src/contract/users/user.ts";
import {
  type Comparison,
  comparisonOperators,
  type Expression,
  type Literal,
  type Path,
  type Step,
} from "../../../src/domain/filter/expression.ts";
import type { Shape } from "../../../src/domain/filter/shape.ts";
import { foldEmail } from "../../../src/domain/fold.ts";

const numbers = [0, 1, 2, 3, -1, 1.5, 1e-7, Number.MAX_SAFE_INTEGER, -1e10];
const words = ["", "a", "Sales", "sales", "SALES EMEA", "Straße", "STRASSE", "Å", "A\u030a", "ΟΔΟΣ", "οδος"];
const longTexts = ["A", "b", "😀", ""].map((end) => `${"long".repeat(63)}xyz${end}`);
const dates = [
  "2024-01-31",
  "2024-01-31T00:00:00Z",
  "2024-01-31t01:00:00.0019+01:00",
  "2024-01-30T23:00:00.001-01:00",
  "2024-01-31T00:00:00.0015z",
  "2024-01-31 00:00:00Z",
  "2024-02-30",
  "1970-01-01",
];
const emails = [
  "ada@example.com",
  "ADA@example.com",
  "straße@example.com",
  "STRASSE@example.com",
  "ı@example.com",
];
/** `foldCase` and `foldEmail` differ in most of them. None is an email above. */
const userNames = [
  "ada",
  "ADA",
  "straße",
  "STRASSE",
  "ı",
  "İ",
  "i",
  "ΟΔΟΣ",
  "οδοσ",
  "Å",
  "A\u030a",
  "ﬁ",
  "FI",
  "2024-01-31",
];
const names = ["Ada", "ada", "Ångström", "Straße", "STRASSE", "José", "Jose", "Łukasz"];

/** Typical values by the name of the field. They are few, so that random expressions match random records often. */
const typicalValues: Readonly<Record<string, readonly Literal[]>> = {
  name: names,
  email: emails,
  userName: userNames,
  level: numbers,
  department: words,
  tags: words,
  since: dates,
  createdAt: dates,
  type: ["work", "Work", "home", null],
  value: longTexts,
  city: ["😀", "\uffff", "\ue000", "a😀", "Oslo", "OSLO"],
};
const rareValues = ["3", "true", "null", "İ", "ı", "i", true, false, null, ...words, ...dates, ...numbers];
const topNames = ["level", "department", "tags", "since", "address", "phones", "$x-y_z"];
const innerNames = [
  "type",
  "value",
  "city",
  "level",
  "tags",
  "email",
  "post code",
  "a.b",
  "~",
  "é",
  "",
  "toString",
];

const anyLiteral: fc.Arbitrary<Literal> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<Literal>(...rareValues) },
  fc.string({ unit: "grapheme", maxLength: 8 }).filter((text) => !text.includes("\u0000")),
  // Adding 0 makes 0 of -0, which JSON does not keep apart.
  fc.double({ noNaN: true, min: -1e15, max: 1e15 }).map((number) => number + 0),
);

function arbitraryLiteral(name: string): fc.Arbitrary<Literal> {
  const typical = typicalValues[name];
  if (!Object.hasOwn(typicalValues, name) || !typical) return anyLiteral;
  return fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...typical) }, anyLiteral);
}

/** A value of the field: a scalar, an array, or an object with inner fields, `levels` deep. */
function arbitraryValue(name: string, levels: number): fc.Arbitrary<Json> {
  if (levels === 0) return arbitraryLiteral(name);
  const members = innerNames.map((inner) => [inner, arbitraryValue(inner, levels - 1)] as const);
  const object = fc.record<Record<string, Json>>(Object.fromEntries(members), {
    requiredKeys: [],
    noNullPrototype: true,
  });
  const typical: fc.Arbitrary<Json> =
    name === "address" || name === "phones" ? object : arbitraryLiteral(name);
  return fc.oneof(
    { weight: 4, arbitrary: typical },
    { weight: 2, arbitrary: fc.array(typical, { maxLength: 3 }) },
    fc.array(arbitraryValue(name, levels - 1), { maxLength: 3 }),
    object,
  );
}

/** Records that every engine accepts: nested objects and arrays, mixed types, missing fields. */
export const arbitraryRecord: fc.Arbitrary<UserRecord> = fc
  .record({
    name: fc.constantFrom(...names),
    email: fc.option(fc.constantFrom(...emails), { nil: undefined, freq: 3 }),
    userName: fc.option(fc.constantFrom(...userNames), { nil: undefined, freq: 3 }),
    fields: fc.record<Record<string, Json>>(
      Object.fromEntries([...topNames, "toString"].map((name) => [name, arbitraryValue(name, 2)])),
      { requiredKeys: [], noNullPrototype: true },
    ),
  })
  .map(({ name, email, userName, fields }) => ({
    name,
    ...(email !== undefined && { email }),
    ...(userName !== undefined && { userName }),
    ...fields,
  }));

/** Comparisons, and up to two levels of parentheses around them. Paths start with one of the names. */
function arbitraryExpressions(
  names: readonly string[],
  condition?: fc.Arbitrary<Expression>,
): fc.Arbitrary<Expression> {
  const step = (chosen: readonly string[]): fc.Arbitrary<Step> => {
    const plain = fc.constantFrom(...chosen).map((name) => ({ name }));
    if (!condition) return plain;
    const withCondition = fc.record({ name: fc.constantFrom(...chosen), where: condition });
    return fc.oneof({ weight: 5, arbitrary: plain }, withCondition);
  };
  const path: fc.Arbitrary<Path> = fc
    .tuple(step(names), fc.array(step(innerNames), { maxLength: 2 }))
    .map(([first, rest]) => [first, ...rest]);
  const kind = <Kind extends Expression["kind"]>(chosen: Kind) => fc.constant(chosen);
  const comparison = path.chain((steps) =>
    fc.record({
      kind: kind("compare"),
      path: fc.constant(steps),
      operator: fc.constantFrom(...comparisonOperators),
      value: arbitraryLiteral(steps.at(-1)?.name ?? ""),
    }),
  );
  const { expression } = fc.letrec<{ expression: Expression }>((tie) => {
    const operands = fc.array(tie("expression"), { minLength: 2, maxLength: 3 });
    return {
      expression: fc.oneof(
        { maxDepth: 2 },
        { weight: 6, arbitrary: comparison },
        { weight: 2, arbitrary: fc.record({ kind: kind("present"), path }) },
        ...(condition
          ? [fc.tuple(path, condition).map(([steps, where]) => selectElements(steps, where))]
          : []),
        operands.map((chosen) => chain("and", chosen)),
        operands.map((chosen) => chain("or", chosen)),
        fc.record({ kind: kind("not"), operand: tie("expression") }),
      ),
    };
  });
  return expression;
}

const conditions = arbitraryExpressions(innerNames, arbitraryExpressions(innerNames));

/** Expressions as the parser returns them, within its limits. */
export const arbitraryExpression: fc.Arbitrary<Expression> = arbitraryExpressions(
  [
    ...topNames,
    ...topNames,
    "name",
    "email",
    "userName",
    "userName",
    "id",
    "version",
    "createdAt",
    "updatedAt",
    "not",
    "toString",
  ],
  conditions,
).filter((expression) => countComparisons(expression) <= filterLimits.comparisons);

/** Expressions with what no text says, such as those that filters of other faces are rewritten to. */
export const arbitraryRewritten: fc.Arbitrary<Expression> = fc
  .tuple(arbitraryExpression, fc.array(fc.nat(9), { minLength: 50, maxLength: 50 }))
  .map(([expression, choices]) => rewrite(expression, choices.values(), true));

/** Each comparison takes the next choice. */
function rewrite(expression: Expression, choices: Iterator<number>, ofRecord: boolean): Expression {
  switch (expression.kind) {
    case "and":
    case "or":
      return {
        ...expression,
        operands: expression.operands.map((operand) => rewrite(operand, choices, ofRecord)),
      };
    case "not":
      return { kind: "not", operand: rewrite(expression.operand, choices, ofRecord) };
    case "fits":
    case "same":
      return expression;
    case "present": {
      const name = expression.path[0]?.name ?? "";
      const choice = choices.next().value ?? 0;
      const shape = shapes[choice % (2 * shapes.length)];
      if (ofRecord) return shape ? { kind: "fits", field: name, shape } : expression;
      return choice % 2 === 0 ? { kind: "same", member: name, field: "department" } : expression;
    }
    case "element":
      return { kind: "element", path: rewritePath(expression.path, choices) };
    case "compare":
      return rewriteComparison({ ...expression, path: rewritePath(expression.path, choices) }, choices);
  }
}

function rewritePath(path: Path, choices: Iterator<number>): Path {
  return path.map(({ name, where }) => (where ? { name, where: rewrite(where, choices, false) } : { name }));
}

const shapes: readonly Shape[] = [
  { members: { type: "string", value: "string" } },
  { members: { type: "string" }, required: "type", isClosed: true },
  { each: { members: { type: "string", level: "boolean" } } },
  {
    each: { members: { value: "string" }, required: "value" },
    once: { members: { type: "string" }, isClosed: true },
    uniquelyTrue: "level",
  },
];

function rewriteComparison(comparison: Comparison, choices: Iterator<number>): Comparison {
  const choice = choices.next().value ?? 0;
  const path = comparison.path.map(({ name }) => ({ name }));
  switch (choice) {
    case 0:
      return { ...comparison, exact: true };
    case 1:
      return { ...comparison, path, direct: true };
    case 2:
      return { ...comparison, path: path.slice(0, 1), direct: true, exact: true };
    case 3:
      return { ...comparison, path: [{ name: "email" }], ofRecord: true };
    case 4:
      return { ...comparison, path: [{ name: "level" }], ofRecord: true, direct: true };
    case 5:
      return { ...comparison, path: [{ name: "id" }], value: "user-1", prefix: "user-" };
    case 6:
      return { ...comparison, path: path.slice(0, 1), direct: true };
    default:
      return comparison;
  }
}

/** The email and the user name of a user, if no other user has them. Adds them to what is taken. */
export function takeUnique(
  { email, userName }: { readonly email?: unknown; readonly userName?: unknown },
  taken: Set<string>,
): { email?: string; userName?: string } {
  const isFree = (field: string, value: unknown): value is string => {
    if (typeof value !== "string" || taken.has(`${field} ${foldEmail(value)}`)) return false;
    taken.add(`${field} ${foldEmail(value)}`);
    return true;
  };
  return { ...(isFree("email", email) && { email }), ...(isFree("userName", userName) && { userName }) };
}

/** The parser makes one chain of `a and (b and c)`. */
function chain(kind: "and" | "or", operands: readonly Expression[]): Expression {
  return {
    kind,
    operands: operands.flatMap((operand) => (operand.kind === kind ? operand.operands : [operand])),
  };
}

function selectElements(path: Path, where: Expression): Expression {
  return { kind: "element", path: [...path.slice(0, -1), { name: path.at(-1)?.name ?? "", where }] };
}

function countComparisons(expression: Expression): number {
  if ("operands" in expression) return sum(expression.operands.map(countComparisons));
  if ("operand" in expression) return countComparisons(expression.operand);
  if (expression.kind === "fits" || expression.kind === "same") return 1;
  const inBrackets = sum(expression.path.map(({ where }) => (where ? countComparisons(where) : 0)));
  return inBrackets + (expression.kind === "element" ? 0 : 1);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
