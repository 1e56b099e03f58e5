/** The order in which a list can be had; a `-` before it turns it round. */
export const sortFields = ["id", "name", "email", "createdAt", "updatedAt"] as const;

/** What a list can be asked for; a parameter of any other name filters by that field. */
export const listParameterNames = ["limit", "after", "offset", "sort", "q", "count"] as const;

export const listLimits = {
  pageSize: { default: 100, maximum: 1000 },
  offset: 10_000,
  searchCharacters: 100,
  /** How many fields one list may filter on, and how many values each may be given. */
  filterFields: 10,
  filterValues: 100,
  /** A filtered list is counted exactly up to here. */
  count: 100_000,
} as const;
