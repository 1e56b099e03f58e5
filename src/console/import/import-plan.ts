import type { ImportOptions } from "../../contract/bulk/bulk.ts";
import type { Target } from "./mapping.ts";
import type { Source } from "./source.ts";

/** What happens to a row whose user exists. */
export type ConflictAction = ImportOptions["onConflict"];

/** A file, the fields for its columns, and the action for rows whose user exists. */
export interface ImportPlan {
  readonly source: Source;
  readonly targets: readonly Target[];
  readonly onConflict: ConflictAction;
}
