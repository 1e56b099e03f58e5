import { type Clock, systemClock, type Timer } from "../../domain/clock.ts";
import { DatabaseUnavailable } from "../../domain/database-unavailable.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import type { StoreObserver } from "../../domain/store.ts";

interface Pending<Write, Outcome> {
  readonly write: Write;
  readonly queuedAt: number;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (reason: unknown) => void;
}

export interface GroupCommitOptions {
  /** Largest total weight of the writes in one transaction. */
  readonly batch: number;
  /** Largest number of queued writes. Further writes are rejected at once. */
  readonly queue: number;
  /** Longest running time from submit to outcome. Later, the write is rejected with `unavailable`. */
  readonly waitMs: number;
  /** Default: the clock of the machine. */
  readonly clock?: Clock;
}

/** How often writes that have waited too long are looked for. */
const CHECK_MS = 250;

/**
 * Commits many writes in few transactions: the writes that arrive during one commit form the next batch. A write
 * resolves with its own outcome once its batch is durable.
 */
export class GroupCommit<Write, Outcome> {
  #queue: Pending<Write, Outcome>[] = [];
  #committing: Pending<Write, Outcome>[] = [];
  #running: Promise<void> | undefined;
  #timer: Timer | undefined;
  readonly #clock: Clock;

  constructor(
    readonly commit: (writes: Write[]) => Promise<Outcome[]>,
    readonly options: GroupCommitOptions,
    readonly observer: StoreObserver,
    /** The weight of a write in a batch. */
    readonly weigh: (write: Write) => number = () => 1,
  ) {
    this.#clock = options.clock ?? systemClock;
  }

  submit(write: Write): Promise<Outcome> {
    if (this.#queue.length >= this.options.queue) {
      return Promise.reject(
        new ProblemError("unavailable", "Too many writes are waiting. Try again shortly."),
      );
    }
    return new Promise((resolve, reject) => {
      this.#queue.push({ write, queuedAt: this.#clock.running(), resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Number of writes that wait for their commit. */
  get queued(): number {
    return this.#queue.length + this.#committing.length;
  }

  /** Resolves when no write is queued or being committed. */
  async drain(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #run(): Promise<void> {
    this.#timer = this.#clock.every(CHECK_MS, () => this.#rejectOverdue());
    // The first batch includes the writes of all requests that have already arrived.
    await new Promise(setImmediate);
    while (this.#queue.length > 0) {
      this.#committing = this.#queue.splice(0, this.#batchLength());
      await this.#commitBatch(this.#committing);
      this.#committing = [];
    }
    this.#timer.clear();
    this.#running = undefined;
  }

  /** Number of queued writes that fit into a batch; at least one. */
  #batchLength(): number {
    let weight = 0;
    let length = 0;
    for (const { write } of this.#queue) {
      weight += this.weigh(write);
      if (weight > this.options.batch && length > 0) break;
      length++;
    }
    return length;
  }

  async #commitBatch(batch: Pending<Write, Outcome>[]): Promise<void> {
    const start = this.#clock.monotonic();
    try {
      const outcomes = await this.commit(batch.map(({ write }) => write));
      this.observer.committed(batch.length, (this.#clock.monotonic() - start) / 1000);
      batch.forEach(({ resolve, reject }, index) => {
        const outcome = outcomes[index];
        if (outcome === undefined) reject(new Error("A write was committed without an outcome."));
        else resolve(outcome);
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  /** Rejects writes that have waited too long. Rejecting a settled promise has no effect. */
  #rejectOverdue(): void {
    const limit = this.#clock.running() - this.options.waitMs;
    const isOverdue = (pending: Pending<Write, Outcome>) => pending.queuedAt < limit;
    for (const { reject } of [...this.#committing, ...this.#queue].filter(isOverdue)) {
      reject(
        new DatabaseUnavailable(
          "The database did not respond in time. The write may or may not have been committed.",
        ),
      );
    }
    this.#queue = this.#queue.filter((pending) => !isOverdue(pending));
  }
}
