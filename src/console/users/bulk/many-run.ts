import type { ChangedUser } from "../../../client/index.ts";
import { promptIfSignedOut } from "../../lib/api.ts";
import { Observable } from "../../lib/observable.ts";

/** Users per bulk request. A run can stop between two requests. */
const CHUNK_SIZE = 1000;
/** Time between reports of progress. */
const REPORT_MS = 100;
/** Parallel requests that change one user each. */
const CONCURRENCY = 6;

/** A change of many users. */
export interface ManyChange {
  /** The ids of the users. Calls `report` with the number of users found so far. */
  readonly findIds: (report: (found: number) => void, signal: AbortSignal) => Promise<readonly number[]>;
  /** Changes some of the users, and returns a result for each of them. Can end early after `signal`. */
  readonly change: (ids: readonly number[], signal: AbortSignal) => AsyncIterable<ChangedUser>;
}

export interface ManyProgress {
  readonly phase: "finding" | "changing" | "ended";
  /** Users found so far; all of them once the change has begun. */
  readonly found: number;
  readonly changed: readonly number[];
  readonly failed: readonly ChangedUser[];
  /** The error that ended the run early. */
  readonly error?: unknown;
  readonly stopped: boolean;
}

/** Changes many users, and can be stopped. */
export class ManyRun {
  readonly progress = new Observable<ManyProgress>({
    phase: "finding",
    found: 0,
    changed: [],
    failed: [],
    stopped: false,
  });
  readonly #stopper = new AbortController();
  readonly #work: ManyChange;

  constructor(work: ManyChange) {
    this.#work = work;
  }

  stop(): void {
    this.#stopper.abort();
  }

  /** Resolves after the last request, also after an error. */
  async run(): Promise<ManyProgress> {
    const { signal } = this.#stopper;
    try {
      const ids = await this.#work.findIds((found) => this.#report({ found }), signal);
      this.#report({ found: ids.length });
      if (!signal.aborted) await this.#change(ids);
    } catch (error) {
      promptIfSignedOut(error);
      this.#report({ error });
    }
    this.#report({ phase: "ended", stopped: signal.aborted });
    return this.progress.get();
  }

  async #change(ids: readonly number[]): Promise<void> {
    this.#report({ phase: "changing" });
    const { signal } = this.#stopper;
    const changed: number[] = [];
    const failed: ChangedUser[] = [];
    let reportedAt = 0;
    try {
      for (let start = 0; start < ids.length && !signal.aborted; start += CHUNK_SIZE) {
        for await (const result of this.#work.change(ids.slice(start, start + CHUNK_SIZE), signal)) {
          if (result.problem) failed.push(result);
          else changed.push(result.id);
          if (performance.now() - reportedAt < REPORT_MS) continue;
          reportedAt = performance.now();
          this.#report({ changed: [...changed], failed: [...failed] });
        }
      }
    } finally {
      this.#report({ changed, failed });
    }
  }

  #report(part: Partial<ManyProgress>): void {
    this.progress.set({ ...this.progress.get(), ...part });
  }
}

/** Sends a request for each user, a few at a time. Ends early after `signal`. */
export async function* fewAtATime<Item>(
  users: readonly Item[],
  signal: AbortSignal,
  act: (user: Item) => Promise<ChangedUser>,
): AsyncGenerator<ChangedUser, void> {
  for (let start = 0; start < users.length && !signal.aborted; start += CONCURRENCY) {
    const results = await Promise.allSettled(users.slice(start, start + CONCURRENCY).map(act));
    for (const result of results) if (result.status === "fulfilled") yield result.value;
    for (const result of results) if (result.status === "rejected") throw result.reason;
  }
}
