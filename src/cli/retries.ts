import { systemClock } from "../domain/clock.ts";
import type { Screen } from "./command.ts";
import { print } from "./output/print.ts";

const PAUSE_MS = 1000;
/** How long work is retried without progress. */
const PATIENCE_MS = 60_000;

/** Lets long work survive an outage: the work is repeated until there has been no progress for a minute. */
export class Retries {
  readonly #stderr: Screen;
  #failingSince: number | undefined;

  constructor(stderr: Screen) {
    this.#stderr = stderr;
  }

  noteProgress(): void {
    this.#failingSince = undefined;
  }

  /** Waits before the next try. Prints the reason of the first failure. Returns false if there has been no progress for too long. */
  async wait(reason: string): Promise<boolean> {
    if (this.#failingSince === undefined) {
      this.#failingSince = systemClock.running();
      if (this.#stderr.isTTY) this.#stderr.rewriteLine("");
      print(this.#stderr, `${reason} Trying again for ${PATIENCE_MS / 1000} s.`);
    }
    if (systemClock.running() - this.#failingSince > PATIENCE_MS) return false;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    return true;
  }
}
