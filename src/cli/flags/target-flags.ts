import { ConfigError } from "../../config/config.ts";
import { combineFilters, filterFlag } from "./filter-flag.ts";
import { idsFlag } from "./user-flags.ts";
import { readWhere, type Where, whereFlag } from "./where-flag.ts";

/** Flags that choose the users of a change, instead of ids. */
export const targetFlags = { where: whereFlag, filter: filterFlag } as const;

/** The users of a change: all that match. At least one of the two is set. */
export interface Target {
  readonly where: Where | undefined;
  readonly filter: string | undefined;
}

/** Checks the users of a change before anything is sent. Undefined for ids. Throws a `ConfigError`. */
export function readTarget(
  ids: readonly number[],
  { where, filter }: { readonly where: readonly string[]; readonly filter: readonly string[] },
): Target | undefined {
  if (where.length === 0 && filter.length === 0) {
    if (ids.length > 0) return undefined;
    throw new ConfigError(
      `ID is required. Use ${idsFlag.takes}, --where with ${whereFlag.takes}, or --filter with ${filterFlag.takes}.`,
    );
  }
  const target = { where: where.length > 0 ? readWhere(where) : undefined, filter: combineFilters(filter) };
  if (ids.length > 0) throw new ConfigError("Use either ids, or --where and --filter.");
  return target;
}
