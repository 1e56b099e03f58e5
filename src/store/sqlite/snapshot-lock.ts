import type { Database, Statement } from "bun:sqlite";
import { connect } from "./database.ts";

/** Rare reads lock for themselves. */
const READS_PER_LOCK = 16;
/** Another process can restart the log in between. */
const HOLD_MS = 5;

/**
 * Makes frequent reads cheaper. Each read has its own snapshot, which it locks and unlocks with two system calls, unless
 * another connection of this process has locked the same state of the log. This second connection does, for a few
 * milliseconds at a time. It reads no users: a read never sees an older state because of it.
 */
export class SnapshotLock {
  readonly #db: Database;
  readonly #begin: Statement;
  readonly #read: Statement;
  readonly #commit: Statement;
  readonly #isWriting: () => boolean;
  readonly #releaseLater = () => this.release();
  #reads = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** While `isWriting`, no lock is held: the writer can restart the log only without one. */
  constructor(path: string, isWriting: () => boolean) {
    this.#db = connect(path, 0);
    this.#begin = this.#db.prepare("BEGIN");
    this.#read = this.#db.prepare("SELECT users FROM directory");
    this.#commit = this.#db.prepare("COMMIT");
    this.#isWriting = isWriting;
  }

  /** Call before each read on the event loop. */
  beforeRead(): void {
    if (this.#timer === undefined && ++this.#reads >= READS_PER_LOCK) this.#hold();
  }

  release(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // Some errors, such as a damaged file, have ended the transaction.
    if (this.#db.inTransaction) this.#commit.run();
  }

  close(): void {
    this.release();
    // A connection with a statement left would stay open until the process ends.
    for (const statement of [this.#begin, this.#read, this.#commit]) statement.finalize();
    this.#db.close();
  }

  #hold(): void {
    this.#reads = 0;
    if (this.#isWriting()) return;
    this.#timer = setTimeout(this.#releaseLater, HOLD_MS);
    this.#timer.unref();
    try {
      this.#begin.run();
      this.#read.get();
    } catch {
      // The read that follows finds the same error, and reports it.
    }
  }
}
