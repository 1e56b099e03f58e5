import { ConfigError } from "../../config/config.ts";
import type { Flag } from "../../config/flag.ts";
import type { Expression } from "../../domain/filter/expression.ts";
import { FilterSyntaxError } from "../../domain/filter/filter-syntax-error.ts";
import { formatExpression } from "../../domain/filter/format-expression.ts";
import { parseExpression } from "../../domain/filter/parse-expression.ts";
import { shellQuote } from "../output/shell-quote.ts";

/** Selects users or groups by expressions. */
export const filterFlagOf = (records: "Users" | "Groups", example: string) =>
  ({
    flag: "filter",
    form: "repeated",
    default: "",
    takes: `a filter expression, such as '${example}'`,
    about: `${records} that match an expression, such as '${example}'. Repeat it to match all.`,
    parse: (text: string, source) => (source === "default" ? [] : text.split("\u0000")),
  }) as const satisfies Flag<readonly string[]>;

export const filterFlag = filterFlagOf("Users", "level ge 3 and not (plan pr)");

/** A filter expression that is not valid. */
export class InvalidFilterError extends ConfigError {
  /** The number of the invalid character, from 1. */
  readonly position: number;

  constructor(
    readonly filter: string,
    { message, position }: FilterSyntaxError,
  ) {
    const [, path, value] = /^([\w.]+)=(.*)$/s.exec(filter) ?? [];
    const hint =
      path === undefined || value === undefined ? "" : ` Use ${filterOption(equality(path, value))}.`;
    super(`--${filterFlag.flag}: ${message}${hint}`);
    this.position = position;
  }
}

/** Throws an `InvalidFilterError`. */
export function checkFilter(filter: string): Expression {
  try {
    return parseExpression(filter);
  } catch (error) {
    throw error instanceof FilterSyntaxError ? new InvalidFilterError(filter, error) : error;
  }
}

/** One expression that users match if they match all of these; undefined for none. Throws an `InvalidFilterError`. */
export function combineFilters(filters: readonly string[]): string | undefined {
  const operands = filters.map(checkFilter);
  return operands.length < 2 ? filters[0] : formatExpression({ kind: "and", operands });
}

/** The flag with this expression, to copy into a shell. */
export function filterOption(expression: string): string {
  return `--${filterFlag.flag} ${shellQuote(expression)}`;
}

const JSON_WORD = /^(-?\d+(\.\d+)?|true|false|null)$/;

/** The expression that a person probably means by FIELD=VALUE. */
export function equality(path: string, value: string): string {
  return `${path} eq ${JSON_WORD.test(value) ? value : JSON.stringify(value)}`;
}
