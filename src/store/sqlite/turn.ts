import type { Database, Statement } from "bun:sqlite";

/**
 * Reads in one turn of the event loop share one read transaction, since beginning and ending one costs as much as a
 * read by id. A request that follows an acknowledged write is received in a later turn than that write's answer was
 * sent, so it sees the write; whoever learns of a commit within a turn calls `leave`.
 */
export class Turn {
  readonly #begin: Statement;
  readonly #end: Statement;
  #open = false;
  readonly #leave = () => this.leave();

  constructor(db: Database) {
    this.#begin = db.prepare("BEGIN");
    this.#end = db.prepare("COMMIT");
  }

  enter(): void {
    if (this.#open) return;
    this.#begin.run();
    this.#open = true;
    setImmediate(this.#leave);
  }

  leave(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#end.run();
  }
}
