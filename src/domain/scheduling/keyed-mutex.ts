import { isProblem, ProblemError } from "../problem-error.ts";

/** Callers that can wait for one key. */
const MAX_WAITING = 10_000;

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/** Runs one task at a time for each key, in the order of the `run` calls. */
export class KeyedMutex {
  /** Those that wait, for each key with a running task. */
  readonly #waiting = new Map<number, Waiting[]>();

  /**
   * If the database is unavailable for a task, those that wait for the same key fail too: one after the other, they would wait for the
   * database as often as there are tasks.
   */
  async run<T>(key: number, task: () => Promise<T>): Promise<T> {
    await this.#enter(key);
    try {
      return await task();
    } catch (error) {
      if (isProblem(error, "unavailable")) this.#refuseWaiting(key);
      throw error;
    } finally {
      this.#leave(key);
    }
  }

  async #enter(key: number): Promise<void> {
    const waiting = this.#waiting.get(key);
    if (!waiting) {
      this.#waiting.set(key, []);
      return;
    }
    if (waiting.length >= MAX_WAITING) throw unavailable("Too many writes are waiting. Try again shortly.");
    await new Promise<void>((resolve, reject) => waiting.push({ resolve, reject }));
  }

  #leave(key: number): void {
    const next = this.#waiting.get(key)?.shift();
    if (next) next.resolve();
    else this.#waiting.delete(key);
  }

  #refuseWaiting(key: number): void {
    for (const { reject } of this.#waiting.get(key)?.splice(0) ?? []) {
      reject(unavailable("The database did not respond in time. The write was not made."));
    }
  }
}

function unavailable(detail: string): ProblemError {
  return new ProblemError("unavailable", detail);
}
