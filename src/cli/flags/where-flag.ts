import { ConfigError } from "../../config/config.ts";
import type { Flag } from "../../config/flag.ts";
import { FilterSyntaxError } from "../../domain/filter/filter-syntax-error.ts";
import { parseExpression } from "../../domain/filter/parse-expression.ts";
import { idsFlag } from "./user-flags.ts";

/** Selects the users of a change. */
export const whereFlag = {
  flag: "where",
  default: "",
  takes: `a filter expression, such as 'level ge 3 and not (plan pr)'`,
  about: `Every user that matches an expression, such as 'level ge 3 and not (plan pr)', instead of ids.`,
  parse: (text, source) => (source === "default" ? undefined : text),
} as const satisfies Flag<string | undefined>;

/** A filter expression that is not valid. */
export class InvalidFilterError extends ConfigError {
  /** The number of the invalid character, from 1. */
  readonly position: number;

  constructor(
    readonly filter: string,
    { message, position }: FilterSyntaxError,
    flag: string,
  ) {
    // Lists take FIELD=VALUE.
    const [, field, value] = /^([A-Za-z]\w*)=(.*)$/.exec(filter) ?? [];
    const hint = field === undefined ? "" : ` Did you mean ${field} eq ${JSON.stringify(value)}?`;
    super(`--${flag}: ${message}${hint}`);
    this.position = position;
  }
}

/** Checks the users of a change before anything is sent. Throws a `ConfigError`. */
export function checkTarget(ids: readonly number[], where: string | undefined): void {
  if (where === undefined) {
    if (ids.length > 0) return;
    throw new ConfigError(`ID is required. Use ${idsFlag.takes}, or --where with ${whereFlag.takes}.`);
  }
  if (ids.length > 0) throw new ConfigError("Use either ids or --where.");
  checkFilter(where, whereFlag.flag);
}

/** Throws an `InvalidFilterError`. */
export function checkFilter(filter: string, flag: string): void {
  try {
    parseExpression(filter);
  } catch (error) {
    throw error instanceof FilterSyntaxError ? new InvalidFilterError(filter, error, flag) : error;
  }
}
