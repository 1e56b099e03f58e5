import { createHash } from "node:crypto";
import { bulkLimits } from "../../contract/bulk/bulk.ts";
import type { Origin } from "../caller.ts";
import { callerOf, type IdempotencyKey } from "../idempotency-key.ts";
import type { ImportLine, ImportOutcome, ImportTarget, LineResult, Row } from "../import-row.ts";
import type { Meter } from "../meter.ts";
import { type ProblemData, ProblemError } from "../problem-error.ts";
import { loopShare } from "../scheduling/loop-share.ts";
import { Semaphore } from "../scheduling/semaphore.ts";

/**
 * Import chunks in the store at a time, of all imports together: one commits, and one is ready to follow. A single
 * create waits behind these two only, and no chunk times out while it waits for other imports.
 */
export const CONCURRENT_CHUNKS = 2;

/** The line number of one row, with its result or its problem. */
export type RowOutcome<Result> = { readonly line: number } & LineResult<Result>;

/** What an import needs besides its rows. */
export interface ImportContext<Options, Result> extends ChunkContext {
  /** The store, or a dry run. */
  readonly target: ImportTarget<Options, Result>;
  readonly options?: Options;
  /** What tells this import from others with the same rows, such as its options. */
  readonly variant?: string;
  /** Lines per chunk. */
  readonly chunkLines?: number;
  /** How many bytes of JSON a chunk has written, if that can be more than the bytes of its rows. */
  readonly countWritten?: (results: readonly LineResult<Result>[]) => Promise<number>;
}

/** How the chunks of an import or a bulk change run. */
export interface ChunkContext {
  readonly by: Origin;
  /** The idempotency key. */
  readonly key?: string | undefined;
  /** Limits the chunks of all imports that run at a time. */
  readonly chunkSlots?: Semaphore;
  readonly meter?: Meter | undefined;
  /** Aborts when nobody reads the outcomes any more. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Applies each row and yields the outcomes in order. With an idempotency key, each chunk runs once, even if
 * the import is repeated; different rows under the same key are not imported.
 *
 * Before the first outcome, errors throw. After that, the rows of the failed chunk report the problem, and the import
 * stops; it also throws, unless the rows themselves are the cause. Later rows are not imported.
 *
 * While the import waits for the caller's rate limit, it yields an empty list from time to time. If the monthly quota
 * ends, the next row reports it, and the import stops.
 */
export async function* importRows<Options, Result>(
  rows: AsyncIterable<readonly Row[]>,
  {
    target,
    options,
    variant = "",
    by,
    key,
    chunkSlots = new Semaphore(CONCURRENT_CHUNKS),
    meter,
    chunkLines = bulkLimits.chunkLines,
    countWritten,
  }: ImportContext<Options, Result>,
): AsyncGenerator<RowOutcome<Result>[], void> {
  const caller = callerOf(by);
  let chunkNumber = 0;
  const submit = ({ rows, last }: Chunk): SubmittedChunk<Result> => {
    const lines = rows.map((row) => ("json" in row ? { json: row.json } : { problem: row.problem }));
    const idempotencyKey =
      key === undefined
        ? undefined
        : chunkIdempotencyKey({ caller, key, number: chunkNumber++ }, lines, last, variant);
    const result = chunkSlots.run(() => target.import(lines, idempotencyKey, by, options));
    return { rows, result: settle(result) };
  };
  const writtenBytes = async ({ results = [] }: ChunkResult<Result>) => (await countWritten?.(results)) ?? 0;
  let submitted: SubmittedChunk<Result> | undefined;
  let hasReported = false;
  // Reads the next chunk while the previous one commits, but submits it only afterwards: the previous chunk may fail
  // because the idempotency key was used for a different import.
  for await (const next of splitIntoChunks(rows, chunkLines)) {
    const previous = submitted;
    const result = await previous?.result;
    if (loopShare.isSpent) await loopShare.nextTurn();
    const canContinue = "rows" in next && !result?.error;
    submitted = canContinue && !meter ? submit(next) : undefined;
    if (previous && result) {
      if (result.error && !hasReported) throw result.error;
      yield toOutcomes(previous, result);
      hasReported = true;
      if (result.error) return throwUnlessReported(result.error);
    }
    if (canContinue && meter) {
      try {
        const bytes = bytesOf(next.rows) + (result ? await writtenBytes(result) : 0);
        for await (const _ of meter.count(next.rows.length, bytes)) yield [];
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        return yield [toUnreadOutcome({ line: next.rows[0]?.line ?? 1, problem: error })];
      }
      submitted = submit(next);
    }
    if (!("problem" in next)) continue;
    if (!hasReported) throw next.problem;
    yield [toUnreadOutcome(next)];
  }
  if (!submitted) return;
  const result = await submitted.result;
  if (result.error && !hasReported) throw result.error;
  yield toOutcomes(submitted, result);
  if (result.error) return throwUnlessReported(result.error);
  if (!meter) return;
  try {
    for await (const _ of meter.count(0, await writtenBytes(result))) yield [];
  } catch (error) {
    // Every row is imported already.
    if (!(error instanceof ProblemError)) throw error;
  }
}

/** Rows that are committed together. */
interface Chunk {
  readonly rows: readonly Row[];
  /** Whether the import ends with this chunk. */
  readonly last: boolean;
}

/** Why the rows from this line on cannot be read. */
interface UnreadableRows {
  readonly line: number;
  readonly problem: ProblemError;
}

type ChunkResult<Result> =
  | { readonly results: readonly LineResult<Result>[]; readonly error?: never }
  | { readonly results?: never; readonly error: Error };

interface SubmittedChunk<Result> {
  readonly rows: readonly Row[];
  readonly result: Promise<ChunkResult<Result>>;
}

async function settle<Result>(work: Promise<ImportOutcome<Result>>): Promise<ChunkResult<Result>> {
  try {
    return { results: (await work).results };
  } catch (error) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }
}

