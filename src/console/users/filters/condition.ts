import type { Json } from "../../../client/index.ts";
import { filterLimits, GROUP_PARAMETER, isFilterName, listLimits } from "../../../contract/listing.ts";
import type { ListParams } from "../list-params.ts";

/** What filter expressions call the groups of a user. Users have no field of this name. */
export const GROUPS = "groups";

/** A value in a filter. */
export type Scalar = string | number | boolean;

export const isScalar = (value: unknown): value is Scalar =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean";

/** The operators of filter expressions that compare a field with one value. */
const comparisons = ["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"] as const;
type Comparison = (typeof comparisons)[number];

/**
 * What a condition asks of its field. "any": it has one of the values. "range": it is between two values, which it may be equal to.
 * "days": it is between the start of a day and the end of another one. `np` is "not present".
 */
export type Operator = Exclude<Comparison, "eq"> | "any" | "range" | "days" | "pr" | "np";

/** A condition of a list: a part of the filter expression, or a parameter of the URL. */
export interface Condition {
  readonly field: string;
  readonly operator: Operator;
  /** The values of "any", the two ends of a range, none for `pr` and `np`, or one value. */
  readonly values: readonly Scalar[];
  /** Whether it is a parameter of the URL: "any" of texts, compared exactly. Others are in the filter expression. */
  readonly isParameter?: true;
}

export type Filters = Pick<ListParams, "where" | "filter">;

/** The filters of a list. */
export interface FilterParts {
  readonly conditions: readonly Condition[];
  /** A filter expression that is more than conditions that must all match. */
  readonly expression?: string;
}

/** The most values of one condition. */
export const maxValues = (isParameter: boolean) =>
  isParameter ? listLimits.filterValues : filterLimits.comparisons;

export function readFilters({ where, filter }: Filters): FilterParts {
  const parameters = Object.entries(where).map(
    ([name, values]): Condition => ({
      field: name === GROUP_PARAMETER ? GROUPS : name,
      operator: "any",
      values,
      isParameter: true,
    }),
  );
  const conditions = parseConditions(filter);
  return conditions
    ? { conditions: [...parameters, ...conditions] }
    : { conditions: parameters, expression: filter };
}

export function writeFilters({ conditions, expression }: FilterParts): Filters {
  // No prototype: a field may be named like a method of every object.
  const where: Record<string, string[]> = Object.create(null);
  for (const { field, values } of conditions.filter(({ isParameter }) => isParameter)) {
    const name = field === GROUPS ? GROUP_PARAMETER : field;
    where[name] = [...new Set([...(where[name] ?? []), ...values.map(String)])];
  }
  const others = formatConditions(conditions.filter(({ isParameter }) => !isParameter));
  if (expression === undefined) return { where, filter: others };
  return { where, filter: others === "" ? expression : `(${expression}) and ${others}` };
}

/** Whether a list can have a condition on this field as a parameter of the URL: some names have another meaning there. */
export function canBeParameter(field: string, { conditions }: FilterParts): boolean {
  const used = conditions.filter((condition) => condition.isParameter && condition.field !== field);
  return (field === GROUPS || isFilterName(field)) && used.length < listLimits.filterFields;
}

/** Whether it is a parameter for groups: an expression cannot ask for any of several groups. */
const isGroupParameter = ({ field, isParameter }: Condition) => isParameter === true && field === GROUPS;

/** All filters as one expression, except a parameter for groups. */
export function toExpression(filters: Filters): string {
  const { conditions, expression } = readFilters(filters);
  const others = conditions.filter((condition) => !isGroupParameter(condition));
  const inExpression = others.map((condition) =>
    condition.isParameter ? { ...condition, values: condition.values.map(parseScalar) } : condition,
  );
  const formatted = formatConditions(inExpression);
  if (expression === undefined || formatted === "") return expression ?? formatted;
  return `${formatted} and (${expression})`;
}

