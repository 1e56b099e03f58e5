import type { RecordRules } from "../domain/users/record-rules.ts";
import type { GroupCommitOptions } from "./writes/group-commit.ts";

/** Options of everything that opens a database. */
export interface DatabaseOptions {
  /** Longest wait for a lock or a response of the database. */
  readonly waitMs: number;
  /** PostgreSQL: whether each connection is its own session, which a pooler in transaction mode does not provide. */
  readonly dedicatedSessions: boolean;
}

/** Options of every engine, beside the location of its database. */
export interface StoreOptions extends GroupCommitOptions {
  /** Edits and imports are checked inside the write transaction. */
  readonly recordRules: RecordRules;
  /** Most users that one list examines. Only tests set this. */
  readonly maxCandidates?: number;
}
