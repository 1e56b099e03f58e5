import type { Store, StoreObserver } from "../domain/store.ts";
import { SqliteStore } from "./sqlite/sqlite-store.ts";
import type { StoreOptions } from "./store-options.ts";

/** The store in this file. Fails with a `StoreError` that says what to do. */
export function openStore(path: string, options: StoreOptions, observer: StoreObserver): Store {
  return new SqliteStore({ path, ...options }, observer);
}
