import { createHash } from "node:crypto";
import { bulkLimits } from "../../contract/bulk.ts";
import type { Meter } from "../meter.ts";
import type { ProblemData } from "../problem-error.ts";
import type { BulkChange, ChangedUser, Store } from "../store.ts";
import type { BulkRequest } from "./check-bulk.ts";
import { changeMatches, countMatches, REST_UNCHANGED } from "./filtered-changes.ts";
import { type ChunkContext, type Row, runChunks } from "./imports.ts";
import { loopShare } from "./loop-share.ts";

/** Applies the change to each user, in chunks, and yields the results in order, as `importRows` does. */
export function changeUsers(
  store: Store,
  request: BulkRequest,
  context: ChunkContext,
): AsyncGenerator<ChangedUser[], void> {
  const { change } = request;
  const variant = `\nbulk ${createHash("sha256").update(JSON.stringify(change)).digest("base64url")}`;
  return "ids" in request
    ? changeIds(store, request.ids, change, context, variant)
    : changeMatches(store, request, context, variant);
}

/** The number of users that a bulk change would apply to now. */
export function countUsers(
  store: Store,
  request: BulkRequest,
  signal: AbortSignal,
  meter?: Meter,
): Promise<number> {
  return "ids" in request
    ? countIds(store, request.ids, meter)
    : countMatches(store, request.expression, signal, meter);
}

async function* changeIds(
  store: Store,
  ids: readonly number[],
  change: BulkChange,
  context: ChunkContext,
  variant: string,
): AsyncGenerator<ChangedUser[], void> {
  const outcomes = runChunks(toRows(ids), context, {
    variant,
    describeRest: () => REST_UNCHANGED,
    submit: async (lines, idempotencyKey) => {
      const outcome = await store.changeMany(lines.map(readId), change, idempotencyKey, context.by);
      const users = outcome.users.map(({ id, problem }) => (problem ? { problem } : { created: false, id }));
      return { ...outcome, users };
    },
  });
  for await (const chunk of outcomes) {
    yield chunk.map((outcome) => {
      const id = ids[outcome.line - 1] ?? 0;
      return "problem" in outcome ? { id, problem: outcome.problem } : { id };
    });
  }
}

async function countIds(store: Store, ids: readonly number[], meter?: Meter): Promise<number> {
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
