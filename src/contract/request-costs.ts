/**
 * What a request costs beyond the one request that it is. The factors are measured, and depend on the request alone: the same
 * request always costs the same.
 */
export const requestCosts = {
  /** The most comparisons of a filter expression that cost nothing, and how many further ones count as one request. */
  freeComparisons: 10,
  comparisonsPerRequest: 2,
  /** The requests that counting the users of a filter expression costs. */
  countedFilter: 10,
  /** The requests that the values of a field with their counts cost. */
  countedValues: 5,
  /** Bytes of a schema that count as one request. */
  schemaBytesPerRequest: 2048,
  /** The requests that a page of violations costs. */
  violations: 5,
} as const;
