import { createHash } from "node:crypto";
import { bulkLimits } from "../contract/bulk.ts";
import type { Caller } from "./caller.ts";
import { Refusal } from "./refusal.ts";
import type { ImportedUser, ImportLine, Once, Store } from "./store.ts";

/** One line of an import, and where it stands. */
export type Row = { readonly line: number } & ImportLine;

/** What became of it. */
export type RowOutcome = { readonly line: number } & ImportedUser;

/** How many chunks are on their way at a time: one is read while the other is committed. */
const UNDER_WAY = 2;

/**
 * Creates a user of each row, and says what became of each, in order. With a key, each chunk of rows is done once, however
 * often the whole is repeated. What stops everything, such as a database that is away, is told of the rows that it hit,
 * and ends the import: what comes after them has not been done.
 */
export async function* importRows(
  store: Store,
  { actor }: Caller,
  key: string | undefined,
  rows: AsyncIterable<readonly Row[]>,
): AsyncGenerator<RowOutcome[], void> {
  const underWay: { rows: readonly Row[]; users: Promise<readonly ImportedUser[]> }[] = [];
  let number = 0;
  const submit = (chunk: readonly Row[]) => {
    const lines = chunk.map(({ line: _line, ...rest }) => rest);
    const once = key === undefined ? undefined : onceOf(String(actor ?? ""), key, number++, lines);
    const users = store.import(lines, once, actor).then((outcome) => outcome.users);
    // Awaited later than it may fail: until then, that is no error of the process.
    users.catch(() => undefined);
    underWay.push({ rows: chunk, users });
  };
  for await (const chunk of chunksOf(rows)) {
    submit(chunk);
    if (underWay.length >= UNDER_WAY) yield* settle(underWay.shift());
  }
  while (underWay.length > 0) yield* settle(underWay.shift());
}

async function* settle(
  chunk: { rows: readonly Row[]; users: Promise<readonly ImportedUser[]> } | undefined,
): AsyncGenerator<RowOutcome[], void> {
  if (!chunk) return;
  const users = await chunk.users;
  yield chunk.rows.map(({ line }, index) => ({ line, ...(users[index] ?? lost) }));
}

const lost = { refusal: new Refusal("internal").data };

/** The same rows make the same chunks, so that a repeat finds what became of each. */
async function* chunksOf(rows: AsyncIterable<readonly Row[]>): AsyncGenerator<Row[], void> {
  let chunk: Row[] = [];
  let characters = 0;
  for await (const some of rows) {
    for (const row of some) {
      chunk.push(row);
      characters += "json" in row ? row.json.length : 0;
      if (chunk.length < bulkLimits.chunkLines && characters < bulkLimits.chunkBytes) continue;
      yield chunk;
      chunk = [];
      characters = 0;
    }
  }
  if (chunk.length > 0) yield chunk;
}

/** No key that a caller can send has this character in it. */
const SEPARATOR = "\u001f";

function onceOf(caller: string, key: string, number: number, lines: readonly ImportLine[]): Once {
  const hash = createHash("sha256");
  for (const line of lines) hash.update("json" in line ? `${line.json}\n` : "\n");
  return { caller, key: `${key}${SEPARATOR}${number}`, fingerprint: hash.digest("base64url") };
}
