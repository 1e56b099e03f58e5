import type { Callable } from "../../../test/support/call.ts";

const PAUSE_MS = 20;

/** Reads one user again and again, so that reads do not depend on writes. */
export class Reader {
  /** When each read succeeded, in milliseconds of `performance.now()`. */
  readonly times: number[] = [];
  readonly #node: Callable;
  #isRunning = true;
  readonly #reading: Promise<void>;

  constructor(node: Callable) {
    this.#node = node;
    this.#reading = this.#read();
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    await this.#reading;
  }

  async #read(): Promise<void> {
    for (; this.#isRunning; await Bun.sleep(PAUSE_MS)) {
      const response = await this.#node.call("/api/users/1").catch(() => undefined);
      await response?.text();
      if (response?.status === 200) this.times.push(performance.now());
    }
  }
}
