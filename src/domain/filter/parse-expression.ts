import { filterLimits } from "../../contract/listing.ts";
import { comparisonOperators, type Expression, type Literal, type Path, type Step } from "./expression.ts";
import { FilterSyntaxError } from "./filter-syntax-error.ts";
import { countCharacters, Scanner } from "./scanner.ts";

/**
 * Parses a filter expression, in the grammar of SCIM (RFC 7644, section 3.4.2.2). Throws a `FilterSyntaxError`. In the result,
 * `and` and `or` have two or more operands, none of them of their own kind.
 */
export function parseExpression(text: string): Expression {
  return parse(text).expression;
}

/** Like `parseExpression`, for a filter that is tested with records only: they do not say which groups a user has. */
export function parseRecordExpression(text: string): Expression {
  const { expression, groups } = parse(text);
  for (const error of groups.values()) throw error("another field: this filter cannot compare groups");
  return expression;
}

/** The error of a comparison in a place where it is not allowed. */
type ErrorOf = (expected: string) => FilterSyntaxError;

/** An expression, and its comparisons of the groups that a user belongs to, in the order of the text. */
export interface ExpressionWithGroups {
  readonly expression: Expression;
  readonly groups: ReadonlyMap<Expression, ErrorOf>;
}

/** The path of the groups of a user. They are no field of the user. */
const GROUPS = "groups";

export function parse(text: string): ExpressionWithGroups {
  const { characters } = filterLimits;
  if (text.length > characters && countCharacters(text.slice(0, 2 * characters + 1)) > characters) {
    throw new FilterSyntaxError(characters + 1, `at most ${characters} characters`);
  }
  return new Parser(text).parse();
}

class Parser {
  readonly #scanner: Scanner;
  readonly #groups = new Map<Expression, ErrorOf>();
  #comparisons = 0;
  #levels = 0;

  constructor(text: string) {
    this.#scanner = new Scanner(text);
  }

  parse(): ExpressionWithGroups {
    const expression = this.#parseOr();
    if (!this.#scanner.atEnd) throw this.#unexpected('"and", "or" or the end');
    return { expression, groups: this.#groups };
  }

  /** Also skips the space after the expression. */
  #parseOr(): Expression {
    const operands = [this.#parseAnd()];
    while (this.#scanner.takeOneOf(["or"])) operands.push(this.#parseAnd());
    return combine("or", operands);
  }

  #parseAnd(): Expression {
    const operands = [this.#parseFactor()];
    while (this.#scanner.takeOneOf(["and"])) operands.push(this.#parseFactor());
    return combine("and", operands);
  }

  #parseFactor(): Expression {
    const scanner = this.#scanner;
    scanner.skipSpace();
    if (scanner.sees("(")) return this.#parseEnclosed("(", ")");
    const start = scanner.offset;
    if (scanner.takeOneOf(["not"])) {
      scanner.skipSpace();
      if (scanner.sees("(")) return { kind: "not", operand: this.#parseEnclosed("(", ")") };
      // This is a field called `not`.
      scanner.offset = start;
    }
    return this.#parseComparison();
  }

  /** An expression in parentheses or brackets. The scanner is at the opening one. */
  #parseEnclosed(open: string, close: string): Expression {
    this.#levels += 1;
    if (this.#levels > filterLimits.levels) {
      throw this.#scanner.error(`at most ${filterLimits.levels} levels of parentheses and brackets`);
    }
    this.#scanner.take(open);
    const expression = this.#parseOr();
    if (!this.#scanner.take(close)) throw this.#unexpected(`"and", "or" or "${close}"`);
    this.#levels -= 1;
    return expression;
  }

  #parseComparison(): Expression {
    const scanner = this.#scanner;
    const start = scanner.offset;
    const path = this.#parsePath();
    const operator = scanner.takeOneOf(operators);
    if (operator === undefined) {
      if (path.at(-1)?.where) return this.#note({ kind: "element", path }, path, start);
      throw this.#unexpected(`an operator (${comparisonOperators.join(", ")} or pr)`);
    }
    this.#comparisons += 1;
    if (this.#comparisons > filterLimits.comparisons) {
      throw scanner.error(`at most ${filterLimits.comparisons} comparisons`, { at: start });
    }
    if (operator === "pr") return this.#note({ kind: "present", path }, path, start);
    return this.#note({ kind: "compare", path, operator, value: this.#parseLiteral() }, path, start);
  }

  /** Remembers where a comparison of groups is. */
  #note(expression: Expression, [first]: Path, start: number): Expression {
    const errorOf: ErrorOf = (expected) => this.#scanner.error(expected, { at: start });
    if (first?.name === GROUPS) this.#groups.set(expression, errorOf);
    return expression;
  }

  #parsePath(): Path {
    const steps = [this.#parseStep('a field name, "(" or "not ("')];
    while (this.#scanner.take(".")) steps.push(this.#parseStep("a field name"));
    return steps;
  }

  #parseStep(expected: string): Step {
    const name = this.#scanner.takeName() ?? this.#scanner.takeString();
    if (name === undefined) throw this.#unexpected(expected);
    return this.#scanner.sees("[") ? { name, where: this.#parseEnclosed("[", "]") } : { name };
  }

  #parseLiteral(): Literal {
    const scanner = this.#scanner;
    scanner.skipSpace();
    const start = scanner.offset;
    const text = scanner.takeString();
    if (text !== undefined) return text;
    const word = scanner.takeName()?.toLowerCase();
    if (word !== undefined && Object.hasOwn(constants, word)) return constants[word] ?? null;
    const number = scanner.takeNumber();
    if (word !== undefined || number === undefined || !JSON_NUMBER.test(number)) {
      throw scanner.error("a value (text in double quotes, a number, true, false or null)", {
        at: start,
        found: true,
      });
    }
    const value = Number(number);
    if (!Number.isFinite(value))
      throw scanner.error("a number of at most 1.7976931348623157e308", { at: start });
    // There is no negative zero.
    return value === 0 ? 0 : value;
  }

  #unexpected(expected: string): FilterSyntaxError {
    return this.#scanner.error(expected, { found: true });
  }
}

const operators = [...comparisonOperators, "pr"] as const;
const constants: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?$/;

function combine(kind: "and" | "or", operands: readonly Expression[]): Expression {
  const [only] = operands;
  if (operands.length === 1 && only) return only;
  return {
    kind,
    operands: operands.flatMap((operand) => (operand.kind === kind ? operand.operands : [operand])),
  };
}
