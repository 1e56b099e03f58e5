import type { Actor } from "../domain/caller.ts";
import type {
  KeyDraft,
  KeyStore,
  KeyUsage,
  Replacement,
  StoredKey,
  StoredSession,
} from "../domain/key-store.ts";
import type { MaybePromise } from "../domain/maybe-promise.ts";
import type { KeyTables, KeyWrite, KeyWriteOutcome } from "./key-tables.ts";
import type { SqlSteps } from "./lists/sql-steps.ts";

/** How an engine answers what is asked of its tables of keys. */
export interface KeyQueries {
  /** What is asked may have to be asked again from the beginning. */
  read<T>(asking: () => SqlSteps<T>): MaybePromise<T>;
  /** In a transaction of its own, which is durable when it is answered. */
  write(write: KeyWrite): Promise<KeyWriteOutcome>;
}

/** Keys and sessions, for any engine. */
export class SqlKeyStore implements KeyStore {
  readonly #tables: KeyTables;
  readonly #answers: KeyQueries;

  constructor(tables: KeyTables, answers: KeyQueries) {
    this.#tables = tables;
    this.#answers = answers;
  }

  changes(after: number, month: string): MaybePromise<{ keys: StoredKey[]; last: number }> {
    return this.#answers.read(() => this.#tables.changes(after, month));
  }

  list(after: number, limit: number, month: string): MaybePromise<StoredKey[]> {
    return this.#answers.read(() => this.#tables.list(after, limit, month));
  }

  read(id: number, month: string): MaybePromise<StoredKey | undefined> {
    return this.#answers.read(() => this.#tables.read(id, month));
  }

  async create(draft: KeyDraft, replaces: Replacement | undefined, by: Actor): Promise<number> {
    const id = await this.#answers.write({ kind: "create-key", draft, replaces, by });
    if (typeof id === "number") return id;
    throw unexpected();
  }

  async revoke(id: number, by: Actor): Promise<boolean> {
    const found = await this.#answers.write({ kind: "revoke-key", id, by });
    if (typeof found === "boolean") return found;
    throw unexpected();
  }

  async count(month: string, uses: readonly KeyUsage[]): Promise<ReadonlyMap<number, number>> {
    const totals = await this.#answers.write({ kind: "count-uses", month, uses });
    if (typeof totals === "object") return totals;
    throw unexpected();
  }

  async openSession(digest: string, session: StoredSession): Promise<void> {
    await this.#answers.write({ kind: "open-session", digest, session });
  }

  readSession(digest: string): MaybePromise<StoredSession | undefined> {
    return this.#answers.read(() => this.#tables.readSession(digest));
  }

  async closeSession(digest: string): Promise<void> {
    await this.#answers.write({ kind: "close-session", digest });
  }
}

function unexpected(): Error {
  return new Error("The writer answered another question.");
}
