import { createHash } from "node:crypto";
import { bulkLimits } from "../../contract/bulk.ts";
import type { Meter } from "../meter.ts";
import type { ProblemData } from "../problem-error.ts";
import type { Store } from "../store.ts";
import type { BulkRequest } from "./check-bulk.ts";
import { type ChunkContext, type Row, runChunks } from "./imports.ts";
import { loopShare } from "./loop-share.ts";

/** The outcome of a bulk change for one user. Without a problem, the change was made. */
export interface ChangeOutcome {
  readonly id: number;
  readonly problem?: ProblemData;
}

/** Applies the change to each user, in chunks, and yields the outcomes in order, as `importRows` does. */
export async function* changeUsers(
  store: Store,
  { ids, change }: BulkRequest,
  context: ChunkContext,
): AsyncGenerator<ChangeOutcome[], void> {
  const outcomes = runChunks(toRows(ids), context, {
    submit: (lines, idempotencyKey) =>
      store.changeMany(lines.map(readId), change, idempotencyKey, context.by),
    variant: `\nbulk ${createHash("sha256").update(JSON.stringify(change)).digest("base64url")}`,
    describeRest: () => "This user and the users after it were not changed.",
  });
  for await (const chunk of outcomes) {
    yield chunk.map((outcome) => {
      const id = ids[outcome.line - 1] ?? 0;
      return "problem" in outcome ? { id, problem: outcome.problem } : { id };
    });
  }
}

/** The number of users that a bulk change would apply to now. */
export async function countUsers(store: Store, ids: readonly number[], meter?: Meter): Promise<number> {
  const seen = new Set<number>();
  let count = 0;
  for (let start = 0; start < ids.length; start += bulkLimits.chunkLines) {
    const chunk = ids
      .slice(start, start + bulkLimits.chunkLines)
      .filter((id) => !seen.has(id) && seen.add(id));
    // The response has no body yet: nothing keeps the connection open while the count waits for the rate limit.
    if (meter) for await (const _ of meter.count(chunk.length));
    if (loopShare.isSpent) await loopShare.nextTurn();
    count += (await store.findUsers(chunk, [])).length;
  }
  return count;
}

/** Each id is a row, numbered from 1. */
async function* toRows(ids: readonly number[]): AsyncGenerator<Row[], void> {
  for (let start = 0; start < ids.length; start += bulkLimits.chunkLines) {
    const chunk = ids.slice(start, start + bulkLimits.chunkLines);
    yield chunk.map((id, index) => ({ line: start + index + 1, json: String(id) }));
  }
}

function readId(line: { readonly json: string } | { readonly problem: ProblemData }): number {
  return "json" in line ? Number(line.json) : 0;
}
