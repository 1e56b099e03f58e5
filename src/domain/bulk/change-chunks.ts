import { bulkLimits } from "../../contract/bulk/bulk.ts";
import { callerOf } from "../idempotency-key.ts";
import { isProblem } from "../problem-error.ts";
import { loopShare } from "../scheduling/loop-share.ts";
import { Semaphore } from "../scheduling/semaphore.ts";
import {
  type BulkChange,
  type ChangeCondition,
  type ChangedUser,
  type ChangesOutcome,
  isMembershipChange,
  type UserStore,
} from "../users/user-store.ts";
import {
  type ChunkContext,
  CONCURRENT_CHUNKS,
  chunkIdempotencyKey,
  problemOf,
  throwUnlessReported,
} from "./imports.ts";

/** The users of a bulk change, chunk by chunk. */
export interface UserChunks {
  /** The current chunk: empty if no users are left. Its users are limited in number and in size. */
  readonly chunk: readonly number[];
  /** How many bytes of JSON the users of the chunk have, with what the change can add to them. */
  readonly bytes: number;
  /** What the users of the chunk must meet in the transaction that changes them. */
  readonly condition: ChangeCondition | undefined;
  /** Finds the next chunk. Returns false if this takes long: then call it again. Ends early when the signal aborts. */
  findChunk(): Promise<boolean>;
  /** Says which users were changed: those of the chunk, or the stored ones of a repeated request. */
  continueAfter(users: readonly ChangedUser[]): void;
}

/** What did not happen if a bulk change ends early. */
const REST_UNCHANGED = "This user and the users after it were not changed.";

/**
 * Applies a change to the users, chunk by chunk. With an idempotency key, each chunk runs once. A repeated request gets the stored
 * results of the chunks that have run, whatever matches now, and continues after their users. An empty chunk marks the end.
 * `variant` identifies the users and the change. If the group of a membership change is deleted in between, all further users report
 * `group-not-found`.
 *
 * Errors, the rate limit and the quota work as in `importRows`.
 */
export async function* changeChunks(
  store: UserStore,
  users: UserChunks,
  change: BulkChange,
  context: ChunkContext,
  variant: string,
): AsyncGenerator<ChangedUser[], void> {
  const { key, meter, signal } = context;
  const submit = createSubmit(store, users, change, context, variant);
  let hasStarted = false;
  for (;;) {
    while (!(await users.findChunk())) {
      hasStarted = true;
      yield [];
    }
    const { chunk } = users;
    const [first] = chunk;
    // Without a condition, a repeated request has the same users, and needs no mark.
    if (first === undefined && (key === undefined || !users.condition)) return;
    if (loopShare.isSpent) await loopShare.nextTurn();
    let outcome: ChangesOutcome;
    try {
      if (meter && first !== undefined) {
        // A membership is a short row: users that are only read count by their number.
        const bytes = isMembershipChange(change) ? 0 : users.bytes;
        for await (const _ of meter.count(chunk.length, bytes)) {
          hasStarted = true;
          yield [];
        }
      }
      // A chunk that was not found or counted to its end must not run.
      if (signal?.aborted) return;
      outcome = await submit();
    } catch (error) {
      if (first !== undefined && isProblem(error, "quota-exceeded")) {
        const { data } = error;
        return yield [{ id: first, problem: { ...data, detail: `${data.detail} ${REST_UNCHANGED}` } }];
      }
      if (!hasStarted) throw error;
      yield chunk.map((id) => ({ id, problem: problemOf(error) }));
      if (!isProblem(error, "group-not-found")) return throwUnlessReported(error);
      if (first === undefined) return;
      users.continueAfter(chunk.map((id) => ({ id })));
      continue;
    }
    if (outcome.users.length === 0) return;
    const reported = outcome.users.filter(({ skipped }) => !skipped);
    users.continueAfter(outcome.users);
    if (reported.length > 0) {
      hasStarted = true;
      yield reported;
    }
  }
}

/** Returns a function that changes the users of the current chunk. */
function createSubmit(
  store: UserStore,
  users: UserChunks,
  change: BulkChange,
  { by, key, chunkSlots = new Semaphore(CONCURRENT_CHUNKS) }: ChunkContext,
  variant: string,
): () => Promise<ChangesOutcome> {
  const caller = callerOf(by);
  let number = 0;
  return () => {
    // The users of a chunk are not part of its fingerprint: a repeated request can have other chunks.
    const idempotencyKey =
      key === undefined
        ? undefined
        : chunkIdempotencyKey({ caller, key, number: number++ }, [], true, variant);
    const { chunk, condition } = users;
    return chunkSlots.run(() => store.changeMany(chunk, change, idempotencyKey, by, condition));
  };
}

/**
 * The first users that fit into a chunk. `sizes` are those of the users now, and each may grow by `growth`. Each is compared with so many
 * groups.
 */
export function cutChunk(
  ids: readonly number[],
  sizes: ReadonlyMap<number, number>,
  growth: number,
  groups = 0,
): { length: number; bytes: number } {
  const maxLength = Math.min(bulkLimits.chunkLines, bulkLimits.changeComparisons / Math.max(1, groups));
  let [length, bytes] = [0, 0];
  for (const id of ids) {
    const size = (sizes.get(id) ?? 0) + growth;
    if (length >= maxLength || (length > 0 && bytes + size > bulkLimits.changeBytes)) break;
    length++;
    bytes += size;
  }
  return { length, bytes };
}
