import { ProblemError } from "../domain/problem-error.ts";
import type { StoreObserver } from "../domain/store.ts";

interface Pending<Write, Outcome> {
  readonly write: Write;
  readonly queuedAt: number;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (reason: unknown) => void;
}

/** How writes are gathered. */
export interface GroupCommitOptions {
  /** The most writes in one transaction, by their weight. */
  readonly batch: number;
  /** The most writes that may wait; one more is refused at once. */
  readonly queue: number;
  /** How long a write may take in all before its caller is told to try again. */
  readonly waitMs: number;
}

/**
 * Turns many writes into few transactions: whatever arrives while one batch is being committed makes up the next.
 * A write is answered when its batch is durable, and gets an outcome of its own.
 */
export class GroupCommit<Write, Outcome> {
  #queue: Pending<Write, Outcome>[] = [];
  #committing: Pending<Write, Outcome>[] = [];
  #running: Promise<void> | undefined;
  #sweep: ReturnType<typeof setInterval> | undefined;

  constructor(
    readonly commit: (writes: Write[]) => Promise<Outcome[]>,
    readonly options: GroupCommitOptions,
    readonly observer: StoreObserver,
    /** How much a write counts towards a batch. */
    readonly weightOf: (write: Write) => number = () => 1,
  ) {}

  submit(write: Write): Promise<Outcome> {
    if (this.#queue.length >= this.options.queue) {
      return Promise.reject(
        new ProblemError("unavailable", "Too many writes are waiting: try again shortly."),
      );
    }
    return new Promise((resolve, reject) => {
      this.#queue.push({ write, queuedAt: performance.now(), resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when nothing is waiting or being committed. */
  async drain(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #run(): Promise<void> {
    this.#sweep = setInterval(() => this.#refuseOverdue(), 250);
    // Lets the writes of every request that has arrived already join the first batch.
    await new Promise(setImmediate);
    while (this.#queue.length > 0) {
      this.#committing = this.#queue.splice(0, this.#batchLength());
      await this.#commitBatch(this.#committing);
      this.#committing = [];
    }
    clearInterval(this.#sweep);
    this.#running = undefined;
  }

  /** As many as together weigh no more than a batch may; one at least. */
  #batchLength(): number {
    let weight = 0;
    let length = 0;
    for (const { write } of this.#queue) {
      weight += this.weightOf(write);
      if (weight > this.options.batch && length > 0) break;
      length++;
    }
    return length;
  }

  async #commitBatch(batch: Pending<Write, Outcome>[]): Promise<void> {
    const start = performance.now();
    try {
      const outcomes = await this.commit(batch.map(({ write }) => write));
      this.observer.committed(batch.length, (performance.now() - start) / 1000);
      batch.forEach(({ resolve, reject }, index) => {
        const outcome = outcomes[index];
        if (outcome === undefined) reject(new Error("A write was committed without an outcome."));
        else resolve(outcome);
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  /** Callers are not kept waiting on a database that has stopped answering; settling twice does no harm. */
  #refuseOverdue(): void {
    const limit = performance.now() - this.options.waitMs;
    const overdue = (pending: Pending<Write, Outcome>) => pending.queuedAt < limit;
    for (const { reject } of [...this.#committing, ...this.#queue].filter(overdue)) {
      reject(
        new ProblemError(
          "unavailable",
          "The database did not take the write in time: it may or may not have been committed.",
        ),
      );
    }
    this.#queue = this.#queue.filter((pending) => !overdue(pending));
  }
}
