import type { Database } from "../config/database-url.ts";
import type { StoredKey } from "../domain/key-store.ts";
import { examineServer, type ServerFacts } from "./postgres/check-up.ts";
import type { SchemaState } from "./schema.ts";
import { examineFile, type FileFacts } from "./sqlite/check-up.ts";

/** What a database tells of itself. */
export interface CheckUp {
  readonly schema: SchemaState;
  /** Undefined where the schema is another one, so that they cannot be asked for. */
  readonly contents: Contents | undefined;
}

export interface Contents {
  /** Why a service would refuse it, where `roster move` has not finished. */
  readonly unfinished: string | undefined;
  /** When a user was last changed, in milliseconds since 1970. */
  readonly lastChange: number | undefined;
  readonly keys: readonly StoredKey[];
}

export interface CheckUpOptions {
  readonly waitMs: number;
  /** PostgreSQL: whether a connection is a session of our own. */
  readonly sessions: boolean;
  /** SQLite: whether a file is looked at whole, however large it is. */
  readonly thorough: boolean;
}

/** Looks at a database that is there, and leaves it as it is. Fails with a `StoreError` that says what to do. */
export async function examine(database: Database, options: CheckUpOptions): Promise<FileFacts | ServerFacts> {
  return database.engine === "sqlite"
    ? examineFile(database.path, options.waitMs, options.thorough)
    : await examineServer(database, options);
}
