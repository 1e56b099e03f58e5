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

export interface MatchingProgress {
  readonly phase: "finding" | "changing" | "ended";
  /** Users found so far; all of them once the change has begun. */
  readonly found: number;
  readonly changed: readonly number[];
  readonly failed: readonly ChangedUser[];
  /** The error that ended the run early. */
  readonly error?: unknown;
  readonly stopped: boolean;
}

/**
 * Changes every user that matches a search: reads their ids first, so that the change itself cannot move users in or out of
 * the search, then sends bulk requests.
 */
export class MatchingRun {
  readonly progress = new Observable<MatchingProgress>({
    phase: "finding",
    found: 0,
    changed: [],
    failed: [],
    stopped: false,
  });
  readonly #stopper = new AbortController();

  stop(): void {
    this.#stopper.abort();
  }

  /** Resolves after the last request, also after an error. */
  async run(search: ListParams, change: MatchingChange): Promise<MatchingProgress> {
    try {
      const ids = await this.#findIds(search);
      if (!this.#stopper.signal.aborted) await this.#change(ids, change);
    } catch (error) {
      promptIfSignedOut(error);
      this.#report({ error });
    }
    this.#report({ phase: "ended", stopped: this.#stopper.signal.aborted });
    return this.progress.get();
  }

  async #findIds(search: ListParams): Promise<number[]> {
    const ids: number[] = [];
    let after: string | undefined;
    do {
      const options = {
        ...toListOptions({ ...search, sort: "id" }),
        fields: ["id"],
        limit: PAGE_SIZE,
        after,
      };
      const page = await roster.users.list(options).page();
      ids.push(...page.users.map(({ id }) => id));
      after = page.next;
      this.#report({ found: ids.length });
    } while (after !== undefined && !this.#stopper.signal.aborted);
    return ids;
  }

  async #change(ids: readonly number[], change: MatchingChange): Promise<void> {
    this.#report({ phase: "changing" });
    const changed: number[] = [];
    const failed: ChangedUser[] = [];
    let reportedAt = 0;
    try {
      for (let start = 0; start < ids.length && !this.#stopper.signal.aborted; start += CHUNK_SIZE) {
        const chunk = ids.slice(start, start + CHUNK_SIZE);
        for await (const result of roster.users.bulk(toBulkChange(chunk, change))) {
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

  #report(part: Partial<MatchingProgress>): void {
    this.progress.set({ ...this.progress.get(), ...part });
  }
}

function toBulkChange(ids: readonly number[], change: MatchingChange): BulkChange {
  return change.patch === undefined ? { ids, delete: true } : { ids, patch: change.patch };
}
