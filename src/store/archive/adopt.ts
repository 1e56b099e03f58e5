import type { Database } from "bun:sqlite";
import { chmodSync, statSync } from "node:fs";
import { createSecret, secretPrefix } from "../../contract/keys/key-secret.ts";
import { commandOrigin } from "../../domain/caller.ts";
import { eventTime, firstPositionAt } from "../../domain/events/event.ts";
import { isOutdated, schemaOutdated } from "../migration.ts";
import { fileError } from "../partial-file.ts";
import {
  checkpoint,
  connectExclusively,
  migrateDatabase,
  openUnchanged,
  withStoreErrors,
} from "../sqlite/database.ts";
import { sqliteTables } from "../sqlite/table-dialect.ts";
import { StoreError } from "../store-error.ts";
import type { SequenceName } from "./archive.ts";
import type { ReportProgress } from "./backup-progress.ts";
import { openVerified } from "./restore.ts";
import { detach, disableWebhooks, runOn } from "./sqlite/detach-copy.ts";
import { SqliteArchive } from "./sqlite/sqlite-archive.ts";

/** People and scripts create keys and webhooks one by one: fewer of them can be lost than users and groups. */
const SKIPPED_KEYS_AND_WEBHOOKS = 1000;
/** Positions of events are times. This much covers a clock that is behind that of the lost machine. */
const SKIPPED_MS = 10_000;

export interface AdoptOptions {
  readonly waitMs: number;
  /** How many ids of users, and how many of groups, the lost database may have given after the last write in the copy. */
  readonly skippedIds: number;
}

interface Adoption {
  readonly users: number;
  /** When the last change in the copy was committed, in milliseconds since 1970; undefined without events. */
  readonly lastChange: number | undefined;
  readonly next: {
    readonly user: number;
    readonly group: number;
    readonly key: number;
    readonly webhook: number;
  };
  readonly disabledWebhooks: number;
}

/**
 * Makes a copy that another program has restored safe to serve: no id or position that the lost database may have given is given
 * again, and the copy is a separate database, as after `restore`. All changes are one transaction. Fails with a `StoreError`.
 */
export async function adopt(file: string, options: AdoptOptions, report: ReportProgress): Promise<Adoption> {
  const { waitMs } = options;
  if (!statSync(file, { throwIfNoEntry: false })?.isFile())
    throw new StoreError(`There is no file at ${file}.`);
  try {
    openUnchanged(file, waitMs).db.close();
    // A file in use fails here, before it is read completely.
    connectExclusively(file, waitMs).close();
    const { archive, state } = await openVerified(file, waitMs, report);
    await archive.close();
    if (state.isEarlier) throw schemaOutdated(state);
    makePrivate(file);
    if (isOutdated(state)) migrateDatabase(file, waitMs);
    const db = connectExclusively(file, waitMs);
    try {
      return await change(db, file, options);
    } finally {
      db.close();
    }
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new StoreError(error.message.replace(" with DATABASE_URL", ""), { cause: error });
  }
}

/** Programs that restore a file let every user of the machine read it. */
function makePrivate(file: string): void {
  try {
    if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
  } catch (error) {
    throw fileError(error, file);
  }
}

async function change(db: Database, file: string, { waitMs, skippedIds }: AdoptOptions): Promise<Adoption> {
  const { lastValues, rows } = await new SqliteArchive(db, file, waitMs).stats();
  const last = (name: SequenceName) => lastValues.get(name) ?? 0;
  const user = last("user_ids") + skippedIds;
  const group = last("group_ids") + skippedIds;
  const webhook = last("webhook_ids") + SKIPPED_KEYS_AND_WEBHOOKS;
  const position = Math.max(
    firstPositionAt(Date.now()),
    last("event_positions") + firstPositionAt(SKIPPED_MS),
  );
  return withStoreErrors(file, () => {
    const number = (text: string) => Number(db.query<unknown, []>(text).values()[0]?.[0] ?? 0);
    const lastEvent = number("SELECT max(position) FROM events");
    const disabledWebhooks = number("SELECT count(*) FROM webhooks WHERE active");
    const key = db
      .transaction(() => {
        detach(
          db,
          new Map([
            ["user_ids", user],
            ["group_ids", group],
            ["webhook_ids", webhook],
            ["event_positions", position],
          ]),
        );
        disableWebhooks(db);
        return skipKeyIds(db);
      })
      .immediate();
    checkpoint(db, waitMs);
    return {
      users: rows.get("users") ?? 0,
      lastChange: lastEvent === 0 ? undefined : eventTime(lastEvent),
      next: { user: user + 1, group: group + 1, key: key + 1, webhook: webhook + 1 },
      disabledWebhooks,
    };
  });
}

/** Returns the last id that it skips. A file without keys stays so: with the first key, every caller would need one. */
function skipKeyIds(db: Database): number {
  if (db.query("SELECT 1 FROM keys").get() === null) return 0;
  const draft = {
    name: "Ids that may have been given before",
    prefix: secretPrefix(createSecret()),
    // No secret has this digest.
    digest: crypto.randomUUID(),
    scopes: ["users:read"],
    expiresAt: null,
    rateLimit: null,
    quota: null,
  } as const;
  return runOn(db, sqliteTables.keys.skipIds(SKIPPED_KEYS_AND_WEBHOOKS, draft, commandOrigin));
}
