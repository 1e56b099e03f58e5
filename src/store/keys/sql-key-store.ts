import type { DailyUsage } from "../../contract/stats-schemas.ts";
import type { Origin } from "../../domain/caller.ts";
import type {
  KeyDraft,
  KeyStore,
  KeyUsage,
  Replacement,
  StoredKey,
  StoredSession,
} from "../../domain/keys/key-store.ts";
import type { MaybePromise } from "../../domain/maybe-promise.ts";
import type { SqlSteps } from "../lists/sql-steps.ts";
import type { KeyTables, KeyWrite, KeyWriteOutcome } from "./key-tables.ts";

/** How an engine runs the statements of the key tables. */
export interface KeyQueries {
  /** Calls `steps` once per attempt. */
  read<T>(steps: () => SqlSteps<T>): MaybePromise<T>;
  /** Runs in its own transaction, which is durable when the promise resolves. */
  write(write: KeyWrite): Promise<KeyWriteOutcome>;
}

/** Keys and sessions, for any engine. */
export class SqlKeyStore implements KeyStore {
  readonly #tables: KeyTables;
  readonly #queries: KeyQueries;

  constructor(tables: KeyTables, queries: KeyQueries) {
    this.#tables = tables;
    this.#queries = queries;
  }

  changes(after: number, month: string): MaybePromise<{ keys: StoredKey[]; last: number }> {
    return this.#queries.read(() => this.#tables.changes(after, month));
  }

  list(after: number, limit: number, month: string): MaybePromise<StoredKey[]> {
    return this.#queries.read(() => this.#tables.list(after, limit, month));
  }

  read(id: number, month: string): MaybePromise<StoredKey | undefined> {
    return this.#queries.read(() => this.#tables.read(id, month));
  }

  async create(draft: KeyDraft, replaces: Replacement | undefined, by: Origin): Promise<number> {
    return (await this.#write({ kind: "create-key", draft, replaces, by })).id;
  }

  async revoke(id: number, by: Origin): Promise<boolean> {
    return (await this.#write({ kind: "revoke-key", id, by })).found;
  }

  async count(day: string, uses: readonly KeyUsage[]): Promise<ReadonlyMap<number, number>> {
    return (await this.#write({ kind: "count-uses", day, uses })).totals;
  }

  readDailyUsage(id: number, from: string): MaybePromise<DailyUsage[]> {
    return this.#queries.read(() => this.#tables.readDailyUsage(id, from));
  }

  async removeDailyUsage(before: string): Promise<number> {
    return (await this.#write({ kind: "remove-usage", before })).removed;
  }

  async openSession(digest: string, session: StoredSession): Promise<void> {
    await this.#write({ kind: "open-session", digest, session });
  }

  readSession(digest: string): MaybePromise<StoredSession | undefined> {
    return this.#queries.read(() => this.#tables.readSession(digest));
  }

  async closeSession(digest: string): Promise<void> {
    await this.#write({ kind: "close-session", digest });
  }

  #write<W extends KeyWrite>(write: W): Promise<Extract<KeyWriteOutcome, { kind: W["kind"] }>>;
  async #write(write: KeyWrite): Promise<KeyWriteOutcome> {
    const outcome = await this.#queries.write(write);
    if (outcome.kind !== write.kind)
      throw new Error(`Expected the outcome of ${write.kind}, got ${outcome.kind}.`);
    return outcome;
  }
}
