import type { Database } from "bun:sqlite";
import { DatabaseUnavailable } from "../../../src/domain/database-unavailable.ts";
import { LOCKED } from "../../../src/store/sqlite/database.ts";
import { FileProblem } from "../../../src/store/sqlite/health/file-problem.ts";
import type { Machine } from "../machine.ts";
import type { SimulatedProcess } from "../simulated-process.ts";
import { openStorage } from "../storage.ts";

export interface SqliteSettings {
  /** How long a message between the threads of a process takes at most. */
  threadMs: number;
  /** How long a transaction takes: usually, and with a slow disk. */
  usualMs: number;
  slowMs: number;
  slowChance: number;
  /** The chance that the disk fails: before the transaction is in the log, or after. */
  failureChance: number;
}

/** How long at most until a waiting process looks for the lock again. */
const LOOK_MS = 20;

const FULL = { fault: "full", detail: "The disk of the database is full.", reason: "simulated" } as const;
const FAILING = {
  fault: "failing",
  detail: "The database cannot use its disk. The write may or may not have been committed.",
  reason: "simulated",
} as const;

/**
 * A SQLite file that several processes share. SQLite promises: one transaction writes at a time, others wait for it and give up
 * after a while; what is committed is visible to every later read, at once and as a whole.
 */
export class SqliteFile {
  readonly storage: Database = openStorage();
  readonly settings: SqliteSettings;
  /** Called at the moment at which something is committed. */
  onCommit: () => void = () => undefined;
  readonly #machine: Machine;
  /** The process whose transaction writes. */
  #owner: SimulatedProcess | undefined;

  constructor(machine: Machine, settings: SqliteSettings) {
    this.#machine = machine;
    this.settings = settings;
  }

  /** Reads in a reader thread of a process. */
  read<T>(process: SimulatedProcess, work: () => T): Promise<T> {
    const travelMs = () => this.#machine.random.between(0, this.settings.threadMs);
    return new Promise((resolve) => {
      process.deliver(travelMs(), () => {
        const result = work();
        process.deliver(travelMs(), () => resolve(result));
      });
    });
  }

  /** Runs a transaction in the writer thread of a process. The thread is killed and frozen with its process. */
  write<T>(process: SimulatedProcess, waitMs: number, transact: () => T): Promise<T> {
    const { threadMs } = this.settings;
    const { random } = this.#machine;
    return new Promise((resolve, reject) => {
      const answer = (settle: () => void) => process.deliver(random.between(0, threadMs), settle);
      process.deliver(random.between(0, threadMs), () => {
        const giveUp = () => answer(() => reject(new DatabaseUnavailable(LOCKED)));
        this.#lock(process, waitMs, giveUp, () => {
          process.deliver(this.#transactionMs(), () => {
            try {
              const result = this.#commit(transact);
              answer(() => resolve(result));
            } catch (error) {
              answer(() => reject(error));
            }
            this.#owner = undefined;
          });
        });
      });
    });
  }

  /** The lock of a killed process is free at once. */
  releaseOf(process: SimulatedProcess): void {
    if (this.#owner === process) this.#owner = undefined;
  }

  #commit<T>(transact: () => T): T {
    const { failureChance } = this.settings;
    const { random } = this.#machine;
    if (random.chance(failureChance)) throw new FileProblem(FULL);
    const result = transact();
    this.onCommit();
    if (random.chance(failureChance)) throw new FileProblem(FAILING);
    return result;
  }

  #transactionMs(): number {
    const { usualMs, slowMs, slowChance } = this.settings;
    const { random } = this.#machine;
    return random.between(0, random.chance(slowChance) ? slowMs : usualMs);
  }

  /** SQLite has no queue for its lock: a waiting process tries again and again. */
  #lock(process: SimulatedProcess, waitMs: number, giveUp: () => void, enter: () => void): void {
    if (this.#owner === undefined) {
      this.#owner = process;
      enter();
    } else if (waitMs <= 0) {
      giveUp();
    } else {
      const pauseMs = this.#machine.random.between(1, LOOK_MS);
      process.deliver(pauseMs, () => this.#lock(process, waitMs - pauseMs, giveUp, enter));
    }
  }
}
