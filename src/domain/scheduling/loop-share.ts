import { FairQueue } from "./fair-queue.ts";

/** Long work gets this much of each turn of the event loop. One step of it takes a few milliseconds more. */
const SLICE_MS = 2;

export interface TurnOptions {
  /** Goes before all others: for work with locks. */
  readonly first?: boolean;
  /** Whose work it is: a key or an address. Owners take turns. Work without an owner counts as that of one owner. */
  readonly owner?: string | undefined;
  /** Nobody else goes on in the same turn: for work that does not ask `isSpent`, and goes on over several promises. */
  readonly alone?: boolean;
}

interface Waiting {
  readonly resolve: () => void;
  readonly alone: boolean;
}

/**
 * Shares the event loop between requests and long work, such as imports. All long work of the process together gets a
 * few milliseconds per turn, and takes turns. Before each step, long work calls
 * `if (loopShare.isSpent) await loopShare.nextTurn()`.
 */
export class LoopShare {
  /** When long work began in this turn of the event loop. */
  #begin: number | undefined;
  #isEnding = false;
  readonly #first: Waiting[] = [];
  readonly #waiting = new FairQueue<Waiting>();

  /** Whether long work has used up its part of this turn. */
  get isSpent(): boolean {
    const now = performance.now();
    if (this.#begin !== undefined) return now - this.#begin > SLICE_MS;
    this.#begin = now;
    this.#endTurnLater();
    return false;
  }

  /** Resolves in a later turn. */
  nextTurn({ first = false, owner = "", alone = false }: TurnOptions = {}): Promise<void> {
    this.#endTurnLater();
    return new Promise((resolve) => {
      if (first) this.#first.push({ resolve, alone });
      else this.#waiting.add(owner, { resolve, alone });
    });
  }

  #endTurnLater(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    setImmediate(() => this.#endTurn());
  }

  async #endTurn(): Promise<void> {
    this.#isEnding = false;
    this.#begin = undefined;
    // Work that waits again in this turn goes on in a later one.
    for (let left = this.#count; left > 0 && !this.isSpent; left--) {
      const next = this.#first.shift() ?? this.#waiting.take();
      next?.resolve();
      if (next?.alone) break;
      // The caller takes its step first.
      await undefined;
    }
    if (this.#count > 0) this.#endTurnLater();
  }

  get #count(): number {
    return this.#first.length + this.#waiting.size;
  }
}

export const loopShare = new LoopShare();
