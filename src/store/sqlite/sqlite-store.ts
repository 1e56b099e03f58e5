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
import { GroupCommit } from "../group-commit.ts";
import type { StoreOptions } from "../store-options.ts";
import { isBusy, openDatabase } from "./database.ts";
import { Reader } from "./reader.ts";
import { Thread, type ThreadSetup } from "./thread.ts";
import { Turn } from "./turn.ts";
import type { Write, WriteOutcome } from "./writer.ts";

export interface SqliteOptions extends StoreOptions {
  readonly path: string;
  /** How many users one list may look through; only tests choose it. */
  readonly candidates?: number;
}

/** Pages up to this size, straight from an index, take less time than asking another thread for them. */
const QUICK_PAGE = 100;
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
  readonly #readers: Thread<ListQuery, Page>[] = [];
  readonly #commits: GroupCommit<Write, WriteOutcome>;

  constructor(options: SqliteOptions, observer: StoreObserver) {
    const { path, waitMs, recordBytes, candidates } = options;
    this.#db = openDatabase(path, waitMs);
    // From now on this connection is the event loop's: it never waits for a lock.
    this.#db.run("PRAGMA busy_timeout = 0");
    this.#reader = new Reader(this.#db, candidates);
    this.#turn = new Turn(this.#db);
    this.#setup = { path, waitMs, recordBytes, candidates };
    this.#writer = new Thread("writer-thread", this.#setup);
    this.#commits = new GroupCommit((writes) => this.#commit(writes), options, observer);
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
    if (isQuick(query)) {
      try {
        this.#turn.enter();
        return this.#reader.list(query);
      } catch (error) {
        if (!isBusy(error)) throw error;
      }
    }
    return this.#leastBusyReader().ask(query);
  }

  async create(attempt: Attempt, once?: Once): Promise<CreateOutcome> {
    const outcome = await this.#commits.submit({ do: "create", attempt, once });
    if ("replayed" in outcome) return outcome;
    throw unexpected(outcome);
  }

  async edit(id: number, edit: Edit, precondition?: Precondition): Promise<StoredUser> {
    const outcome = await this.#commits.submit({ do: "edit", id, edit, precondition });
    if ("user" in outcome) return outcome.user;
    throw unexpected(outcome);
  }

  async remove(id: number, precondition?: Precondition): Promise<void> {
    const outcome = await this.#commits.submit({ do: "remove", id, precondition });
    if (!("removed" in outcome)) throw unexpected(outcome);
  }

  async ping(): Promise<void> {
    if (this.#writer.ended) throw this.#writer.ended;
    this.read(1);
  }

  async figures(): Promise<StoreFigures> {
    return this.#reader.figures();
  }

  async close(): Promise<void> {
    await this.#commits.drain();
    this.#turn.leave();
    this.#db.close();
    await Promise.all(this.#readers.map((reader) => reader.end()));
    await this.#writer.end();
  }

  async #commit(writes: Write[]): Promise<WriteOutcome[]> {
    try {
      return await this.#writer.ask(writes);
    } finally {
      this.#turn.leave();
    }
  }

  /** Readers are started when they are first needed: most services need none for a while. */
  #leastBusyReader(): Thread<ListQuery, Page> {
    const [idlest] = [...this.#readers].sort((a, b) => a.load - b.load);
    const most = Math.max(1, Math.min(MOST_READERS, availableParallelism() - 1));
    if (idlest && (idlest.load === 0 || this.#readers.length >= most)) return idlest;
    const reader = new Thread<ListQuery, Page>("reader-thread", this.#setup);
    this.#readers.push(reader);
    return reader;
  }
}

/** Certain to be done well within a millisecond, however many users there are. */
function isQuick({ limit, offset, from, search, filters }: ListQuery): boolean {
  return (
    search === undefined &&
    limit + offset + (from?.skip ?? 0) <= QUICK_PAGE &&
    filters.every(({ on }) => on === "id" || on === "email") &&
    filters.length <= 1
  );
}

function unexpected(outcome: WriteOutcome): Error {
  return "refusal" in outcome
    ? Refusal.of(outcome.refusal)
    : new Error("The writer answered another question.");
}
