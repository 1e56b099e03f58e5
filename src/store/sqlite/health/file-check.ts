import type { CheckRequest, CheckResponse } from "../check-thread.ts";
import type { Thread, ThreadSetup } from "../thread.ts";

type CheckThread = Thread<ThreadSetup, CheckRequest, CheckResponse>;

interface FileCheckOptions {
  readonly start: () => CheckThread;
  /** Gets the error that ended the check. */
  readonly onError: (error: unknown) => void;
}

/** The check starts when the service has served its first requests. */
const DELAY_MS = 500;

/** Looks for damage in the whole file once, in the background. Its thread ends with the check. */
export class FileCheck {
  readonly #options: FileCheckOptions;
  readonly #timer: ReturnType<typeof setTimeout>;
  #running: Promise<void> | undefined;
  #closed = false;

  constructor(options: FileCheckOptions) {
    this.#options = options;
    this.#timer = setTimeout(() => {
      this.#running = this.#run();
    }, DELAY_MS);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #run(): Promise<void> {
    const thread = this.#options.start();
    try {
      while (!this.#closed && !(await thread.request({ kind: "check" })).done);
    } catch (error) {
      this.#options.onError(error);
    } finally {
      await thread.end();
    }
  }
}
