import type { StoredKey } from "../domain/key-store.ts";
import type { SchemaState } from "./schema-state.ts";

/** What a database tells of itself. */
export interface DatabaseFacts {
  readonly schema: SchemaState;
  /** Undefined where the schema is another one, so that they cannot be asked for. */
  readonly contents: DatabaseContents | undefined;
}

export interface DatabaseContents {
  /** Why a service would refuse it, where `roster move` has not finished. */
  readonly unfinishedMove: string | undefined;
  /** When a user was last changed, in milliseconds since 1970. */
  readonly lastChange: number | undefined;
  readonly keys: readonly StoredKey[];
}

export interface InspectOptions {
  readonly waitMs: number;
  /** PostgreSQL: whether a connection is a session of our own. */
  readonly sessions: boolean;
  /** SQLite: whether a file is looked at whole, however large it is. */
  readonly thorough: boolean;
}
