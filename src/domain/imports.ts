import { createHash } from "node:crypto";
import { bulkLimits } from "../contract/bulk.ts";
import type { Caller } from "./caller.ts";
import { ProblemError } from "./problem-error.ts";
import type { IdempotencyKey, ImportedUser, ImportLine, Store } from "./store.ts";

/** One line of an import, and where it stands. */
export type Row = { readonly line: number } & ImportLine;

/** What became of it. */
export type RowOutcome = { readonly line: number } & ImportedUser;

/**
 * Creates a user of each row, and says what became of each, in order. With a key, each chunk of rows is done once, however
 * often the whole is repeated, and nothing is done of other rows under the same key.
 *
 * What stops everything is thrown if nothing has been told yet. Afterwards the rows that it hit say so; unless it lies in
 * what was sent, it is thrown then, as when the database is away. What comes after these rows has not been done.
 */
export async function* importRows(
  store: Store,
  { actor }: Caller,
  key: string | undefined,
  rows: AsyncIterable<readonly Row[]>,
  turns: Semaphore = new Semaphore(),
): AsyncGenerator<RowOutcome[], void> {
  let number = 0;
  const submit = ({ rows, last }: Chunk): UnderWay => {
    const lines = rows.map((row) => ("json" in row ? { json: row.json } : { problem: row.problem }));
    const idempotencyKey =
      key === undefined ? undefined : chunkIdempotencyKey(String(actor ?? ""), key, number++, lines, last);
    return { rows, end: endOf(turns.take(() => store.import(lines, idempotencyKey, actor))) };
  };
  let underWay: UnderWay | undefined;
  let told = false;
  // One chunk is read while the one before is committed, and begun when that is done: it may turn out that the key was
  // used for something else.
  for await (const next of chunksOf(rows)) {
    const before = underWay;
    const end = await before?.end;
    underWay = "rows" in next && !end?.failure ? submit(next) : undefined;
    if (before && end) {
      if (end.failure && !told) throw end.failure;
      yield outcomes(before, end);
      told = true;
      if (end.failure) return stop(end.failure);
    }
    if (!("fault" in next)) continue;
    if (!told) throw next.fault;
    yield [notDone(next)];
  }
  if (!underWay) return;
  const end = await underWay.end;
  if (end.failure && !told) throw end.failure;
  yield outcomes(underWay, end);
  if (end.failure) stop(end.failure);
}

/** One chunk is committed, and one is at hand when that is done. */
const AT_ONCE = 2;

/**
 * Whose turn it is, of all imports there are. Few chunks wait in the store at a time: whoever creates a single user comes
 * after these, and not after one of every import; and none is given up for having waited for the others.
 */
export class Semaphore {
  #left = AT_ONCE;
  readonly #waiting: (() => void)[] = [];

  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#left > 0) this.#left--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#left++;
    }
  }
}

/** Rows that are committed together. */
interface Chunk {
  readonly rows: readonly Row[];
  /** Whether no others come after them. */
  readonly last: boolean;
}

/** Why there are no rows from this line on. */
interface Fault {
  readonly line: number;
  readonly fault: ProblemError;
}

/** How the store has answered. */
type End =
  | { readonly users: readonly ImportedUser[]; readonly failure?: never }
  | { readonly users?: never; readonly failure: Error };

interface UnderWay {
  readonly rows: readonly Row[];
  readonly end: Promise<End>;
}

async function endOf(work: ReturnType<Store["import"]>): Promise<End> {
  try {
    return { users: (await work).users };
  } catch (error) {
    return { failure: error instanceof Error ? error : new Error(String(error)) };
  }
}

function outcomes({ rows }: UnderWay, end: End): RowOutcome[] {
  const { data } = end.failure instanceof ProblemError ? end.failure : lost;
  return rows.map(({ line }, index) => {
    const user = end.users?.[index] ?? { problem: data };
    return "id" in user ? { line, id: user.id } : { line, problem: user.problem };
  });
}

const lost = new ProblemError("internal");

/** What lies in the rows has been told by them, and is no failure of the import. */
function stop(failure: Error): void {
  if (!(failure instanceof ProblemError) || failure.type !== "idempotency-mismatch") throw failure;
}

function notDone({ line, fault: { data } }: Fault): RowOutcome {
  return { line, problem: { ...data, detail: `${data.detail} Nothing from line ${line} on was done.` } };
}

/**
 * The same rows make the same chunks, so that a repeat finds what became of each. What cannot be read ends them: a chunk
 * that might have had more rows is none.
 */
async function* chunksOf(rows: AsyncIterable<readonly Row[]>): AsyncGenerator<Chunk | Fault, void> {
  let chunk: Row[] = [];
  let characters = 0;
  let line = 0;
  try {
    for await (const some of rows) {
      for (const row of some) {
        if (chunk.length >= bulkLimits.chunkLines || characters >= bulkLimits.chunkBytes) {
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
    return yield { line: chunk[0]?.line ?? line + 1, fault: error };
  }
  if (chunk.length > 0) yield { rows: chunk, last: true };
}

/** No key that a caller can send has this character in it. */
const SEPARATOR = "\u001f";

function chunkIdempotencyKey(
  caller: string,
  key: string,
  number: number,
  lines: readonly ImportLine[],
  last: boolean,
): IdempotencyKey {
  const hash = createHash("sha256");
  for (const line of lines) hash.update("json" in line ? `${line.json}\n` : "\n");
  // Neither the beginning of what was sent before is that, nor what goes on after it.
  if (!last) hash.update("more");
  return { caller, key: `${key}${SEPARATOR}${number}`, fingerprint: hash.digest("base64url") };
}
