import type { Store, StoreObserver } from "../domain/store.ts";
import { SqliteStore } from "./sqlite/sqlite-store.ts";
import type { StoreOptions } from "./store-options.ts";

/** The store that a database URL names. Fails with a `StoreError` that says what to do. */
export function openStore(database: string, options: StoreOptions, observer: StoreObserver): Store {
  return new SqliteStore({ path: sqlitePath(database), ...options }, observer);
}

/** `data/roster.db`, `sqlite:data/roster.db`, `sqlite:///var/lib/roster.db` and `file:` all name a file. */
function sqlitePath(database: string): string {
  return database.replace(/^(sqlite|file):(\/\/(?=\/))?/, "");
}
