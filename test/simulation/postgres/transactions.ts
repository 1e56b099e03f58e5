import { type Database, SQLiteError, type Statement } from "bun:sqlite";
import { isDeepStrictEqual } from "node:util";
import { serverError } from "./errors.ts";

export type Cell = string | number | null;
type Rows = unknown[][];
/** Runs SQL on the storage. */
export type Run = (text: string, ...values: Cell[]) => Rows;
/** The writes of a statement. It must do the same when it is run again. */
export type Effect = (run: Run) => Rows;

/** A transaction of the server: what it has written, which nobody else sees before its commit. */
export class Transaction {
  readonly effects: { readonly effect: Effect; readonly rows: Rows }[] = [];
  /** A statement has failed: only ROLLBACK is left. */
  isAborted = false;

  constructor(
    readonly beganAt: number,
    readonly isReadOnly: boolean,
  ) {}

  requireWritable(): void {
    if (this.isReadOnly) throw serverError("25006", "The transaction is read-only.");
  }
}

/**
 * Many transactions on one SQLite database, which can have only one. A transaction is applied while one of its statements runs, and
 * taken back before a statement of another one runs: its effects are then run again on what others have committed. So a statement
 * sees what was committed when it runs, and what its own transaction has written, as with READ COMMITTED. Locks keep others from
 * changing what the effects depend on.
 */
export class TransactionStorage {
  readonly #db: Database;
  readonly #statements = new Map<string, Statement<unknown, Cell[]>>();
  /** The transaction whose effects are in the database now. */
  #applied: Transaction | undefined;
  readonly #settings: { readonly holdsPublishLock: boolean };
  /** Called at the moment at which something is committed. */
  onCommit: () => void = () => undefined;
  readonly #run: Run = (text, ...values) => {
    let statement = this.#statements.get(text);
    if (!statement) {
      statement = this.#db.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement.values(...values);
  };

  constructor(db: Database, settings: { readonly holdsPublishLock: boolean }) {
    this.#db = db;
    this.#settings = settings;
  }

  /** What has been committed. */
  get committed(): Database {
    this.#takeBack();
    return this.#db;
  }

  read(transaction: Transaction, text: string, values: readonly Cell[]): Rows {
    this.#apply(transaction);
    return this.#run(text, ...values);
  }

  write(transaction: Transaction, effect: Effect): Rows {
    this.#apply(transaction);
    try {
      if (transaction.effects.length === 0) this.#begin(transaction);
      const rows = effect(this.#run);
      transaction.effects.push({ effect, rows });
      return rows;
    } catch (error) {
      this.#takeBack();
      throw toServerError(error);
    }
  }

  commit(transaction: Transaction): void {
    if (transaction.effects.length === 0) return;
    this.#apply(transaction);
    this.#run("RELEASE applied");
    this.#applied = undefined;
    this.onCommit();
  }

  rollback(transaction: Transaction): void {
    if (this.#applied === transaction) this.#takeBack();
    transaction.effects.length = 0;
  }

  #apply(transaction: Transaction): void {
    if (this.#applied === transaction) return;
    this.#takeBack();
    if (transaction.effects.length === 0) return;
    this.#begin(transaction);
    for (const { effect, rows } of transaction.effects) {
      const again = effect(this.#run);
      // Without the lock of publishing, an effect can find other events.
      if (this.#settings.holdsPublishLock && !isDeepStrictEqual(again, rows))
        throw new Error(`An effect has other rows when it is run again: a lock is missing. ${effect}`);
    }
  }

  #begin(transaction: Transaction): void {
    this.#run("SAVEPOINT applied");
    this.#applied = transaction;
  }

  #takeBack(): void {
    if (!this.#applied) return;
    this.#applied = undefined;
    this.#run("ROLLBACK TO applied");
    this.#run("RELEASE applied");
  }
}

function toServerError(error: unknown): unknown {
  const isDuplicate =
    error instanceof SQLiteError && /^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)$/.test(error.code ?? "");
  return isDuplicate ? serverError("23505", `Another row has the same key (${error.message}).`) : error;
}
