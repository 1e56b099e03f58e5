import { isObject, type Json } from "../../contract/json.ts";
import { foldOf, isLikeEmail } from "../field-fold.ts";
import { foldCase, memoizeFoldCase } from "../fold.ts";
import { compileTest, isPresent, type NewFold, type Test } from "./compile-test.ts";
import type { Comparison, Expression, Path } from "./expression.ts";
import { hasShape } from "./shape.ts";

type User = { readonly [field: string]: Json };

/** Turns an expression into a function that tests one user after another. The function folds and parses each literal once. */
export function compileExpression(expression: Expression): (user: User) => boolean {
  const tested: Tested = { user: undefined, fits: new Map() };
  const test = compile(expression, { ofUser: true, newFold: shareFolding(), tested });
  return (user) => {
    tested.user = user;
    return test(user);
  };
}

/** The user that is being tested: conditions in brackets can compare its fields. */
interface Tested {
  user: User | undefined;
  /** An expression can ask for the same shape many times. */
  readonly fits: Map<string, Test>;
}

interface Context {
  /** Whether the expression tests the user, rather than an element of an array. */
  readonly ofUser: boolean;
  readonly newFold: NewFold;
  readonly tested: Tested;
}

/** Two and more tests may fold the same text, so they remember it. */
function shareFolding(): NewFold {
  let tests = 0;
  const memoized = memoizeFoldCase();
  const fold = (text: string) => (tests > 1 ? memoized(text) : foldCase(text));
  return () => {
    tests += 1;
    return fold;
  };
}

function compile(expression: Expression, context: Context): Test {
  switch (expression.kind) {
    case "and":
      return compileAnd(expression.operands.map((operand) => compile(operand, context)));
    case "or":
      return compileOr(expression.operands.map((operand) => compile(operand, context)));
    case "not":
      return negate(compile(expression.operand, context));
    case "present":
      return compilePath(expression.path, isPresent, context);
    case "element":
      return compilePath(expression.path, () => true, context);
    case "fits":
      return compileFits(expression, context.tested);
    case "same":
      return compileSame(expression, context);
    case "compare": {
      const { operator, ofRecord } = expression;
      const { tested } = context;
      const compared = operator === "ne" ? ({ ...expression, operator: "eq" } as const) : expression;
      const test = compileComparison(compared, ofRecord ? { ...context, ofUser: true } : context);
      const ofTested: Test = ofRecord ? () => test(tested.user) : test;
      return operator === "ne" ? negate(ofTested) : ofTested;
    }
  }
}

function compileComparison(comparison: Comparison, context: Context): Test {
  const { path, operator, value, exact, direct, prefix } = comparison;
  if (operator === "ne") throw new Error("A test compares for equality, and is negated.");
  const field = context.ofUser && path.length === 1 ? path[0]?.name : undefined;
  const newFold = field !== undefined && isLikeEmail(field) ? () => foldOf(field) : context.newFold;
  const test = compileTest(operator, value, exact ? "exact" : newFold);
  const tested: Test =
    prefix === undefined ? test : (found) => test(typeof found === "number" ? `${prefix}${found}` : found);
  return direct ? followDirectly(path, tested) : compilePath(path, tested, context);
}

function compileAnd(tests: readonly Test[]): Test {
  return (value) => {
    for (const test of tests) if (!test(value)) return false;
    return true;
  };
}

function compileOr(tests: readonly Test[]): Test {
  return (value) => {
    for (const test of tests) if (test(value)) return true;
    return false;
  };
}

function negate(test: Test): Test {
  return (value) => !test(value);
}

/** A test that follows the path from a value and tests what it finds there. */
function compilePath(path: Path, test: Test, context: Context): Test {
  return path.reduceRight<Test>((rest, { name, where }) => {
    return followStep(name, where ? testElements(compile(where, { ...context, ofUser: false }), rest) : rest);
  }, testEach(test));
}

/** Tests each element of an array, also of arrays in the array, and any other value itself. */
function testEach(test: Test): Test {
  return function testValue(value) {
    return Array.isArray(value) ? value.some(testValue) : test(value);
  };
}

/** Only elements that meet the condition go on. A single value counts as one element; null is not an element. */
function testElements(condition: Test, rest: Test): Test {
  return testEach(
    (element) => element !== undefined && element !== null && condition(element) && rest(element),
  );
}

/** A value without this member gives the same result each time. */
function followStep(name: string, rest: Test): Test {
  const resultIfAbsent = rest(undefined);
  const isInherited = name in Object.prototype;
  return function follow(value) {
    if (typeof value !== "object" || value === null) return resultIfAbsent;
    if (Array.isArray(value)) return value.some(follow);
    if (isInherited && !Object.hasOwn(value, name)) return resultIfAbsent;
    return rest(value[name]);
  };
}

/** Tests each user once, however often the expression asks. */
function compileFits({ field, shape }: Extract<Expression, { kind: "fits" }>, tested: Tested): Test {
  const key = JSON.stringify([field, shape]);
  const known = tested.fits.get(key);
  if (known) return known;
  let user: Json | undefined;
  let result = false;
  const test: Test = (value) => {
    if (value !== user) {
      user = value;
      result = hasShape(memberOf(value, field), shape);
    }
    return result;
  };
  tested.fits.set(key, test);
  return test;
}

function compileSame({ member, field }: Extract<Expression, { kind: "same" }>, { tested }: Context): Test {
  const fold = foldOf(field);
  return (element) => {
    const text = memberOf(element, member);
    const other = memberOf(tested.user, field);
    return typeof text === "string" && typeof other === "string" && fold(text) === fold(other);
  };
}

/** Follows a path without conditions to one value. An array, on the way or at the end, counts as absent. */
function followDirectly(path: Path, test: Test): Test {
  return (value) => {
    const found = path.reduce((reached, { name }) => memberOf(reached, name), value);
    return test(Array.isArray(found) ? undefined : found);
  };
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
