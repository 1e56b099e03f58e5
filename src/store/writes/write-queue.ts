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

/** Sends writes to an engine that commits them in batches. */
export class WriteQueue {
  readonly #commits: GroupCommit<Write, WriteOutcome>;

  constructor(
    commit: (batch: WriteBatch<Write>) => Promise<(WriteOutcome | null)[]>,
    options: GroupCommitOptions,
    observer: StoreObserver,
  ) {
    this.#commits = new GroupCommit(commit, options, observer, writeWeight);
  }

  /** Number of writes that wait for their commit. */
  get queued(): number {
    return this.#commits.queued;
  }

  /** Resolves when no write is queued or being committed. */
  drain(): Promise<void> {
    return this.#commits.drain();
  }

  /** Throws the problem or the failure of a write that was not applied. */
  submit<W extends Write>(write: W): Promise<OutcomeOf<W["kind"]>>;
  async submit(write: Write): Promise<WriteOutcome> {
    const outcome = await this.#commits.submit(write);
    if (outcome.kind === write.kind) return outcome;
    if (outcome.kind === "problem") throw ProblemError.of(outcome.problem);
    if (outcome.kind === "failure") throw new Error(outcome.failure);
    throw new Error(`Expected the outcome of ${write.kind}, got ${outcome.kind}.`);
  }
}
