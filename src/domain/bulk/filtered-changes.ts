import { bulkLimits } from "../../contract/bulk.ts";
import type { Expression } from "../filter/expression.ts";
import type { ListQuery } from "../listing.ts";
import type { Meter } from "../meter.ts";
import { ProblemError } from "../problem-error.ts";
import type { BulkChange, ChangedUser, ChangesOutcome, Store } from "../store.ts";
import type { FilterTarget } from "./check-bulk.ts";
import {
  type ChunkContext,
  CONCURRENT_CHUNKS,
  chunkIdempotencyKey,
  problemOf,
  throwUnlessReported,
} from "./imports.ts";
import { loopShare } from "./loop-share.ts";
import { allIds, type Match, MatchReader } from "./match-reader.ts";
import { Semaphore } from "./semaphore.ts";

/** What did not happen if a bulk change ends early. */
export const REST_UNCHANGED = "This user and the users after it were not changed.";

/**
 * Applies a change to every user that matches, in chunks, in the order of their ids. Each user is tested again in the
 * transaction that changes it, and changed at most once, also if the change moves it into or out of the filter: ids only ascend.
 *
 * With an idempotency key, each chunk runs once. A repeated request gets the stored results of the chunks that have run, whatever
 * matches now, and continues after their last user. An empty chunk marks the end. `variant` identifies the change.
 *
 * Errors, the rate limit and the quota work as in `importRows`.
 */
export async function* changeMatches(
  store: Store,
  target: FilterTarget & { readonly change: BulkChange },
  context: ChunkContext,
  variant: string,
): AsyncGenerator<ChangedUser[], void> {
  const { key, meter, signal } = context;
  const reader = await MatchReader.open(store, target.expression, signal);
  const submit = createSubmit(store, target, context, `${variant}\nfilter ${target.filter}`);
  let hasStarted = false;
  for (;;) {
    for await (const _ of reader.findChunk()) {
      hasStarted = true;
      yield [];
    }
    const { chunk } = reader;
    const [first] = chunk;
    if (!first && key === undefined) return;
    if (loopShare.isSpent) await loopShare.nextTurn();
    let outcome: ChangesOutcome;
    try {
      if (meter && first) {
        for await (const _ of meter.count(chunk.length)) {
          hasStarted = true;
          yield [];
        }
      }
      // A chunk that was not found or counted to its end must not run.
      if (signal?.aborted) return;
      outcome = await submit(chunk);
    } catch (error) {
      if (first && isQuotaExceeded(error)) {
        const { data } = error;
        return yield [{ id: first.id, problem: { ...data, detail: `${data.detail} ${REST_UNCHANGED}` } }];
      }
      if (!hasStarted) throw error;
      yield chunk.map(({ id }) => ({ id, problem: problemOf(error) }));
      return throwUnlessReported(error);
    }
    const reported = outcome.users.filter(({ skipped }) => !skipped);
    if (reported.length > 0) {
      hasStarted = true;
      yield reported;
    }
    const last = outcome.users.at(-1);
    if (!last) return;
    reader.continueAfter(last.id);
  }
}

function isQuotaExceeded(error: unknown): error is ProblemError {
  return error instanceof ProblemError && error.type === "quota-exceeded";
}

/** Returns a function that changes the users of one chunk after another. */
function createSubmit(
  store: Store,
  { expression, change }: FilterTarget & { readonly change: BulkChange },
  { by, key, chunkSlots = new Semaphore(CONCURRENT_CHUNKS) }: ChunkContext,
  variant: string,
): (chunk: readonly Match[]) => Promise<ChangesOutcome> {
  const caller = String(by.actor ?? "");
  let number = 0;
  return (chunk) => {
    // The users of a chunk are not part of its fingerprint: after the change, other users match.
    const idempotencyKey =
      key === undefined
        ? undefined
        : chunkIdempotencyKey({ caller, key, number: number++ }, [], true, variant);
    const ids = chunk.map(({ id }) => id);
    const condition = { expression, versions: chunk.map(({ version }) => version) };
    return chunkSlots.run(() => store.changeMany(ids, change, idempotencyKey, by, condition));
  };
}

/** The exact number of users that match. A list counts up to a limit; beyond it, the users are read. */
export async function countMatches(
  store: Store,
  expression: Expression,
  signal: AbortSignal,
  meter?: Meter,
): Promise<number> {
  const query: ListQuery = { ...allIds, expression };
  const { total } = await store.list({ ...query, limit: 1, count: true });
  if (total && !total.capped) {
    await waitForLimit(meter, total.count);
    return total.count;
  }
  let count = 0;
  let from: ListQuery["from"];
  do {
    const page = await store.list({ ...query, from, limit: bulkLimits.pageUsers });
    await waitForLimit(meter, page.size);
    if (loopShare.isSpent) await loopShare.nextTurn();
    count += page.size;
    from = page.next;
  } while (from && !signal.aborted);
  return count;
}

/** The response has no body yet: nothing keeps the connection open during the wait. */
async function waitForLimit(meter: Meter | undefined, rows: number): Promise<void> {
  if (meter) for await (const _ of meter.count(rows));
}