/** Replaces all filters by an expression, except a parameter for groups. */
export function replaceByExpression(filters: Filters, expression: string): Filters {
  return writeFilters({ conditions: readFilters(filters).conditions.filter(isGroupParameter), expression });
}

/** A number or boolean if the text is one: parameters compare texts. */
function parseScalar(value: Scalar): Scalar {
  if (value === "true" || value === "false") return value === "true";
  return typeof value === "string" && String(Number(value)) === value && Number.isFinite(Number(value))
    ? Number(value)
    : value;
}

/** A comparison of a filter expression. */
interface Term {
  readonly field: string;
  readonly operator: Comparison | "pr" | "np";
  readonly value?: Scalar;
}

const DAY = /^\d{4}-\d\d-\d\d$/;
const DAY_MS = 86_400_000;

/** Whether the value is a date without a time. */
export const isDay = (value: Scalar | undefined): boolean =>
  typeof value === "string" && DAY.test(value) && addDays(value, 0) === value;

/** The day so many days after another one. */
export function addDays(day: string, days: number): string {
  const time = new Date(Date.parse(day) + days * DAY_MS);
  return Number.isNaN(time.getTime()) ? "" : time.toISOString().slice(0, 10);
}

/** The conditions that are two comparisons. `write` makes the value of the second one, and `read` is its inverse. */
const pairs: readonly {
  readonly operator: "range" | "days";
  readonly first: Comparison;
  readonly second: Comparison;
  readonly canHave: (from: Scalar, to: Scalar) => boolean;
  readonly write: (to: Scalar) => Scalar;
  readonly read: (to: Scalar) => Scalar;
}[] = [
  {
    operator: "range",
    first: "ge",
    second: "le",
    canHave: (from, to) => typeof from === "number" && typeof to === "number",
    write: (to) => to,
    read: (to) => to,
  },
  {
    operator: "days",
    first: "ge",
    second: "lt",
    canHave: (from, to) => isDay(from) && isDay(to) && from <= to,
    write: (to) => addDays(String(to), 1),
    read: (to) => (isDay(to) ? addDays(String(to), -1) : to),
  },
];

export const formatConditions = (conditions: readonly Condition[]) =>
  conditions.map(formatCondition).join(" and ");

function formatCondition({ field, operator, values }: Condition): string {
  const [value = "", to = ""] = values;
  if (operator === "any") {
    const terms = values.map((each) => formatTerm({ field, operator: "eq", value: each }));
    return terms.length > 1 ? `(${terms.join(" or ")})` : terms.join("");
  }
  const pair = pairs.find((each) => each.operator === operator);
  if (pair) {
    const { first, second, write } = pair;
    const terms: Term[] = [
      { field, operator: first, value },
      { field, operator: second, value: write(to) },
    ];
    return terms.map(formatTerm).join(" and ");
  }
  if (operator === "range" || operator === "days") throw new Error(`No pair of comparisons: ${operator}`);
  return formatTerm(
    operator === "pr" || operator === "np" ? { field, operator } : { field, operator, value },
  );
}

const PLAIN_PATH = /^[A-Za-z_$][\w$-]*$/;
const KEYWORD = /^(?:and|or|not)$/i;

function formatTerm({ field, operator, value }: Term): string {
  const path = PLAIN_PATH.test(field) && !KEYWORD.test(field) ? field : JSON.stringify(field);
  if (operator === "pr") return `${path} pr`;
  if (operator === "np") return `not (${path} pr)`;
  return `${path} ${operator} ${JSON.stringify(value)}`;
}

