import type { StoredRecord } from "../../domain/records/record.ts";
import { loopShare } from "../../domain/scheduling/loop-share.ts";
import type { UniqueValue } from "../schema/unique-values.ts";
import type { UserReads } from "../users/user-store.ts";
import type { Reader } from "./reader.ts";
import type { StoreThreads } from "./store-threads.ts";

/** Reads users, on the main thread. */
export class SqliteUserReads implements UserReads {
  readonly #reader: Reader;
  readonly #threads: StoreThreads;

  constructor(reader: Reader, threads: StoreThreads) {
    this.#reader = reader;
    this.#threads = threads;
  }

  read(id: number): StoredRecord | undefined {
    return this.#threads.readOnMainThread(() => this.#reader.read(id));
  }

  async find(
    ids: readonly number[],
    names: readonly string[],
    values: readonly UniqueValue[] = [],
  ): Promise<StoredRecord[]> {
    const found = new Map<number, StoredRecord>();
    const add = (user: StoredRecord | undefined) => user && found.set(user.id, user);
    for (const id of ids) {
      if (loopShare.isSpent) await loopShare.nextTurn();
      add(this.read(id));
    }
    for (const name of names) {
      if (loopShare.isSpent) await loopShare.nextTurn();
      for (const user of this.#threads.onMainThread(() => this.#reader.findByName(name))) add(user);
    }
    for (const value of values) {
      if (loopShare.isSpent) await loopShare.nextTurn();
      add(this.#threads.onMainThread(() => this.#reader.findByValue(value)));
    }
    return [...found.values()];
  }
}
