import { existsSync } from "node:fs";
import type { Values } from "../config/config.ts";
import { scopes } from "../contract/key.ts";
import type { Caller } from "../domain/caller.ts";
import { Keys } from "../domain/keys.ts";
import { defaultRecordRules } from "../domain/record-rules.ts";
import { openStore } from "../store/open-store.ts";
import { StoreError } from "../store/store-error.ts";
import type { databaseFlags } from "./flags/database-flags.ts";

type Where = Values<typeof databaseFlags>;

/** Whoever may write to the database could do anything with it: there is nobody to ask for a key. */
export const localCaller: Caller = { actor: null, name: "", scopes };

/** Works on the keys of a database. Fails with a `StoreError`, or as the work does. */
export async function withKeys(
  { database, databasePooler, databaseWait }: Where,
  migrate: boolean,
  work: (keys: Keys) => Promise<void>,
): Promise<void> {
  const store = await openStore(
    database,
    {
      batch: 1,
      queue: 1,
      waitMs: databaseWait,
      recordRules: defaultRecordRules,
      pool: 3,
      sessions: databasePooler === "none",
      migrate,
    },
    { committed: () => undefined },
  );
  try {
    // Services find out by themselves; here is no other ring to tell.
    await work(new Keys(store.keys, { refresh: () => undefined }));
  } finally {
    await store.close();
  }
}

/** The same where there have to be keys already: neither a database nor a schema is made only to find it empty. */
export async function withExistingKeys(where: Where, work: (keys: Keys) => Promise<void>): Promise<void> {
  if (isMissingFile(where.database)) {
    throw new StoreError(
      `There is no database at ${where.database.displayName}: check DATABASE_URL or --database. roster keys create would make it.`,
    );
  }
  await withKeys(where, false, work);
}

/** Whether it is a file that would have to be made. */
export function isMissingFile(database: Where["database"]): boolean {
  return database.engine === "sqlite" && !existsSync(database.path);
}
