import type { Resource } from "./resource.ts";
import type { DaysOptions, Id } from "./types.ts";

/** Reads daily counts. Reports errors to `onError`. */
export function readDays<Item>(
  resource: Resource<Item>,
  path: readonly Id[],
  { days, ...options }: DaysOptions = {},
): Promise<Item> {
  const query = new URLSearchParams(days === undefined ? {} : { days: String(days) });
  return resource.call("GET", path, options, undefined, undefined, query);
}
