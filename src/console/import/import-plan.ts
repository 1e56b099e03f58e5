import type { ImportOptions } from "../../contract/bulk/bulk.ts";
import type { MatchTarget, Target } from "./mapping.ts";
import type { Source } from "./source.ts";

/** What happens to a row whose user exists. */
export type ConflictAction = ImportOptions["onConflict"];

/** A file, the fields for its columns, and what happens to rows whose user exists. */
export interface ImportPlan {
  readonly source: Source;
  readonly targets: readonly Target[];
  readonly onConflict: ConflictAction;
  /** The field by which rows find users. */
  readonly match: MatchTarget;
}

/** The options of the import. Rows that are rejected find no user. */
export function conflictOptions({ onConflict, match }: ImportPlan): Partial<ImportOptions> {
  return onConflict === "fail" ? {} : { onConflict, match };
}
