import type { RecordRules } from "../domain/record-rules.ts";
import type { GroupCommitOptions } from "./group-commit.ts";

/** Options of every engine, beside the location of its database. */
export interface StoreOptions extends GroupCommitOptions {
  /** Edits and imports are checked inside the write transaction. */
  readonly recordRules: RecordRules;
}
