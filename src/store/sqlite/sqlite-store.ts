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
import { countAll, isEveryone } from "../lists/count.ts";
import { isQuick } from "../lists/quick.ts";
import type { StoreOptions } from "../store-options.ts";
import { Writes } from "../writes.ts";
import { isBusy, openDatabase, openReady, refuseUnfinished } from "./database.ts";
import { sqliteKeys } from "./key-tables.ts";
import { ReadTransaction } from "./read-transaction.ts";
import { Reader } from "./reader.ts";
import type { ReaderAsk } from "./reader-thread.ts";
import { type ReaderAnswer, Readers } from "./readers.ts";
import { Thread } from "./thread.ts";
import type { WriterAnswer, WriterAsk } from "./writer-thread.ts";

export interface SqliteOptions extends StoreOptions {
  readonly path: string;
  /** Whether the schema is brought up to date, which it is unless said otherwise, or has to be. */
  readonly migrate?: boolean;
  /** How many users one list may look through; only tests choose it. */
  readonly candidates?: number;
}

const MAPPED_BYTES = 64 * 1024 * 1024;

/**
 * Users in one SQLite file. What takes microseconds is read on the event loop's own thread; every write goes to one
 * thread that commits in groups, every longer list to one of a few that read.
 */
export class SqliteStore implements Store {
  readonly #db: Database;
  readonly #reader: Reader;
  readonly #turn: ReadTransaction;
  readonly #writer: Thread<WriterAsk, WriterAnswer>;
  readonly #readers: Readers;
  readonly #writes: Writes;
  readonly keys: KeyStore;

  constructor(options: SqliteOptions, observer: StoreObserver) {
    const { path, waitMs, migrate = true, recordBytes, candidates } = options;
    this.#db = migrate ? openDatabase(path, waitMs) : openReady(path, waitMs);
    refuseUnfinished(this.#db, path);
    // From now on this connection is the event loop's: it never waits for a lock, and reads the first part of the file
    // as memory, without a call to the system for each page.
    this.#db.run("PRAGMA busy_timeout = 0");
    this.#db.run(`PRAGMA mmap_size = ${MAPPED_BYTES}`);
    this.#reader = new Reader(this.#db, candidates);
    this.#turn = new ReadTransaction(this.#db);
    const setup = { path, waitMs, recordBytes, candidates };
    this.#writer = new Thread("writer-thread", setup);
    this.#readers = new Readers({ start: () => new Thread("reader-thread", setup), waitMs });
    this.#writes = new Writes((writes) => this.#commit(writes), options, observer);
    this.keys = new TabledKeys(sqliteKeys, {
      read: (asking) => this.#answer(() => this.#reader.answer(asking())),
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
    this.#turn.leave();
    this.#db.close();
    await this.#readers.close();
    await this.#writer.end();
  }

  /** On the event loop's own thread. */
  #answer<T>(work: () => T): T {
    try {
      this.#turn.enter();
      return work();
    } catch (error) {
      throw isBusy(error)
        ? new ProblemError("unavailable", "The database is locked by another program.")
        : error;
    }
  }

  #page(query: ListQuery, since: number): MaybePromise<Page> {
    if (isQuick(query)) {
      try {
        this.#turn.enter();
        return this.#reader.list(query);
      } catch (error) {
        if (!isBusy(error)) throw error;
      }
    }
    return this.#askReader({ list: query }, since, (answer) => ("body" in answer ? answer : undefined));
  }

  async #pageAndTotal(query: ListQuery, since: number): Promise<Page> {
    return { ...(await this.#page(query, since)), total: await this.#total(query, since) };
  }

  #total(query: ListQuery, since: number): MaybePromise<Page["total"]> {
    if (isEveryone(query)) return { count: this.#reader.figures().users, capped: false };
    return countAll((after) =>
      this.#askReader({ count: query, after }, since, (answer) => ("found" in answer ? answer : undefined)),
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
      this.#turn.leave();
    }
  }

  async #askReader<T>(
    ask: ReaderAsk,
    since: number,
    expected: (answer: ReaderAnswer) => T | undefined,
  ): Promise<T> {
    const answer = expected(await this.#readers.ask(ask, since));
    if (answer === undefined) throw new Error("A reader answered another question.");
    return answer;
  }
}
