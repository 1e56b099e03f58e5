import { loopShare } from "./loop-share.ts";

/** What is sent in one turn of the event loop: about a millisecond of work. */
const SLICE = { sends: 50, bytes: 524_288 } as const;

/**
 * Shares the event loop between requests and sending to many callers. Bun sends after the code that causes it: the time of a send
 * cannot be measured, so a slice counts. Before each send, call `if (slice.isFull) await slice.nextTurn()`.
 */
export class SendSlice {
  #sends = 0;
  #bytes = 0;

  get isFull(): boolean {
    // Also asks first: the share gives turns only to those who ask.
    return loopShare.isSpent || this.#sends >= SLICE.sends || this.#bytes >= SLICE.bytes;
  }

  async nextTurn(): Promise<void> {
    await loopShare.nextTurn();
    this.#sends = 0;
    this.#bytes = 0;
  }

  /** Counts a send of about this many bytes. */
  add(bytes: number): void {
    this.#sends++;
    this.#bytes += bytes;
  }
}