/** The conditions of an expression, if it consists of such that must all match. Otherwise undefined. */
export function parseConditions(expression: string): readonly Condition[] | undefined {
  const tokens = splitIntoTokens(expression);
  return tokens && new ConditionParser(tokens).parse();
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[()]|[^\s()"]+/g;

/** Undefined if a part of the text is no token. */
function splitIntoTokens(text: string): readonly string[] | undefined {
  return text.replace(TOKEN, "").trim() === "" ? (text.match(TOKEN) ?? []) : undefined;
}

class ConditionParser {
  readonly #tokens: readonly string[];
  #next = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  parse(): readonly Condition[] | undefined {
    const conditions: Condition[] = [];
    if (this.#tokens.length === 0) return conditions;
    do {
      const condition = this.#parseGroup() ?? this.#parsePair() ?? this.#parseSingle();
      if (!condition) return undefined;
      conditions.push(condition);
    } while (this.#skip("and"));
    return this.#next === this.#tokens.length ? conditions : undefined;
  }

  /** `(field eq 1 or field eq 2)` */
  #parseGroup(): Condition | undefined {
    return this.#attempt(() => {
      if (!this.#skip("(")) return undefined;
      const terms: Term[] = [];
      do {
        const term = this.#parseTerm();
        if (term?.operator !== "eq" || term.field !== (terms[0] ?? term).field) return undefined;
        terms.push(term);
      } while (this.#skip("or"));
      if (terms.length < 2 || !this.#skip(")")) return undefined;
      const values = new Set(terms.flatMap(({ value }) => (value === undefined ? [] : [value])));
      return { field: terms[0]?.field ?? "", operator: "any", values: [...values] };
    });
  }

  /** `field ge 1 and field le 5` */
  #parsePair(): Condition | undefined {
    return this.#attempt(() => {
      const one = this.#parseTerm();
      const other = this.#skip("and") ? this.#parseTerm() : undefined;
      if (one?.value === undefined || other?.value === undefined || one.field !== other.field)
        return undefined;
      for (const { operator, first, second, canHave, read } of pairs) {
        const to = read(other.value);
        if (one.operator === first && other.operator === second && canHave(one.value, to)) {
          return { field: one.field, operator, values: [one.value, to] };
        }
      }
      return undefined;
    });
  }

  #parseSingle(): Condition | undefined {
    const term = this.#parseTerm();
    if (!term) return undefined;
    const { field, operator, value } = term;
    return {
      field,
      operator: operator === "eq" ? "any" : operator,
      values: value === undefined ? [] : [value],
    };
  }

  #parseTerm(): Term | undefined {
    const isAbsent = this.#peek().toLowerCase() === "not";
    if (isAbsent && !(this.#skip("not") && this.#skip("("))) return undefined;
    const field = parseName(this.#take());
    if (field === undefined) return undefined;
    const operator = this.#take().toLowerCase();
    if (operator === "pr") {
      return isAbsent ? (this.#skip(")") ? { field, operator: "np" } : undefined) : { field, operator };
    }
    const comparison = comparisons.find((known) => known === operator);
    const value = parseValue(this.#take());
    return isAbsent || !comparison || value === undefined
      ? undefined
      : { field, operator: comparison, value };
  }

  /** Goes back if the attempt fails. */
  #attempt<Result>(parse: () => Result | undefined): Result | undefined {
    const start = this.#next;
    const result = parse();
    if (result === undefined) this.#next = start;
    return result;
  }

  #peek(): string {
    return this.#tokens[this.#next] ?? "";
  }

  #take(): string {
    return this.#tokens[this.#next++] ?? "";
  }

  #skip(expected: string): boolean {
    if (this.#peek().toLowerCase() !== expected) return false;
    this.#next++;
    return true;
  }
}

function parseName(token: string): string | undefined {
  if (!token.startsWith('"')) return PLAIN_PATH.test(token) && !KEYWORD.test(token) ? token : undefined;
  const name = parseJson(token);
  return typeof name === "string" ? name : undefined;
}

function parseValue(token: string): Scalar | undefined {
  const value = parseJson(/^(?:true|false)$/i.test(token) ? token.toLowerCase() : token);
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  return isScalar(value) ? value : undefined;
}

function parseJson(text: string): Json | undefined {
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}
