/** How many users travel together when there are many. */
export const bulkLimits = {
  /** Lines of an import that are committed together, unless they are large. */
  chunkLines: 500,
  chunkBytes: 1_048_576,
  /** Users that an export asks the store for at a time. */
  pageUsers: 1000,
  /** Imports and exports under way on a node; each needs some megabytes. */
  streams: 64,
} as const;

export type { ImportLineResult as ImportedLine } from "./bulk-schemas.ts";
