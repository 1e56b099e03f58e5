import type { Clock } from "../../domain/clock.ts";

const OPEN = 0;
const COMMITTING = 1;
const REFUSED = 2;

/**
 * Which writes of a batch have been refused. A write that was refused must not be committed later, so an engine asks before
 * each COMMIT. The states are shared memory: on SQLite, another thread commits.
 */
export class Refusals {
  constructor(readonly states: Int32Array<SharedArrayBuffer>) {}

  static ofBatch(length: number): Refusals {
    return new Refusals(new Int32Array(new SharedArrayBuffer(length * Int32Array.BYTES_PER_ELEMENT)));
  }

  isRefused(index: number): boolean {
    return Atomics.load(this.states, index) === REFUSED;
  }

  isCommitting(index: number): boolean {
    return Atomics.load(this.states, index) === COMMITTING;
  }

  /** From now on, no COMMIT has this write. Returns whether one may already have been sent. */
  refuse(index: number): { readonly inDoubt: boolean } {
    return { inDoubt: Atomics.exchange(this.states, index, REFUSED) === COMMITTING };
  }

  /** Call this right before a COMMIT with these writes. Returns false if one has been refused: then the COMMIT must not be sent. */
  beginCommit(indexes: readonly number[]): boolean {
    for (const index of indexes) Atomics.compareExchange(this.states, index, OPEN, COMMITTING);
    if (!indexes.some((index) => this.isRefused(index))) return true;
    this.endFailedCommit(indexes);
    return false;
  }

  /** A COMMIT certainly failed, or was not sent: those of its writes that have not been refused may be tried again. */
  endFailedCommit(indexes: readonly number[]): void {
    for (const index of indexes) Atomics.compareExchange(this.states, index, COMMITTING, OPEN);
  }
}

/** A write of the batch was refused just before the COMMIT. The transaction was rolled back; the other writes can be tried again. */
export class RefusedWriteError extends Error {
  override readonly name = "RefusedWriteError";
}

/** A write, and its place in the batch. */
export interface BatchWrite<Write> {
  readonly index: number;
  readonly write: Write;
}

/** Writes that are committed together. */
export class WriteBatch<Write> {
  /** When each write is refused, in running time. Ascending. */
  readonly #deadlines: readonly number[];
  readonly #clock: Clock;
  readonly refusals: Refusals;

  constructor(
    readonly writes: readonly Write[],
    deadlines: readonly number[],
    clock: Clock,
  ) {
    this.#deadlines = deadlines;
    this.#clock = clock;
    this.refusals = Refusals.ofBatch(writes.length);
  }

  /** Whether there is time for the write, and nobody has refused it. */
  isOpen(index: number): boolean {
    return !this.refusals.isRefused(index) && this.leftMs([index]) > 0;
  }

  /** Running time until the first of these writes is refused. They are in the order in which they were submitted. */
  leftMs([first = 0]: readonly number[]): number {
    return (this.#deadlines[first] ?? 0) - this.#clock.running();
  }
}

/** The outcomes of all writes, from those of the writes that were open; null for the others. */
export function withLeftOut<Write, Outcome>(
  writes: readonly Write[],
  open: readonly Write[],
  outcomes: readonly Outcome[],
): (Outcome | null)[] {
  if (open.length === writes.length) return [...outcomes];
  const known = new Map(open.map((write, index) => [write, outcomes[index] ?? null]));
  return writes.map((write) => known.get(write) ?? null);
}
