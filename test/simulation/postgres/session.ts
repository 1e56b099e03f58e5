import { SQL } from "bun";
import type { Timer } from "../../../src/domain/clock.ts";
import { serverError } from "./errors.ts";
import type { StatementSteps } from "./execution.ts";
import type { PostgresServer } from "./server.ts";
import { runStatement } from "./statements.ts";
import { Transaction } from "./transactions.ts";

/** What the server answers to a statement. */
export type Answer =
  | { readonly rows: unknown[][]; readonly command: string; readonly isInTransaction: boolean }
  | { readonly error: Error };

export interface Message {
  readonly text: string;
  readonly values: readonly (string | null)[];
  readonly answer: (answer: Answer) => void;
}

/** The settings of a session; undefined: no limit. */
export interface SessionSettings {
  readonly statementTimeoutMs: number | undefined;
  readonly idleInTransactionMs: number | undefined;
}

/** PostgreSQL looks for a deadlock when a statement has waited this long. */
const DEADLOCK_MS = 1000;

/** The first message of a connection. */
export const CONNECT = "CONNECT";

/** The server's side of a connection: handles its statements in order, one at a time. */
export class Session {
  readonly #server: PostgresServer;
  readonly #settings: SessionSettings;
  /** Called when the server ends the session by itself. */
  readonly #onEnd: () => void;
  readonly #messages: Message[] = [];
  #transaction: Transaction | undefined;
  /** The transaction of the last statement: outside of a transaction, its own. */
  #running: Transaction | undefined;
  /** When the statement takes too long. */
  #statementEndsAt = 0;
  #isBusy = false;
  #isCommitting = false;
  #isHungUp = false;
  #hasEnded = false;
  #timers: Timer[] = [];

  constructor(server: PostgresServer, settings: SessionSettings, onEnd: () => void) {
    this.#server = server;
    this.#settings = settings;
    this.#onEnd = onEnd;
  }

  /** Whether a transaction has begun, or a statement runs in its own. */
  get isActive(): boolean {
    return this.#transaction !== undefined || this.#isBusy;
  }

