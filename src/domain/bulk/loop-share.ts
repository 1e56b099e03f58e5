/** Long work gets this much of each turn of the event loop. One step of it takes a few milliseconds more. */
const SLICE_MS = 2;

/**
 * Shares the event loop between requests and long work, such as imports. All long work of the process together gets a
 * few milliseconds per turn, and takes turns. Before each step, long work calls
 * `if (loopShare.isSpent) await loopShare.nextTurn()`.
 */
class LoopShare {
  /** When long work began in this turn of the event loop. */
  #begin: number | undefined;
  readonly #waiting: (() => void)[] = [];

  /** Whether long work has used up its part of this turn. */
  get isSpent(): boolean {
    const now = performance.now();
    if (this.#begin !== undefined) return now - this.#begin > SLICE_MS;
    this.#begin = now;
    setImmediate(() => this.#endTurn());
    return false;
  }

  /** Resolves in a later turn, in the order of the calls; with `first`, before the others. Work with locks goes first. */
  nextTurn({ first = false } = {}): Promise<void> {
    return new Promise((resolve) => {
      if (first) this.#waiting.unshift(resolve);
      else this.#waiting.push(resolve);
    });
  }

  async #endTurn(): Promise<void> {
    this.#begin = undefined;
    // Work that waits again in this turn goes on in a later one.
    for (let left = this.#waiting.length; left > 0 && !this.isSpent; left--) {
      this.#waiting.shift()?.();
      // The caller takes its step first.
      await undefined;
    }
  }
}

export const loopShare = new LoopShare();
