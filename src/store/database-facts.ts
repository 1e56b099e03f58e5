import type { StoredKey } from "../domain/keys/key-store.ts";
import type { MigrationState } from "./migration.ts";
import type { DatabaseOptions } from "./store-options.ts";
import type { MovingFields } from "./users/moving-values.ts";

/** What `roster doctor` reads from any database. */
export interface DatabaseFacts {
  /** Undefined if this user may not read it. */
  readonly schema: MigrationState | undefined;
  /** What is missing or different in the tables of an up-to-date database, like "the index users_by_name is missing". */
  readonly tableProblems: readonly string[];
  /** Undefined if the schema is outdated or different, or the file damaged: the tables cannot be read then. */
  readonly contents: DatabaseContents | undefined;
  /** Undefined if all users are settled, or if the tables cannot be read. */
  readonly moving: MovingFields | undefined;
}

export interface DatabaseContents {
  /** Error message about an unfinished move into the database; undefined if there is none. */
  readonly unfinishedMove: string | undefined;
  /** Time of the last change to a user, in milliseconds since 1970. */
  readonly lastChange: number | undefined;
  readonly keys: readonly StoredKey[];
}

export interface InspectOptions extends DatabaseOptions {
  /** SQLite: whether to check the whole file, however large it is. */
  readonly thorough: boolean;
}
