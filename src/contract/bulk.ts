/** The CSV column with the fields that have no column of their own, as a JSON object. Not a valid field name. */
export const MORE_COLUMN = "_more";

/** Limits of imports and exports. */
export const bulkLimits = {
  /** Lines per chunk of an import. Large lines make smaller chunks. */
  chunkLines: 500,
  chunkBytes: 1_048_576,
  /** Users per page that an export reads from the store. */
  pageUsers: 1000,
  /** Columns of a CSV export for custom fields. Further fields are in `MORE_COLUMN`. */
  csvFields: 1000,
  /** Concurrent imports and exports per node. Each needs some megabytes of memory. */
  streams: 64,
} as const;
