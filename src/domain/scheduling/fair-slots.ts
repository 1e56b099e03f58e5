import { FairQueue } from "./fair-queue.ts";

/** Lets a limited number of tasks run at once. Owners of waiting tasks take turns. */
export class FairSlots {
  readonly #waiting = new FairQueue<() => void>();
  #free: number;

  constructor(limit: number) {
    this.#free = limit;
  }

  /** Takes a place, or waits for one. Rejects with the reason of the signal if it aborts first. The caller must `leave` the place. */
  async enter(owner: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const giveUp = () => {
      if (this.#waiting.delete(owner, resolve)) reject(signal.reason);
    };
    signal.addEventListener("abort", giveUp);
    this.#waiting.add(owner, resolve);
    try {
      await promise;
    } finally {
      signal.removeEventListener("abort", giveUp);
    }
  }

  leave(): void {
    const next = this.#waiting.take();
    if (next) next();
    else this.#free++;
  }
}
