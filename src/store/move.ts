import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import {
  type ArchiveSource,
  type ArchiveTarget,
  keyOf,
  type Row,
  type RowCounts,
  SourceChangedError,
  type Table,
  type TableName,
  tables,
} from "./archive.ts";
import {
  type MoveState,
  parseMoveState,
  sameDatabase,
  serializeMoveState,
  unfinishedMove,
} from "./move-state.ts";
import { StoreError } from "./store-error.ts";

/** How far one step of a move is. */
export interface MoveProgress {
  readonly step: TableName | "indexes" | "verifying";
  readonly done: number;
  readonly total: number;
}

/** What has been moved. */
export interface MoveResult {
  readonly rows: RowCounts;
  /** Over every row, in order; the same on both sides. */
  readonly checksum: string;
}

export interface MoveOptions {
  /** What it is called where it is told of; `move` if nothing is said. */
  readonly command?: MoveState["doing"];
  /** Asked before everything that the target has is removed. Whoever says nothing lets no target be filled that has. */
  readonly replace?: (shown: string, users: number | undefined) => Promise<void>;
}

/** As many rows are read and written together, as long as they are not large. */
const CHUNK_ROWS = 2000;
const CHUNK_CHARACTERS = 4_000_000;

/**
 * Copies every row, makes the indexes, reads both sides again and compares them, and only then takes the mark off the
 * target. Interrupted at any moment, it goes on from there when it is called again. Fails with a `StoreError`.
 */
export async function move(
  source: ArchiveSource,
  target: ArchiveTarget,
  report: (progress: MoveProgress) => void,
  options: MoveOptions = {},
): Promise<MoveResult> {
  const begun = await begin(source, target, options);
  try {
    const mark = await copyAll(source, target, begun, report);
    await target.createIndexes((done, total) => report({ step: "indexes", done, total }));
    const before = await source.stats();
    const moved = await verify(source, target, report);
    const after = await source.stats();
    if (!isDeepStrictEqual(before, after)) throw new SourceChangedError("Rows have come or gone meanwhile.");
    await target.finish(serializeMoveState(mark), after.lastId);
    return moved;
  } catch (error) {
    if (!(error instanceof SourceChangedError)) throw error;
    const text = await target.moveState();
    if (text !== undefined)
      await target.updateMoveState(text, serializeMoveState({ ...parseMoveState(text), stale: true }));
    throw new StoreError(
      `${source.shown} was changed while it was copied: stop whatever writes to it, and run this again. It will start over.`,
      { cause: error },
    );
  }
}

async function begin(
  source: ArchiveSource,
  target: ArchiveTarget,
  { command = "move", replace }: MoveOptions,
): Promise<MoveState> {
  if (source.identity === target.identity) throw sameDatabase(source.shown, target.shown);
  const sourceMark = await source.moveState();
  if (sourceMark !== undefined) throw unfinishedMove(source.shown, sourceMark);
  const fresh: MoveState = {
    source: source.identity,
    shown: source.shown,
    doing: command,
    run: crypto.randomUUID(),
    stale: false,
    table: tables[0].name,
    after: undefined,
  };
  const text = await target.moveState();
  const mark = text === undefined ? undefined : parseMoveState(text);
  const isMine = mark?.source === source.identity;
  if (text !== undefined && !isMine && !replace) throw unfinishedMove(target.shown, text);
  const { rows } = await target.stats();
  const isFull = mark !== undefined || total(rows) > 0;
  if (isFull && !isMine) await (replace ?? refuse)(target.shown, rows.get("users") ?? 0);
  const mine: MoveState = mark && isMine ? { ...mark, run: fresh.run } : { ...fresh, stale: isFull };
  await target.begin(text, serializeMoveState(mine));
  if (!mine.stale) return mine;
  await target.clear(serializeMoveState(mine), serializeMoveState(fresh));
  return fresh;
}

async function refuse(shown: string, users = 0): Promise<void> {
  throw new StoreError(
    users > 0
      ? `${shown} has users already (${users}): move into a database that has none.`
      : `${shown} has been written to already: move into a database that is empty.`,
  );
}

