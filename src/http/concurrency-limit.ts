import { ProblemError } from "../domain/problem-error.ts";

/** Limits how many requests the service works on at a time. */
export class ConcurrencyLimit {
  readonly #maximum: number;
  #count = 0;

  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  get count(): number {
    return this.#count;
  }

  begin(): void {
    this.#count++;
  }

  end(): void {
    this.#count--;
  }

  /** Throws `unavailable` if the limit is reached. */
  requireCapacity(): void {
    if (this.#count < this.#maximum) return;
    throw new ProblemError("unavailable", "The service is overloaded. Try again shortly.");
  }

  /**
   * Does not count a request while it waits for its body: a slow caller must not block others. Throws `unavailable` if
   * the limit is reached when the body has arrived.
   */
  async releaseWhile<T>(waiting: Promise<T>): Promise<T> {
    this.#count--;
    try {
      const value = await waiting;
      this.requireCapacity();
      return value;
    } finally {
      this.#count++;
    }
  }
}
