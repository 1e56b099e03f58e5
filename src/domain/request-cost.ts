import { requestCosts } from "../contract/request-costs.ts";
import { countComparisons } from "./filter/count-comparisons.ts";
import type { Expression } from "./filter/expression.ts";

const { freeComparisons, comparisonsPerRequest, countedFilter, schemaBytesPerRequest } = requestCosts;

/** The requests that a list, an export or a bulk change with this filter expression costs. */
export function costOfFilter(expression: Expression | undefined, count = false): number {
  if (!expression) return 1;
  const more = Math.max(0, countComparisons(expression) - freeComparisons);
  return 1 + Math.ceil(more / comparisonsPerRequest) + (count ? countedFilter : 0);
}

/** The requests that a schema of this size costs, valid or not. */
export function costOfSchema(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / schemaBytesPerRequest));
}
