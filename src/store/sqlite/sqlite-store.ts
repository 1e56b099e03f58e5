import type { Database } from "bun:sqlite";
import type { KeyStore } from "../../domain/key-store.ts";
import type { ListQuery, Page } from "../../domain/listing.ts";
import type { MaybePromise } from "../../domain/maybe-promise.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import type {
  Actor,
  Attempt,
  CreateOutcome,
  IdempotencyKey,
  ImportLine,
  ImportOutcome,
  Precondition,
  Store,
  StoreFigures,
  StoreObserver,
} from "../../domain/store.ts";
import type { Edit, StoredUser } from "../../domain/user.ts";
import type { Write, WriteOutcome } from "../apply-write.ts";
import { TabledKeys } from "../key-store.ts";
import type { KeyWrite, KeyWriteOutcome } from "../keys.ts";
import { countInRounds, isUnfiltered } from "../lists/count.ts";
import { isFastList } from "../lists/fast-list.ts";
import type { StoreOptions } from "../store-options.ts";
import { Writes } from "../writes.ts";
import { isBusy, openDatabase, openReady, refuseUnfinished } from "./database.ts";
import { sqliteKeys } from "./key-tables.ts";
import { ReadTransaction } from "./read-transaction.ts";
import { Reader } from "./reader.ts";
import { ReaderPool, type ReaderResult } from "./reader-pool.ts";
import type { ReaderJob } from "./reader-thread.ts";
import { Thread } from "./thread.ts";
import type { WriterAnswer, WriterAsk } from "./writer-thread.ts";

export interface SqliteOptions extends StoreOptions {
  readonly path: string;
  /** Whether the schema is brought up to date, which it is unless said otherwise, or has to be. */
  readonly migrate?: boolean;
  /** How many users one list may look through; only tests choose it. */
  readonly maxCandidates?: number;
}

const MAPPED_BYTES = 64 * 1024 * 1024;

/**
 * Users in one SQLite file. What takes microseconds is read on the event loop's own thread; every write goes to one
 * thread that commits in groups, every longer list to one of a few that read.
 */
export class SqliteStore implements Store {
  readonly #db: Database;
  readonly #reader: Reader;
  readonly #readTransaction: ReadTransaction;
  readonly #writer: Thread<WriterAsk, WriterAnswer>;
  readonly #readerPool: ReaderPool;
  readonly #writes: Writes;
  readonly keys: KeyStore;

  constructor(options: SqliteOptions, observer: StoreObserver) {
    const { path, waitMs, migrate = true, recordBytes, maxCandidates } = options;
    this.#db = migrate ? openDatabase(path, waitMs) : openReady(path, waitMs);
    refuseUnfinished(this.#db, path);
    // From now on this connection is the event loop's: it never waits for a lock, and reads the first part of the file
    // as memory, without a call to the system for each page.
    this.#db.run("PRAGMA busy_timeout = 0");
    this.#db.run(`PRAGMA mmap_size = ${MAPPED_BYTES}`);
    this.#reader = new Reader(this.#db, maxCandidates);
    this.#readTransaction = new ReadTransaction(this.#db);
    const setup = { path, waitMs, recordBytes, maxCandidates };
    this.#writer = new Thread("writer-thread", setup);
    this.#readerPool = new ReaderPool({ start: () => new Thread("reader-thread", setup), waitMs });
    this.#writes = new Writes((writes) => this.#commit(writes), options, observer);
    this.keys = new TabledKeys(sqliteKeys, {
      read: (asking) => this.#answer(() => this.#reader.runSteps(asking())),
      write: (write) => this.#changeKeys(write),
    });
  }

  read(id: number): StoredUser | undefined {
    return this.#answer(() => this.#reader.read(id));
  }

  list(query: ListQuery): MaybePromise<Page> {
    const since = performance.now();
    return query.count ? this.#pageAndTotal(query, since) : this.#page(query, since);
  }

  create(attempt: Attempt, idempotencyKey?: IdempotencyKey, by?: Actor): Promise<CreateOutcome> {
    return this.#writes.create(attempt, idempotencyKey, by);
  }

  import(lines: readonly ImportLine[], idempotencyKey?: IdempotencyKey, by?: Actor): Promise<ImportOutcome> {
    return this.#writes.import(lines, idempotencyKey, by);
  }

  edit(id: number, edit: Edit, precondition?: Precondition, by?: Actor): Promise<StoredUser> {
    return this.#writes.edit(id, edit, precondition, by);
  }

  remove(id: number, precondition?: Precondition, by?: Actor): Promise<void> {
    return this.#writes.remove(id, precondition, by);
  }

  async ping(): Promise<void> {
    const cause = this.#writer.ended;
    if (cause)
      throw new ProblemError("unavailable", "The thread that commits has ended.", undefined, { cause });
    this.read(1);
  }

  async figures(): Promise<StoreFigures> {
    return this.#reader.figures();
  }

  async close(): Promise<void> {
    await this.#writes.drain();
    this.#readTransaction.end();
    this.#db.close();
    await this.#readerPool.close();
    await this.#writer.end();
  }

  /** On the event loop's own thread. */
  #answer<T>(work: () => T): T {
    try {
      this.#readTransaction.begin();
      return work();
    } catch (error) {
      throw isBusy(error)
        ? new ProblemError("unavailable", "The database is locked by another program.")
        : error;
    }
  }

  #page(query: ListQuery, since: number): MaybePromise<Page> {
    if (isFastList(query)) {
      try {
        this.#readTransaction.begin();
        return this.#reader.list(query);
      } catch (error) {
        if (!isBusy(error)) throw error;
      }
    }
    return this.#runOnReaderThread({ list: query }, since, (answer) =>
      "body" in answer ? answer : undefined,
    );
  }

  async #pageAndTotal(query: ListQuery, since: number): Promise<Page> {
    return { ...(await this.#page(query, since)), total: await this.#total(query, since) };
  }

  #total(query: ListQuery, since: number): MaybePromise<Page["total"]> {
    if (isUnfiltered(query)) return { count: this.#reader.figures().users, capped: false };
    return countInRounds((after) =>
      this.#runOnReaderThread({ count: query, after }, since, (answer) =>
        "found" in answer ? answer : undefined,
      ),
    );
  }

  async #commit(writes: Write[]): Promise<WriteOutcome[]> {
    const outcomes = await this.#askWriter(writes);
    if (Array.isArray(outcomes)) return outcomes;
    throw new Error("The writer answered another question.");
  }

  async #changeKeys(write: KeyWrite): Promise<KeyWriteOutcome> {
    const outcome = await this.#askWriter(write);
    if (!Array.isArray(outcome)) return outcome;
    throw new Error("The writer answered another question.");
  }

  async #askWriter(ask: WriterAsk): Promise<WriterAnswer> {
    try {
      return await this.#writer.ask(ask);
    } finally {
      this.#readTransaction.end();
    }
  }

  async #runOnReaderThread<T>(
    ask: ReaderJob,
    since: number,
    expected: (answer: ReaderResult) => T | undefined,
  ): Promise<T> {
    const answer = expected(await this.#readerPool.ask(ask, since));
    if (answer === undefined) throw new Error("A reader answered another question.");
    return answer;
  }
}