async function copyAll(
  source: ArchiveSource,
  target: ArchiveTarget,
  begun: MoveState,
  report: (progress: MoveProgress) => void,
): Promise<MoveState> {
  let mark = begun;
  const { rows: totals } = await source.stats();
  const { rows: copied } = await target.stats();
  for (const [index, table] of tables.entries()) {
    if (mark.table !== table.name) continue;
    const before = copied.get(table.name) ?? 0;
    mark = await copyTable(source, target, mark, table, (count) =>
      report({ step: table.name, done: before + count, total: totals.get(table.name) ?? 0 }),
    );
    const next: MoveState = { ...mark, table: tables[index + 1]?.name, after: undefined };
    await target.updateMoveState(serializeMoveState(mark), serializeMoveState(next));
    mark = next;
  }
  return mark;
}

/** Two chunks are on their way at a time, so that neither side has to wait for the other. */
async function copyTable(
  source: ArchiveSource,
  target: ArchiveTarget,
  begun: MoveState,
  table: Table,
  report: (count: number) => void,
): Promise<MoveState> {
  let mark = begun;
  let last = Promise.resolve();
  let count = 0;
  report(count);
  try {
    for await (const rows of readChunks(source, table, mark.after)) {
      const to: MoveState = { ...mark, after: lastKey(table, rows) };
      const previous = last;
      last = quietly(target.write(table, rows, serializeMoveState(mark), serializeMoveState(to)));
      mark = to;
      await previous;
      count += rows.length;
      report(count);
    }
    await last;
  } finally {
    await Promise.allSettled([last]);
  }
  return mark;
}

/** Reads both sides, and says what they have in common: everything. Fails with `Clash` otherwise. */
export async function verify(
  source: ArchiveSource,
  target: ArchiveSource,
  report: (progress: MoveProgress) => void,
): Promise<MoveResult> {
  const { rows } = await target.stats();
  const both = 2 * total(rows);
  let done = 0;
  const count = (more: number) => {
    done += more;
    report({ step: "verifying", done: Math.min(done, both), total: both });
  };
  count(0);
  const [theirs, ours] = await Promise.all([checksumRows(source, count), checksumRows(target, count)]);
  if (!isDeepStrictEqual(ours.rows, rows))
    throw new SourceChangedError("The target counts other rows than it has.");
  if (theirs.checksum !== ours.checksum) throw new SourceChangedError("The checksums differ.");
  return ours;
}

/** Reads every row, and says what there is. */
export async function checksumRows(
  archive: ArchiveSource,
  count: (more: number) => void,
): Promise<MoveResult> {
  const hash = createHash("sha256");
  const counts = new Map<TableName, number>();
  for (const table of tables) {
    let rowsOfTable = 0;
    hash.update(`${table.name}\n`);
    for await (const rows of readChunks(archive, table, undefined)) {
      // The same text however the rows are cut into chunks.
      hash.update(`${JSON.stringify(rows).slice(1, -1)},`);
      rowsOfTable += rows.length;
      count(rows.length);
    }
    counts.set(table.name, rowsOfTable);
  }
  return { rows: counts, checksum: hash.digest("hex") };
}

export function total(rows: RowCounts): number {
  let sum = 0;
  for (const count of rows.values()) sum += count;
  return sum;
}

/** Every row after the key. The next chunk is read while whoever asked is busy with this one. */
async function* readChunks(
  archive: ArchiveSource,
  table: Table,
  after: Row | undefined,
): AsyncGenerator<Row[]> {
  let limit = CHUNK_ROWS / 100;
  let reading = quietly(archive.read(table, after, limit));
  for (;;) {
    const rows = await reading;
    if (rows.length === 0) return;
    // Where both sides answer at once, nothing else would get a turn: not the signal that ends the process, either.
    await new Promise(setImmediate);
    limit = nextLimit(limit, rows);
    reading = quietly(archive.read(table, lastKey(table, rows), limit));
    yield rows;
  }
}

/** Fewer rows where they are large, so that a chunk always fits into memory. */
function nextLimit(limit: number, rows: readonly Row[]): number {
  let characters = 0;
  for (const row of rows) {
    for (const cell of row) characters += typeof cell === "string" ? cell.length : 8;
  }
  const fitting = Math.floor((rows.length * CHUNK_CHARACTERS) / characters);
  return Math.max(1, Math.min(limit * 10, fitting, CHUNK_ROWS));
}

function lastKey(table: Table, rows: readonly Row[]): Row {
  return keyOf(table, rows.at(-1) ?? []);
}

/** Awaited later than it may fail: until then, that is no error of the process. */
function quietly<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
