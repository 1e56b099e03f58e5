import { parseDatabase } from "../../src/config/database-url.ts";
import type { Store } from "../../src/domain/store.ts";
import { defaultRecordRules } from "../../src/domain/users/record-rules.ts";
import { type OpenOptions, openStore } from "../../src/store/open-store.ts";
import { pooler } from "./postgres/fresh-database.ts";

/** Opens a store of the database, as a service does. */
export function openTestStore(url: string, options: Partial<OpenOptions> = {}): Promise<Store> {
  const defaults: OpenOptions = {
    batch: 512,
    queue: 10_000,
    // Longer than the default: on a busy machine, PostgreSQL may need more than 5 s.
    waitMs: 60_000,
    recordRules: defaultRecordRules,
    pool: 6,
    dedicatedSessions: pooler === "none",
    migrate: true,
  };
  return openStore(parseDatabase(url), { ...defaults, ...options }, { committed: () => undefined });
}
