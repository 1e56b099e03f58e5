import { existsSync } from "node:fs";
import { ConfigError, type Environment, readFlags, type Values } from "../config/config.ts";
import { scopes } from "../contract/keys/key.ts";
import { type Caller, commandOrigin } from "../domain/caller.ts";
import { systemClock } from "../domain/clock.ts";
import { KeyRing } from "../domain/keys/key-ring.ts";
import { Keys } from "../domain/keys/keys.ts";
import { defaultRecordRules } from "../domain/users/record-rules.ts";
import { openStore } from "../store/open-store.ts";
import { StoreError } from "../store/store-error.ts";
import type { databaseFlags } from "./flags/database-flags.ts";
import { resolveService, serviceFlags } from "./flags/service-flags.ts";

type DatabaseOptions = Values<typeof databaseFlags>;

/** Access to the database implies every scope: the command line needs no API key. */
export const localCaller: Caller = { actor: commandOrigin.actor, name: "", scopes };

/** Runs `work` on the keys of a database. Throws a `StoreError` if the database cannot be opened. */
export async function withKeys(
  { database, databasePooler, databaseWait }: DatabaseOptions,
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
      dedicatedSessions: databasePooler === "none",
      migrate,
    },
    { committed: () => undefined },
  );
  try {
    const ring = new KeyRing(store.keys, systemClock);
    await ring.refresh();
    await work(new Keys(store.keys, ring, systemClock));
  } finally {
    await store.close();
  }
}

/** Like `withKeys`, without creating a database or a schema. */
export async function withExistingKeys(
  options: DatabaseOptions,
  env: Environment,
  work: (keys: Keys) => Promise<void>,
): Promise<void> {
  if (isMissingFile(options.database)) {
    throw new StoreError(
      `There is no database at ${options.database.displayName}. On the host of a service, set DATABASE_URL or --database to its database, or create one with \`roster keys create\`. ${howToReachService(env)}`,
    );
  }
  await withKeys(options, false, work);
}

/** How to manage the keys of a service that runs on another machine, with its URL if it is known. */
export function howToReachService(env: Environment): string {
  const url = findServiceUrl(env);
  const keys = url === undefined ? "/keys of the service" : `${url}/keys`;
  return `For a service elsewhere, open ${keys} in a browser, or call its /api/keys, with a key that has the scope keys:manage.`;
}

/** The URL of ROSTER_URL or of the profile. Undefined without them, and if they are invalid: keys do not need them. */
function findServiceUrl(env: Environment): string | undefined {
  try {
    const { url } = resolveService(readFlags(serviceFlags, [], env), env);
    return url === serviceFlags.url.default ? undefined : url.replace(/\/+$/, "");
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

/** Whether the database is an SQLite file that does not exist. */
export function isMissingFile(database: DatabaseOptions["database"]): boolean {
  return database.engine === "sqlite" && !existsSync(database.path);
}