  receive(message: Message): void {
    if (this.#hasEnded || this.#isHungUp) return;
    this.#messages.push(message);
    this.#handleNext();
  }

  /** Nothing more will arrive. What has arrived is still handled, unless it waits for a lock. */
  hangUp(): void {
    this.#isHungUp = true;
    if (this.#isBusy && !this.#isCommitting) this.end();
    else this.#handleNext();
  }

  /** Rolls back, also what is being committed. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#clearTimers();
    this.#transaction = undefined;
    if (this.#running) this.#release(this.#running);
    this.#onEnd();
  }

  #handleNext(): void {
    while (!this.#isBusy && !this.#hasEnded) {
      const message = this.#messages.shift();
      if (!message) break;
      this.#isBusy = true;
      this.#clearTimers();
      this.#handle(message);
    }
    if (this.#isBusy || this.#hasEnded) return;
    if (this.#isHungUp) this.end();
    else if (this.#transaction) this.#after(this.#settings.idleInTransactionMs, () => this.end());
  }

  #handle(message: Message): void {
    const { text } = message;
    if (text === CONNECT) this.#answer(message, [], text);
    else if (text.startsWith("BEGIN")) {
      // A list has one snapshot in PostgreSQL. Here, each of its statements sees what has been committed.
      this.#transaction ??= this.#begin(text.includes("READ ONLY"));
      this.#answer(message, [], "BEGIN");
    } else if (text === "COMMIT" || text === "ROLLBACK") this.#endTransaction(message);
    else if (this.#transaction?.isAborted) {
      this.#fail(message, serverError("25P02", "The transaction is aborted: only ROLLBACK is left."));
    } else this.#execute(message);
  }

  #begin(isReadOnly: boolean): Transaction {
    return new Transaction(this.#server.now, isReadOnly || this.#server.isReadOnly);
  }

  #endTransaction(message: Message): void {
    const transaction = this.#transaction;
    if (transaction && !transaction.isAborted && message.text === "COMMIT") {
      this.#commit(transaction, () => this.#answer(message, [], "COMMIT"));
      return;
    }
    this.#transaction = undefined;
    if (transaction) this.#release(transaction);
    this.#answer(message, [], transaction ? "ROLLBACK" : message.text);
  }

  /** A statement outside of a transaction is one of its own. */
  #execute(message: Message): void {
    const server = this.#server;
    const transaction = this.#transaction ?? this.#begin(false);
    this.#running = transaction;
    this.#statementEndsAt = server.now + (this.#settings.statementTimeoutMs ?? Number.POSITIVE_INFINITY);
    const steps = runStatement({
      transaction,
      text: message.text,
      values: message.values,
      sequences: server.sequences,
      keepsIndexes: server.settings.keepsIndexes,
      holdsPublishLock: server.settings.holdsPublishLock,
      now: () => server.now,
      read: (text, ...values) => server.transactions.read(transaction, text, values),
      write: (effect) => server.transactions.write(transaction, effect),
      tryLock: (request) => server.locks.tryAcquire(transaction, request),
    });
    this.#goOn(message, transaction, steps);
  }

  #goOn(message: Message, transaction: Transaction, steps: StatementSteps): void {
    this.#clearTimers();
    try {
      let step = steps.next();
      while (!step.done) {
        const isGranted = this.#server.locks.acquire(transaction, step.value, () =>
          this.#goOn(message, transaction, steps),
        );
        if (!isGranted) {
          this.#limitWait(message, transaction);
          return;
        }
        step = steps.next();
      }
      const rows = step.value;
      if (this.#transaction) this.#answer(message, rows, "");
      else this.#commit(transaction, () => this.#answer(message, rows, ""));
    } catch (error) {
      if (!(error instanceof SQL.PostgresError)) throw error;
      this.#abort(transaction);
      this.#fail(message, error);
    }
  }

  #limitWait(message: Message, transaction: Transaction): void {
    const fail = (code: string, reason: string) => {
      this.#abort(transaction);
      this.#fail(message, serverError(code, reason));
    };
    this.#after(this.#statementEndsAt - this.#server.now, () =>
      fail("57014", "The statement took too long."),
    );
    this.#after(DEADLOCK_MS, () => {
      if (this.#server.locks.isDeadlocked(transaction)) fail("40P01", "Transactions wait for each other.");
    });
  }

  /** PostgreSQL releases the locks when a statement fails, before the ROLLBACK. */
  #abort(transaction: Transaction): void {
    transaction.isAborted = true;
    this.#release(transaction);
  }

  #release(transaction: Transaction): void {
    this.#server.transactions.rollback(transaction);
    this.#server.locks.release(transaction);
  }

  /** Others get the locks after they can see what has been written. */
  #commit(transaction: Transaction, onCommitted: () => void): void {
    const commit = () => {
      this.#server.transactions.commit(transaction);
      this.#transaction = undefined;
      this.#isCommitting = false;
      this.#server.locks.release(transaction);
      onCommitted();
    };
    if (transaction.effects.length === 0) {
      commit();
      return;
    }
    // Until then, the end of the session rolls the transaction back.
    this.#transaction = transaction;
    this.#isCommitting = true;
    this.#after(this.#server.pickCommitMs(), commit);
  }

  #answer(message: Message, rows: unknown[][], command: string): void {
    message.answer({ rows, command, isInTransaction: this.#transaction !== undefined });
    this.#finish();
  }

  #fail(message: Message, error: Error): void {
    message.answer({ error });
    this.#finish();
  }

  #finish(): void {
    this.#isBusy = false;
    this.#handleNext();
  }

  #after(ms: number | undefined, run: () => void): void {
    if (ms === undefined) return;
    this.#timers.push(this.#server.after(ms, () => this.#hasEnded || run()));
  }

  #clearTimers(): void {
    for (const timer of this.#timers) timer.clear();
    this.#timers = [];
  }
}
