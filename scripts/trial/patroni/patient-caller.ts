import { createClient } from "../../../src/client/index.ts";

const PAUSE_MS = 100;

/** Creates users with the client library, which waits longer than an outage takes. docs/high-availability.md has these settings. */
export class PatientCaller {
  creates = 0;
  failures = 0;
  #isRunning = true;
  readonly #calling: Promise<void>;

  constructor(baseUrl: string) {
    this.#calling = this.#call(baseUrl);
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    await this.#calling;
  }

  async #call(baseUrl: string): Promise<void> {
    const roster = createClient({ baseUrl, retries: 100, timeout: 120_000, onRetry: () => undefined });
    for (; this.#isRunning; await Bun.sleep(PAUSE_MS)) {
      this.creates++;
      await roster.users.create({ name: "Patient" }).catch(() => this.failures++);
    }
  }
}
