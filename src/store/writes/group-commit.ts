import { type Clock, Pause, systemClock, type Timer } from "../../domain/clock.ts";
import { DatabaseUnavailable } from "../../domain/database-unavailable.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import type { StoreObserver } from "../../domain/store.ts";
import { WriteBatch } from "./write-batch.ts";

interface Pending<Write, Outcome> {
  readonly write: Write;
  /** When the write is refused, in running time. */
  readonly deadline: number;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (reason: unknown) => void;
}

export interface GroupCommitOptions {
  /** Largest total weight of the writes in one transaction. */
  readonly batch: number;
  /** Largest number of queued writes. Further writes are rejected at once. */
  readonly queue: number;
  /** Longest running time from submit to outcome. Later, the write is refused with `unavailable`. */
  readonly waitMs: number;
  /** Default: the clock of the machine. */
  readonly clock?: Clock;
}

/** How often writes that have waited too long are looked for. */
const CHECK_MS = 250;
/** A batch waits for more writes for this part of the time that the last commit took. */
const WAIT_SHARE = 0.1;
/** A shorter wait costs more than it saves, and after an outage the last commit took very long. */
const WAIT_MS = { shortest: 0.5, longest: 10 } as const;

const NOT_MADE = "The database did not respond in time. The write was not made.";
const IN_DOUBT = "The database did not respond in time. The write may or may not have been committed.";

/**
 * Commits many writes in few transactions: the writes that arrive during one commit form the next batch. If commits take long, the
 * next batch also waits for the callers of the last one, who may send their next writes: otherwise, callers would form two groups
 * that wait for each other. A write
 * resolves with its own outcome once its batch is durable. A write that was refused is only in a COMMIT that had been sent before.
 */
export class GroupCommit<Write, Outcome> {
  #queue: Pending<Write, Outcome>[] = [];
  #committing:
    | { readonly pending: readonly Pending<Write, Outcome>[]; readonly batch: WriteBatch<Write> }
    | undefined;
  #running: Promise<void> | undefined;
  #timer: Timer | undefined;
  /** The number of queued writes that the next batch waits for. */
  #awaited = Number.POSITIVE_INFINITY;
  readonly #pause: Pause;
  readonly #clock: Clock;

  /** Resolves with one outcome per write; null for writes that were left out because they had been refused or were late. */
  readonly #commit: (batch: WriteBatch<Write>) => Promise<(Outcome | null)[]>;
  readonly #options: GroupCommitOptions;
  readonly #observer: StoreObserver;
  /** The weight of a write in a batch. */
  readonly #weigh: (write: Write) => number;

  constructor(
    commit: (batch: WriteBatch<Write>) => Promise<(Outcome | null)[]>,
    options: GroupCommitOptions,
    observer: StoreObserver,
    weigh: (write: Write) => number = () => 1,
  ) {
    this.#commit = commit;
    this.#options = options;
    this.#observer = observer;
    this.#weigh = weigh;
    this.#clock = options.clock ?? systemClock;
    this.#pause = new Pause(this.#clock);
  }

  submit(write: Write): Promise<Outcome> {
    if (this.#queue.length >= this.#options.queue) {
      return Promise.reject(
        new ProblemError("unavailable", "Too many writes are waiting. Try again shortly."),
      );
    }
    return new Promise((resolve, reject) => {
      this.#queue.push({ write, deadline: this.#clock.running() + this.#options.waitMs, resolve, reject });
      this.#running ??= this.#run();
      if (this.#queue.length >= this.#awaited) this.#pause.end();
    });
  }

  /** Number of writes that wait for their commit. */
  get queued(): number {
    return this.#queue.length + (this.#committing?.pending.length ?? 0);
  }

  /** Resolves when no write is queued or being committed. */
  async drain(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #run(): Promise<void> {
    this.#timer = this.#clock.every(CHECK_MS, () => this.#refuseOverdue());
    // The first batch includes the writes of all requests that have already arrived.
    await new Promise(setImmediate);
    while (this.#queue.length > 0) {
      const start = this.#clock.monotonic();
      const committed = this.#queue.splice(0, this.#batchLength());
      await this.#commitBatch(committed);
      const commitMs = this.#clock.monotonic() - start;
      await this.#waitForWrites(this.#queue.length + committed.length, commitMs);
    }
    this.#timer.clear();
    this.#running = undefined;
  }

  /** Resolves when this many writes are queued, when a batch is full, or soon. */
  async #waitForWrites(writes: number, commitMs: number): Promise<void> {
    const ms = Math.min(commitMs * WAIT_SHARE, WAIT_MS.longest);
    const awaited = Math.min(writes, this.#options.batch);
    if (ms < WAIT_MS.shortest || this.#queue.length >= awaited) return;
    this.#awaited = awaited;
    await this.#pause.wait(ms);
    this.#awaited = Number.POSITIVE_INFINITY;
  }

  /** Number of queued writes that fit into a batch; at least one. */
  #batchLength(): number {
    let weight = 0;
    let length = 0;
    for (const { write } of this.#queue) {
      weight += this.#weigh(write);
      if (weight > this.#options.batch && length > 0) break;
      length++;
    }
    return length;
  }

  async #commitBatch(pending: readonly Pending<Write, Outcome>[]): Promise<void> {
    const start = this.#clock.monotonic();
    const batch = new WriteBatch(
      pending.map(({ write }) => write),
      pending.map(({ deadline }) => deadline),
      this.#clock,
    );
    this.#committing = { pending, batch };
    try {
      const outcomes = await this.#commit(batch);
      const made = outcomes.filter((outcome) => outcome !== null).length;
      if (made > 0) this.#observer.committed(made, (this.#clock.monotonic() - start) / 1000);
      pending.forEach(({ resolve, reject }, index) => {
        const outcome = outcomes[index];
        if (outcome === undefined) reject(new Error("A write was committed without an outcome."));
        else if (outcome === null) reject(new DatabaseUnavailable(NOT_MADE));
        else resolve(outcome);
      });
    } catch (error) {
      // The engine may still be at work: whatever it does, it commits none of these writes now.
      pending.forEach(({ reject }, index) => {
        batch.refusals.refuse(index);
        reject(error);
      });
    }
    this.#committing = undefined;
  }

  /** Refuses writes that have waited too long. Rejecting a settled promise has no effect. */
  #refuseOverdue(): void {
    const now = this.#clock.running();
    const isOverdue = ({ deadline }: Pending<Write, Outcome>) => deadline < now;
    this.#committing?.pending.forEach((pending, index) => {
      if (!isOverdue(pending) || this.#committing?.batch.refusals.isRefused(index)) return;
      const inDoubt = this.#committing?.batch.refusals.refuse(index).inDoubt;
      pending.reject(new DatabaseUnavailable(inDoubt ? IN_DOUBT : NOT_MADE));
    });
    for (const { reject } of this.#queue.filter(isOverdue)) reject(new DatabaseUnavailable(NOT_MADE));
    this.#queue = this.#queue.filter((pending) => !isOverdue(pending));
  }
}
