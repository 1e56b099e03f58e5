import { ProblemError } from "../domain/problem-error.ts";

/** How many requests are being worked on, and the most that may be. */
export class ConcurrencyLimit {
  #count = 0;

  constructor(readonly maximum: number) {}

  get count(): number {
    return this.#count;
  }

  begin(): void {
    this.#count++;
  }

  end(): void {
    this.#count--;
  }

  /** Fails with `unavailable` at once where there is more to do than can be done soon. */
  requireCapacity(): void {
    if (this.#count < this.maximum) return;
    throw new ProblemError("unavailable", "The service has as much to do as it can: try again shortly.");
  }

  /**
   * A request that waits for its caller is nobody's work meanwhile: a slow one takes no other's place. Fails as
   * `requireRoom` does where there is none to go on.
   */
  async releaseWhile<T>(caller: Promise<T>): Promise<T> {
    this.#count--;
    try {
      const came = await caller;
      this.requireCapacity();
      return came;
    } finally {
      this.#count++;
    }
  }
}
