import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { StoreError } from "../store-error.ts";
import { unfinishedMove } from "../unfinished-move.ts";
import {
  type ArchiveSource,
  type ArchiveTarget,
  primaryKey,
  type Row,
  type RowCounts,
  SourceChangedError,
  type Table,
  type TableName,
  tables,
} from "./archive.ts";
import { type MoveState, parseMoveState, sameDatabase, serializeMoveState } from "./move-state.ts";

/** Progress of one step of a move. */
export interface MoveProgress {
  readonly step: TableName | "indexes" | "verifying";
  readonly done: number;
  readonly total: number;
}

export interface MoveResult {
  readonly rows: RowCounts;
  /** SHA-256 over every row, in order; the same on both sides. */
  readonly checksum: string;
}

export interface MoveOptions {
  /** The command that messages name; `move` by default. */
  readonly command?: MoveState["command"];
  /** Called before the target is emptied; throws to keep its rows. If omitted, a non-empty target is rejected. */
  readonly replace?: (displayName: string, rows: RowCounts) => Promise<void>;
  /** Called before the target is changed: from then on, it is incomplete until the move has finished. */
  readonly onBegin?: () => void;
}

/** Limits of a chunk: the rows that are read and written together. */
const CHUNK_ROWS = 2000;
const CHUNK_CHARACTERS = 4_000_000;

/**
 * Copies every row, creates the indexes, then reads and compares both sides, and only then removes the move state from
 * the target. After an interruption at any point, another call continues there. Fails with a `StoreError`.
 */
export async function move(
  source: ArchiveSource,
  target: ArchiveTarget,
  report: (progress: MoveProgress) => void,
  options: MoveOptions = {},
): Promise<MoveResult> {
  const started = await begin(source, target, options);
  try {
    const state = await copyAll(source, target, started, report);
    await target.createIndexes((done, total) => report({ step: "indexes", done, total }));
    const before = await source.stats();
    const result = await verify(source, target, report);
    const after = await source.stats();
    if (!isDeepStrictEqual(before, after))
      throw new SourceChangedError("The source changed during the move.");
    await target.finish(serializeMoveState(state), after, options.command === "restore");
    return result;
  } catch (error) {
    if (!(error instanceof SourceChangedError)) throw error;
    const text = await target.moveState();
    if (text !== undefined)
      await target.updateMoveState(text, serializeMoveState({ ...parseMoveState(text), stale: true }));
    throw new StoreError(
      `${source.displayName} changed during the copy: stop every program that writes to it, then run this command again. It will start over.`,
      { cause: error },
    );
  }
}

async function begin(
  source: ArchiveSource,
  target: ArchiveTarget,
  { command = "move", replace, onBegin }: MoveOptions,
): Promise<MoveState> {
  if (source.identity === target.identity) throw sameDatabase(source.displayName, target.displayName);
  const sourceState = await source.moveState();
  if (sourceState !== undefined) throw unfinishedMove(source.displayName, sourceState);
  const fresh: MoveState = {
    sourceIdentity: source.identity,
    sourceName: source.displayName,
    command,
    run: crypto.randomUUID(),
    stale: false,
    table: tables[0].name,
    after: undefined,
  };
  const text = await target.moveState();
  const earlier = text === undefined ? undefined : parseMoveState(text);
  const isSameMove = earlier?.sourceIdentity === source.identity;
  if (text !== undefined && !isSameMove && !replace) throw unfinishedMove(target.displayName, text);
  const { rows } = await target.stats();
  const isFilled = earlier !== undefined || countRows(rows) > 0;
  if (isFilled && !isSameMove) await (replace ?? rejectFilled)(target.displayName, rows);
  const state: MoveState =
    earlier && isSameMove ? { ...earlier, run: fresh.run } : { ...fresh, stale: isFilled };
  onBegin?.();
  await target.begin(text, serializeMoveState(state));
  if (!state.stale) return state;
  await target.clear(serializeMoveState(state), serializeMoveState(fresh));
  return fresh;
}

async function rejectFilled(displayName: string, rows: RowCounts): Promise<void> {
  const counts = [...rows].filter(([, count]) => count > 0).map(([table, count]) => `${table}: ${count}`);
  throw new StoreError(`${displayName} is not empty (${counts.join(", ")}): move into an empty database.`);
}

