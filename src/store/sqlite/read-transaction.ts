import type { Database, Statement } from "bun:sqlite";

/**
 * Reads in one turn of the event loop share one read transaction, since beginning and ending one costs as much as a
 * read by id. A request that follows an acknowledged write is received in a later turn than that write's answer was
 * sent, so it sees the write; whoever learns of a commit within a turn calls `leave`.
 */
export class ReadTransaction {
  readonly #db: Database;
  readonly #begin: Statement;
  readonly #end: Statement;
  #open = false;
  readonly #leave = () => this.end();

  constructor(db: Database) {
    this.#db = db;
    this.#begin = db.prepare("BEGIN");
    this.#end = db.prepare("COMMIT");
  }

  begin(): void {
    if (this.#open) return;
    this.#begin.run();
    this.#open = true;
    setImmediate(this.#leave);
  }

  end(): void {
    if (!this.#open) return;
    this.#open = false;
    try {
      this.#end.run();
    } catch {
      // Whoever read has had the error already; here it would end the process.
      if (this.#db.inTransaction) this.#db.run("ROLLBACK");
    }
  }
}
