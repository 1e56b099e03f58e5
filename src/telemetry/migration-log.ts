import type { Clock } from "../domain/clock.ts";
import type { Log } from "./log.ts";

/** Time between two lines. */
const PERIOD_MS = 5000;

/** Logs how a long migration goes on: until it ends, the service does not answer. */
export class MigrationLog {
  readonly #log: Log;
  readonly #clock: Clock;
  #nextLine: number | undefined;

  constructor(log: Log, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  show(progress: { readonly step: string; readonly done: number; readonly total: number }): void {
    const now = this.#clock.monotonic();
    if (this.#nextLine !== undefined && now < this.#nextLine) return;
    this.#nextLine = now + PERIOD_MS;
    this.#log.write("info", "copying the early database into new tables; the service starts afterwards", {
      ...progress,
    });
  }

  end(): void {
    if (this.#nextLine !== undefined) this.#log.write("info", "the early database has been copied");
  }
}
