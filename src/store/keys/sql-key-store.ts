import type { DailyUsage } from "../../contract/users/stats-schemas.ts";
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
import { runWrite, type TableQueries } from "../sql/table-queries.ts";
import type { KeyTables, KeyWrite, KeyWriteOutcome } from "./key-tables.ts";

/** Keys and sessions, for any engine. */
export class SqlKeyStore implements KeyStore {
  readonly #tables: KeyTables;
  readonly #queries: TableQueries<KeyWrite, KeyWriteOutcome>;

  constructor(tables: KeyTables, queries: TableQueries<KeyWrite, KeyWriteOutcome>) {
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
    return (await runWrite(this.#queries, { kind: "create-key", draft, replaces, by })).id;
  }

  async revoke(id: number, by: Origin): Promise<boolean> {
    return (await runWrite(this.#queries, { kind: "revoke-key", id, by })).found;
  }

  async count(day: string, uses: readonly KeyUsage[]): Promise<ReadonlyMap<number, number>> {
    return (await runWrite(this.#queries, { kind: "count-uses", day, uses })).totals;
  }

  readDailyUsage(id: number, from: string): MaybePromise<DailyUsage[]> {
    return this.#queries.read(() => this.#tables.usage.readDaily(id, from));
  }

  async removeDailyUsage(before: string): Promise<number> {
    return (await runWrite(this.#queries, { kind: "remove-usage", before })).removed;
  }

  async openSession(digest: string, session: StoredSession): Promise<void> {
    await runWrite(this.#queries, { kind: "open-session", digest, session });
  }

  readSession(digest: string): MaybePromise<StoredSession | undefined> {
    return this.#queries.read(() => this.#tables.sessions.read(digest));
  }

  async closeSession(digest: string): Promise<void> {
    await runWrite(this.#queries, { kind: "close-session", digest });
  }
}
