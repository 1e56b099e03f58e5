import type { Scope } from "../../src/contract/keys/key.ts";
import { localCaller } from "../../src/domain/caller.ts";
import { systemClock } from "../../src/domain/clock.ts";
import { KeyRing } from "../../src/domain/keys/key-ring.ts";
import { Keys } from "../../src/domain/keys/keys.ts";
import { defaultRecordRules } from "../../src/domain/users/record-rules.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";

export interface BenchKey {
  readonly scopes: readonly Scope[];
  readonly rateLimit?: { readonly requests: number; readonly seconds: number };
  readonly quota?: number;
}

/** Creates a key in a database, as the service does, and returns its secret. */
export async function createBenchKey(path: string, key: BenchKey): Promise<string> {
  const options = { path, batch: 1, queue: 1, waitMs: 60_000, recordRules: defaultRecordRules };
  const store = openSqliteStore(options, { committed: () => {} });
  try {
    const ring = new KeyRing(store.keys, systemClock);
    await ring.refresh();
    const keys = new Keys(store.keys, ring, systemClock);
    return (await keys.create(localCaller, { name: "bench", ...key })).key;
  } finally {
    await store.close();
  }
}