async function copyAll(
  source: ArchiveSource,
  target: ArchiveTarget,
  started: MoveState,
  report: (progress: MoveProgress) => void,
): Promise<MoveState> {
  let state = started;
  const { rows: totals } = await source.stats();
  const { rows: copied } = await target.stats();
  for (const [index, table] of tables.entries()) {
    if (state.table !== table.name) continue;
    const before = copied.get(table.name) ?? 0;
    state = await copyTable(source, target, state, table, (count) =>
      report({ step: table.name, done: before + count, total: totals.get(table.name) ?? 0 }),
    );
    const next: MoveState = { ...state, table: tables[index + 1]?.name, after: undefined };
    await target.updateMoveState(serializeMoveState(state), serializeMoveState(next));
    state = next;
  }
  return state;
}

/** Writes one chunk while it reads the next: neither side waits for the other. */
async function copyTable(
  source: ArchiveSource,
  target: ArchiveTarget,
  started: MoveState,
  table: Table,
  report: (count: number) => void,
): Promise<MoveState> {
  let state = started;
  let last = Promise.resolve();
  let count = 0;
  report(count);
  try {
    for await (const rows of readChunks(source, table, state.after)) {
      const next: MoveState = { ...state, after: lastKey(table, rows) };
      const previous = last;
      last = handleLater(target.write(table, rows, serializeMoveState(state), serializeMoveState(next)));
      state = next;
      await previous;
      count += rows.length;
      report(count);
    }
    await last;
  } finally {
    await Promise.allSettled([last]);
  }
  return state;
}

/** Reads and compares all rows of both databases. Fails with `SourceChangedError` if they differ. */
export async function verify(
  source: ArchiveSource,
  target: ArchiveSource,
  report: (progress: MoveProgress) => void,
): Promise<MoveResult> {
  const { rows } = await target.stats();
  const total = 2 * countRows(rows);
  let done = 0;
  const count = (more: number) => {
    done += more;
    report({ step: "verifying", done: Math.min(done, total), total });
  };
  count(0);
  const [sourceResult, targetResult] = await Promise.all([
    checksumRows(source, count),
    checksumRows(target, count),
  ]);
  if (!isDeepStrictEqual(targetResult.rows, rows)) {
    throw new SourceChangedError("The row counts of the target are wrong.");
  }
  if (sourceResult.checksum !== targetResult.checksum) throw new SourceChangedError("The checksums differ.");
  return targetResult;
}

/** Reads every row, and reports how many rows each chunk adds. */
export async function checksumRows(
  archive: ArchiveSource,
  count: (more: number) => void,
): Promise<MoveResult> {
  const hash = createHash("sha256");
  const counts = new Map<TableName, number>();
  for (const table of tables) {
    let rowCount = 0;
    hash.update(`${table.name}\n`);
    for await (const rows of readChunks(archive, table, undefined)) {
      // The hashed text does not depend on the chunks.
      hash.update(`${JSON.stringify(rows).slice(1, -1)},`);
      rowCount += rows.length;
      count(rows.length);
    }
    counts.set(table.name, rowCount);
  }
  return { rows: counts, checksum: hash.digest("hex") };
}

export function countRows(rows: RowCounts): number {
  let sum = 0;
  for (const count of rows.values()) sum += count;
  return sum;
}

/** Yields every row after the key, in chunks. Reads the next chunk while the caller works on this one. */
async function* readChunks(
  archive: ArchiveSource,
  table: Table,
  after: Row | undefined,
): AsyncGenerator<Row[]> {
  let limit = CHUNK_ROWS / 100;
  let reading = handleLater(archive.read(table, after, limit));
  for (;;) {
    const rows = await reading;
    if (rows.length === 0) return;
    // SQLite reads synchronously: let the event loop run, which also handles signals.
    await new Promise(setImmediate);
    limit = nextLimit(limit, rows);
    reading = handleLater(archive.read(table, lastKey(table, rows), limit));
    yield rows;
  }
}

/** Reads fewer rows per chunk if they are large, to bound memory. */
function nextLimit(limit: number, rows: readonly Row[]): number {
  let characters = 0;
  for (const row of rows) {
    for (const cell of row) characters += typeof cell === "string" ? cell.length : 8;
  }
  const fitting = Math.floor((rows.length * CHUNK_CHARACTERS) / characters);
  return Math.max(1, Math.min(limit * 10, fitting, CHUNK_ROWS));
}

function lastKey(table: Table, rows: readonly Row[]): Row {
  return primaryKey(table, rows.at(-1) ?? []);
}

/** Prevents an unhandled rejection until the promise is awaited. */
function handleLater<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
