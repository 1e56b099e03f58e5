import type { BulkChange, ChangedUser } from "../../../client/index.ts";
import { promptIfSignedOut, roster } from "../../lib/api.ts";
import { Observable } from "../../lib/observable.ts";
import { type ListParams, toListOptions } from "../list-params.ts";

/** Users per request for their ids. */
const PAGE_SIZE = 1000;
/** Users per bulk request. A run can stop between two requests. */
const CHUNK_SIZE = 1000;
/** Time between reports of progress. */
const REPORT_MS = 100;

export type MatchingChange = Pick<BulkChange, "patch" | "delete">;

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

/**
 * A change of every user that matches a search. It reads the ids first, so that the change itself cannot move users in or out of
 * the search, then sends bulk requests.
 */
export function changeMatching(search: ListParams, { patch }: MatchingChange): ManyChange {
  return {
    findIds: (report, signal) => findMatching(search, report, signal),
    change: (ids) => roster.users.bulk(patch === undefined ? { ids, delete: true } : { ids, patch }),
  };
}

async function findMatching(
  search: ListParams,
  report: (found: number) => void,
  signal: AbortSignal,
): Promise<readonly number[]> {
  const ids: number[] = [];
  let after: string | undefined;
  do {
    const options = { ...toListOptions({ ...search, sort: "id" }), fields: ["id"], limit: PAGE_SIZE, after };
    const page = await roster.users.list(options).page();
    ids.push(...page.users.map(({ id }) => id));
    after = page.next;
    report(ids.length);
  } while (after !== undefined && !signal.aborted);
  return ids;
}
