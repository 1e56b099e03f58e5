import type { GroupCommitOptions } from "./group-commit.ts";

/** What every engine is told, beside where its database is. */
export interface StoreOptions extends GroupCommitOptions {
  /** The largest record, in bytes of JSON: an edit must not make a larger one. */
  readonly recordBytes: number;
}
