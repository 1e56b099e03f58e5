import type { Database } from "bun:sqlite";
import { availableParallelism } from "node:os";
import type { ListQuery, Page } from "../../domain/listing.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { Soon } from "../../domain/soon.ts";
import type {
  Attempt,
  CreateOutcome,
  Once,
  Precondition,
  Store,
  StoreFigures,
  StoreObserver,
} from "../../domain/store.ts";
import type { Edit, StoredUser } from "../../domain/user.ts";
import type { Write, WriteOutcome } from "../apply-write.ts";
import { type CountRound, countAll, isEveryone } from "../lists/count.ts";
import { isQuick } from "../lists/quick.ts";
import type { StoreOptions } from "../store-options.ts";
import { Writes } from "../writes.ts";
import { isBusy, openDatabase, openReady, refuseUnfinished } from "./database.ts";
import { Reader } from "./reader.ts";
import type { ReaderAsk } from "./reader-thread.ts";
import { Thread, type ThreadSetup } from "./thread.ts";
import { Turn } from "./turn.ts";

export interface SqliteOptions extends StoreOptions {
  readonly path: string;
  /** Whether the schema is brought up to date, which it is unless said otherwise, or has to be. */
  readonly migrate?: boolean;
  /** How many users one list may look through; only tests choose it. */
  readonly candidates?: number;
}

const MAPPED_BYTES = 64 * 1024 * 1024;
const MOST_READERS = 4;

/**
 * Users in one SQLite file. What takes microseconds is read on the event loop's own thread; every write goes to one
 * thread that commits in groups, every longer list to one of a few that read.
 */
export class SqliteStore implements Store {
  readonly #db: Database;
  readonly #reader: Reader;
  readonly #turn: Turn;
  readonly #setup: ThreadSetup;
  readonly #writer: Thread<Write[], WriteOutcome[]>;
  #readers: Thread<ReaderAsk, Page | CountRound>[] = [];
  readonly #writes: Writes;

  constructor(options: SqliteOptions, observer: StoreObserver) {
    const { path, waitMs, migrate = true, recordBytes, candidates } = options;
    this.#db = migrate ? openDatabase(path, waitMs) : openReady(path, waitMs);
    refuseUnfinished(this.#db, path);
    // From now on this connection is the event loop's: it never waits for a lock, and reads the first part of the file
    // as memory, without a call to the system for each page.
    this.#db.run("PRAGMA busy_timeout = 0");
    this.#db.run(`PRAGMA mmap_size = ${MAPPED_BYTES}`);
    this.#reader = new Reader(this.#db, candidates);
    this.#turn = new Turn(this.#db);
    this.#setup = { path, waitMs, recordBytes, candidates };
    this.#writer = new Thread("writer-thread", this.#setup);
    this.#writes = new Writes((writes) => this.#commit(writes), options, observer);
  }

  read(id: number): StoredUser | undefined {
    try {
      this.#turn.enter();
      return this.#reader.read(id);
    } catch (error) {
      throw isBusy(error) ? new Refusal("unavailable", "The database is locked by another program.") : error;
    }
  }

  list(query: ListQuery): Soon<Page> {
    return query.count ? this.#pageAndTotal(query) : this.#page(query);
  }

  create(attempt: Attempt, once?: Once): Promise<CreateOutcome> {
    return this.#writes.create(attempt, once);
  }

  edit(id: number, edit: Edit, precondition?: Precondition): Promise<StoredUser> {
    return this.#writes.edit(id, edit, precondition);
  }

  remove(id: number, precondition?: Precondition): Promise<void> {
    return this.#writes.remove(id, precondition);
  }

  async ping(): Promise<void> {
    const cause = this.#writer.ended;
    if (cause) throw new Refusal("unavailable", "The thread that commits has ended.", undefined, { cause });
    this.read(1);
  }

  async figures(): Promise<StoreFigures> {
    return this.#reader.figures();
  }

  async close(): Promise<void> {
    await this.#writes.drain();
    this.#turn.leave();
    this.#db.close();
    await Promise.all(this.#readers.map((reader) => reader.end()));
    await this.#writer.end();
  }

  #page(query: ListQuery): Soon<Page> {
    if (isQuick(query)) {
      try {
        this.#turn.enter();
        return this.#reader.list(query);
      } catch (error) {
        if (!isBusy(error)) throw error;
      }
    }
    return this.#askReader({ list: query }, (answer) => ("json" in answer ? answer : undefined));
  }

  async #pageAndTotal(query: ListQuery): Promise<Page> {
    return { ...(await this.#page(query)), total: await this.#total(query) };
  }

  #total(query: ListQuery): Soon<Page["total"]> {
    if (isEveryone(query)) return { count: this.#reader.figures().users, capped: false };
    return countAll((after) =>
      this.#askReader({ count: query, after }, (answer) => ("found" in answer ? answer : undefined)),
    );
  }

  async #commit(writes: Write[]): Promise<WriteOutcome[]> {
    try {
      return await this.#writer.ask(writes);
    } finally {
      this.#turn.leave();
    }
  }

  async #askReader<T>(ask: ReaderAsk, expected: (answer: Page | CountRound) => T | undefined): Promise<T> {
    const answer = expected(await this.#leastBusyReader().ask(ask));
    if (answer === undefined) throw new Error("A reader answered another question.");
    return answer;
  }

  /** Readers are started when they are first needed: most services need none for a while. */
  #leastBusyReader(): Thread<ReaderAsk, Page | CountRound> {
    // One that has ended has nothing to do, and would be asked for ever.
    this.#readers = this.#readers.filter(({ ended }) => !ended).sort((a, b) => a.load - b.load);
    const [idlest] = this.#readers;
    const most = Math.max(1, Math.min(MOST_READERS, availableParallelism() - 1));
    if (idlest && (idlest.load === 0 || this.#readers.length >= most)) return idlest;
    const reader = new Thread<ReaderAsk, Page | CountRound>("reader-thread", this.#setup);
    this.#readers.push(reader);
    return reader;
  }
}