function toOutcomes<Result>(
  { rows }: SubmittedChunk<Result>,
  { results, error }: ChunkResult<Result>,
): RowOutcome<Result>[] {
  return rows.map(({ line }, index) => ({ line, ...(results?.[index] ?? { problem: problemOf(error) }) }));
}

/** What the rows of a chunk report if the chunk fails with this error. */
export function problemOf(error: unknown): ProblemData {
  return (error instanceof ProblemError ? error : internalProblem).data;
}

const internalProblem = new ProblemError("internal");

/**
 * A reused idempotency key and a dry run of too many lines are mistakes of the caller, and the rows have reported them. Any
 * other error throws.
 */
export function throwUnlessReported(error: unknown): void {
  const type = error instanceof ProblemError ? error.type : undefined;
  if (type !== "idempotency-mismatch" && type !== "too-large") throw error;
}

function toUnreadOutcome({ line, problem: { data } }: UnreadableRows): RowOutcome<never> {
  return {
    line,
    problem: { ...data, detail: `${data.detail} No row from line ${line} on was imported.` },
  };
}

/**
 * The same rows always give the same chunks, so that a repeated import finds the stored outcome of each chunk. Rows
 * before an unreadable row are dropped unless they fill a chunk.
 */
async function* splitIntoChunks(
  rows: AsyncIterable<readonly Row[]>,
  chunkLines: number,
): AsyncGenerator<Chunk | UnreadableRows, void> {
  let chunk: Row[] = [];
  let characters = 0;
  let line = 0;
  try {
    for await (const batch of rows) {
      for (const row of batch) {
        if (chunk.length >= chunkLines || characters >= bulkLimits.chunkBytes) {
          yield { rows: chunk, last: false };
          chunk = [];
          characters = 0;
        }
        chunk.push(row);
        line = row.line;
        characters += "json" in row ? row.json.length : 0;
      }
    }
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return yield { line: chunk[0]?.line ?? line + 1, problem: error };
  }
  if (chunk.length > 0) yield { rows: chunk, last: true };
}

/** How many bytes of JSON the rows have. */
function bytesOf(rows: readonly Row[]): number {
  return rows.reduce((bytes, row) => bytes + ("json" in row ? Buffer.byteLength(row.json) : 0), 0);
}

/** A control character: callers cannot send it in an Idempotency-Key. */
const SEPARATOR = "\u001f";

export function chunkIdempotencyKey(
  { caller, key, number }: { caller: string; key: string; number: number },
  lines: readonly ImportLine[],
  last: boolean,
  variant: string,
): IdempotencyKey {
  const hash = createHash("sha256");
  for (const line of lines) hash.update("json" in line ? `${line.json}\n` : "\n");
  // A shorter or longer file under the same key must not match.
  if (!last) hash.update("more");
  hash.update(variant);
  return { caller, key: `${key}${SEPARATOR}${number}`, fingerprint: hash.digest("base64url") };
}
