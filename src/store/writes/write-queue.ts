import { ProblemError } from "../../domain/problem-error.ts";
import type { StoreObserver } from "../../domain/store.ts";
import { type Write, type WriteOutcome, writeWeight } from "./apply-write.ts";
import { GroupCommit, type GroupCommitOptions } from "./group-commit.ts";
import type { WriteBatch } from "./write-batch.ts";

type OutcomeOf<Kind> = WriteOutcome extends infer Outcome
  ? Outcome extends { readonly kind: infer Kinds }
    ? Kind extends Kinds
      ? Outcome
      : never
    : never
  : never;

type Commit = (batch: WriteBatch<Write>) => Promise<(WriteOutcome | null)[]>;

interface WriteQueueParts {
  readonly commit: Commit;
  /** Commits bulk writes beside `commit`, if the engine can commit two batches at a time. */
  readonly commitBulk?: Commit | undefined;
  readonly options: GroupCommitOptions;
  readonly observer: StoreObserver;
}

/** Heavier writes are bulk writes, such as the chunks of an import: they take milliseconds, and other writes need not wait for them. */
const MAX_SINGLE_WEIGHT = 10;

/** Sends writes to an engine that commits them in batches. */
export class WriteQueue {
  readonly #single: GroupCommit<Write, WriteOutcome>;
  /** The same if the engine commits one batch at a time. */
  readonly #bulk: GroupCommit<Write, WriteOutcome>;

  constructor({ commit, commitBulk, options, observer }: WriteQueueParts) {
    this.#single = new GroupCommit(commit, options, observer, writeWeight);
    this.#bulk = commitBulk ? new GroupCommit(commitBulk, options, observer, writeWeight) : this.#single;
  }

  /** Number of writes that wait for their commit. */
  get queued(): number {
    return this.#queues.reduce((sum, { queued }) => sum + queued, 0);
  }

  /** Number of batches that are being committed, or wait for the connection. */
  get running(): number {
    return this.#queues.filter(({ queued }) => queued > 0).length;
  }

  get #queues(): readonly GroupCommit<Write, WriteOutcome>[] {
    return this.#single === this.#bulk ? [this.#single] : [this.#single, this.#bulk];
  }

  /** Resolves when no write is queued or being committed. */
  async drain(): Promise<void> {
    await Promise.all(this.#queues.map((queue) => queue.drain()));
  }

  /** Throws the problem or the failure of a write that was not applied. */
  submit<W extends Write>(write: W): Promise<OutcomeOf<W["kind"]>>;
  async submit(write: Write): Promise<WriteOutcome> {
    const queue = writeWeight(write) > MAX_SINGLE_WEIGHT ? this.#bulk : this.#single;
    const outcome = await queue.submit(write);
    if (outcome.kind === write.kind) return outcome;
    if (outcome.kind === "problem") throw ProblemError.of(outcome.problem);
    if (outcome.kind === "failure") throw new Error(outcome.failure);
    throw new Error(`Expected the outcome of ${write.kind}, got ${outcome.kind}.`);
  }
}
