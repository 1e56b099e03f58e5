import { filterLimits } from "../../contract/listing.ts";
import { comparisonOperators, type Expression, type Literal, type Path, type Step } from "./expression.ts";
import { FilterSyntaxError } from "./filter-syntax-error.ts";
import { countCharacters, isName, Scanner } from "./scanner.ts";

/**
 * Parses a filter expression, in the grammar of SCIM (RFC 7644, section 3.4.2.2). Throws a `FilterSyntaxError`. In the result,
 * `and` and `or` have two or more operands, none of them of their own kind.
 */
export function parseExpression(text: string): Expression {
  return parse(text).expression;
}

/** Like `parseExpression`, for a filter that is tested with records only: they do not say which groups a user has. */
export function parseRecordExpression(text: string): Expression {
  const { expression, comparisons } = parse(text);
  for (const [comparison, { errorOf }] of comparisons)
    if (comparesGroups(comparison)) throw errorOf("another field: this filter cannot compare groups");
  return expression;
}

/** What a filter may have besides what filters of the API have. */
export interface Syntax {
  /** A value without quotes is text, unless it is a number, true, false or null. It ends at a space, quote, bracket or parenthesis. */
  readonly bareWords?: boolean;
  /**
   * Splits a name that begins with `urn:` into the URN, which becomes the first step of the path, and the names that follow it. These
   * are joined by dots, and there may be none.
   */
  readonly splitUrn?: (name: string) => { readonly urn: string | undefined; readonly rest: string };
}

/** A comparison, or an element that meets a condition, as the text has it. */
export interface Place {
  /** The error of a comparison that is not allowed here. */
  readonly errorOf: (expected: string) => FilterSyntaxError;
  /** The value as it is written, if it is a bare word. */
  readonly word: string | undefined;
}

/** An expression, and where its comparisons are, in the order of the text. Those in brackets precede what the brackets belong to. */
export interface ParsedExpression {
  readonly expression: Expression;
  readonly comparisons: ReadonlyMap<Expression, Place>;
}

/** The path of the groups of a user. They are no field of the user. */
const GROUPS = "groups";

/** Whether a comparison is about the groups that a user belongs to. */
export function comparesGroups(comparison: Expression): boolean {
  return "path" in comparison && comparison.path[0]?.name === GROUPS;
}

export function parse(text: string, syntax: Syntax = {}): ParsedExpression {
  const { characters } = filterLimits;
  if (text.length > characters && countCharacters(text.slice(0, 2 * characters + 1)) > characters) {
    throw new FilterSyntaxError(characters + 1, `at most ${characters} characters`);
  }
  return new Parser(text, syntax).parse();
}

class Parser {
  readonly #scanner: Scanner;
  readonly #syntax: Syntax;
  readonly #places = new Map<Expression, Place>();
  #comparisons = 0;
  #levels = 0;

  constructor(text: string, syntax: Syntax) {
    this.#scanner = new Scanner(text);
    this.#syntax = syntax;
  }

  parse(): ParsedExpression {
    const expression = this.#parseOr();
    if (!this.#scanner.atEnd) throw this.#unexpected('"and", "or" or the end');
    return { expression, comparisons: this.#places };
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
      if (path.at(-1)?.where) return this.#note({ kind: "element", path }, start);
      throw this.#unexpected(`an operator (${comparisonOperators.join(", ")} or pr)`);
    }
    this.#comparisons += 1;
    if (this.#comparisons > filterLimits.comparisons) {
      throw scanner.error(`at most ${filterLimits.comparisons} comparisons`, { at: start });
    }
    if (operator === "pr") return this.#note({ kind: "present", path }, start);
    const { value, word } = this.#parseValue();
    return this.#note({ kind: "compare", path, operator, value }, start, word);
  }

  /** Remembers where a comparison is. */
  #note(expression: Expression, start: number, word?: string): Expression {
    this.#places.set(expression, {
      errorOf: (expected) => this.#scanner.error(expected, { at: start }),
      word,
    });
    return expression;
  }

  #parsePath(): Path {
    const steps = this.#parseUrn() ?? [this.#parseStep('a field name, "(" or "not ("')];
    while (this.#scanner.take(".")) steps.push(this.#parseStep("a field name"));
    return steps;
  }

  /** The steps of a path that begins with a URN. */
  #parseUrn(): Step[] | undefined {
    const scanner = this.#scanner;
    const start = scanner.offset;
    const name = this.#syntax.splitUrn && scanner.takeUrn();
    const { urn, rest = "" } = (name !== undefined && this.#syntax.splitUrn?.(name)) || {};
    if (name === undefined || urn === undefined) {
      scanner.offset = start;
      return undefined;
    }
    const names = rest === "" ? [] : rest.split(".");
    if (!names.every(isName))
      throw scanner.error("a URN and field names, joined by dots", { at: start, found: true });
    const steps = [urn, ...names].map((step): Step => ({ name: step }));
    const last = steps.pop() ?? { name: urn };
    return [...steps, this.#parseCondition(last.name)];
  }

  #parseStep(expected: string): Step {
    const name = this.#scanner.takeName() ?? this.#scanner.takeString();
    if (name === undefined) throw this.#unexpected(expected);
    return this.#parseCondition(name);
  }

  #parseCondition(name: string): Step {
    return this.#scanner.sees("[") ? { name, where: this.#parseEnclosed("[", "]") } : { name };
  }

  #parseValue(): { value: Literal; word?: string } {
    const scanner = this.#scanner;
    scanner.skipSpace();
    const word = this.#syntax.bareWords ? scanner.takeWord() : undefined;
    return word === undefined ? { value: this.#parseLiteral() } : { value: valueOfWord(word), word };
  }

  #parseLiteral(): Literal {
    const scanner = this.#scanner;
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
    return withoutSign(value);
  }

  #unexpected(expected: string): FilterSyntaxError {
    return this.#scanner.error(expected, { found: true });
  }
}

const operators = [...comparisonOperators, "pr"] as const;
const constants: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?$/;

/** The value of a bare word: text, unless JSON has another value of this spelling. */
function valueOfWord(word: string): Literal {
  const lower = word.toLowerCase();
  if (Object.hasOwn(constants, lower)) return constants[lower] ?? null;
  const number = JSON_NUMBER.test(word) ? Number(word) : Number.NaN;
  return Number.isFinite(number) ? withoutSign(number) : word;
}

/** There is no negative zero. */
function withoutSign(number: number): number {
  return number === 0 ? 0 : number;
}

function combine(kind: "and" | "or", operands: readonly Expression[]): Expression {
  const [only] = operands;
  if (operands.length === 1 && only) return only;
  return {
    kind,
    operands: operands.flatMap((operand) => (operand.kind === kind ? operand.operands : [operand])),
  };
}
