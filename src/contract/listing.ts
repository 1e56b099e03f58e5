/** Fields that lists can sort by, in descending order with a `-` in front. */
export const sortFields = ["id", "name", "email", "createdAt", "updatedAt"] as const;

/** Query parameters of lists. Any other parameter filters by the field of that name. */
export const listParameterNames = ["limit", "after", "offset", "sort", "q", "count"] as const;

export const listLimits = {
  pageSize: { default: 100, maximum: 1000 },
  offset: 10_000,
  searchCharacters: 100,
  /** Fields that one list can filter by, and values per field. */
  filterFields: 10,
  filterValues: 100,
  /** Filtered lists are counted up to this number. */
  count: 100_000,
} as const;
