import type { Database, Statement } from "bun:sqlite";

/**
 * One read transaction for all reads in one turn of the event loop: BEGIN and COMMIT cost as much as a read by id. A
 * caller that receives the response to a write sends its next request in a later turn, so that request sees the write.
 * Code that learns of a commit within a turn must call `end`.
 */
export class ReadTransaction {
  readonly #db: Database;
  readonly #begin: Statement;
  readonly #commit: Statement;
  #open = false;
  readonly #endLater = () => this.end();

  constructor(db: Database) {
    this.#db = db;
    this.#begin = db.prepare("BEGIN");
    this.#commit = db.prepare("COMMIT");
  }

  begin(): void {
    if (this.#open) return;
    this.#begin.run();
    this.#open = true;
    setImmediate(this.#endLater);
  }

  end(): void {
    if (!this.#open) return;
    this.#open = false;
    try {
      this.#commit.run();
    } catch {
      // The read has already failed with this error. Thrown here, it would end the process.
      if (this.#db.inTransaction) this.#db.run("ROLLBACK");
    }
  }
}
