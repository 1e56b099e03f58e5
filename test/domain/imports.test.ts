import { describe, expect, test } from "bun:test";
import { bulkLimits } from "../../src/contract/bulk/bulk.ts";
import { CONCURRENT_CHUNKS, importRows, type RowOutcome } from "../../src/domain/bulk/imports.ts";
import { publicCaller } from "../../src/domain/caller.ts";
import type { ImportTarget, Row } from "../../src/domain/import-row.ts";
import { ProblemError } from "../../src/domain/problem-error.ts";
import { Semaphore } from "../../src/domain/scheduling/semaphore.ts";

const CHUNK = bulkLimits.chunkLines;
const mismatch = new ProblemError("idempotency-mismatch");
const unavailable = new ProblemError("unavailable", "Unavailable.");
const bug = new Error("A bug.");

interface Result {
  readonly created: boolean;
  readonly id: number;
}
type Target = ImportTarget<undefined, Result>;

/** A store that imports every chunk except the one with this number. */
function storeFailingAt(chunkNumber: number, error: Error) {
  let [chunks, id] = [0, 0];
  const target: Target = {
    async import(lines) {
      if (chunks++ === chunkNumber) throw error;
      return { results: lines.map(() => ({ created: true, id: ++id })), replayed: false };
    },
  };
  return { store: target, countChunks: () => chunks };
}

/** This many rows, and then the error. */
async function* createRows(count: number, error?: Error): AsyncGenerator<Row[], void> {
  for (let line = 1; line <= count; line += 100) {
    yield Array.from({ length: Math.min(100, count - line + 1) }, (_, i) => ({ line: line + i, json: "{}" }));
  }
  if (error) throw error;
}

/** Every outcome, and the error that the import threw after them. */
async function run(target: Target, rows: AsyncIterable<Row[]>, key?: string) {
  const outcomes: RowOutcome<Result>[] = [];
  let thrown: unknown;
  try {
    for await (const batch of importRows(rows, { by: publicCaller, target, key })) outcomes.push(...batch);
  } catch (error) {
    thrown = error;
  }
  const byResult = Map.groupBy(outcomes, (outcome) =>
    "created" in outcome ? "created" : outcome.problem.type,
  );
  const counts = Object.fromEntries([...byResult].map(([result, group]) => [result, group.length]));
  return { lines: outcomes.map(({ line }) => line), counts, thrown, last: outcomes.at(-1) };
}

describe("an import", () => {
  test("reports every row in order, with any number of chunks", async () => {
    for (const count of [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 3 * CHUNK + 7]) {
      const { store, countChunks } = storeFailingAt(-1, unavailable);
      const { lines, thrown } = await run(store, createRows(count));
      expect(lines).toEqual(Array.from({ length: count }, (_, index) => index + 1));
      expect([thrown, countChunks()]).toEqual([undefined, Math.ceil(count / CHUNK)]);
    }
  });

  test.each([
    ["the database is unavailable", unavailable],
    ["the key was used for another file", mismatch],
    ["of a bug", bug],
  ])("throws and stops if the first chunk fails because %s", async (_, error) => {
    const { store, countChunks } = storeFailingAt(0, error);
    const { lines, thrown } = await run(store, createRows(5 * CHUNK), "key");
    expect([lines, thrown, countChunks()]).toEqual([[], error, 1]);
  });

  test.each([
    ["the database is unavailable", unavailable, "unavailable", unavailable],
    ["the key was used for another file", mismatch, "idempotency-mismatch", undefined],
    ["of a bug", bug, "internal", bug],
  ])(
    "reports the rows of a later chunk and stops if it fails because %s",
    async (_, error, type, expectedError) => {
      const { store, countChunks } = storeFailingAt(2, error);
      const { counts, thrown } = await run(store, createRows(5 * CHUNK), "key");
      expect(counts).toEqual({ created: 2 * CHUNK, [type]: CHUNK });
      expect([thrown, countChunks()]).toEqual([expectedError, 3]);
    },
  );

  test("reports the rows of the last chunk if it fails", async () => {
    const { store } = storeFailingAt(1, unavailable);
    const { counts, thrown } = await run(store, createRows(CHUNK + 3));
    expect([counts, thrown]).toEqual([{ created: CHUNK, unavailable: 3 }, unavailable]);
  });

  test("throws if rows are unreadable before the first outcome, and reports them after it", async () => {
    const problem = new ProblemError("malformed-json", "Nonsense.");
    const { store, countChunks } = storeFailingAt(-1, unavailable);
    expect(await run(store, createRows(CHUNK, problem))).toMatchObject({ lines: [], thrown: problem });
    expect(countChunks()).toBe(0);
    const { counts, thrown, last } = await run(store, createRows(2 * CHUNK + 5, problem));
    expect([counts, thrown]).toEqual([{ created: 2 * CHUNK, "malformed-json": 1 }, undefined]);
    const line = 2 * CHUNK + 1;
    const detail = `Nonsense. No row from line ${line} on was imported.`;
    expect(last).toEqual({ line, problem: { type: "malformed-json", detail } });
  });

  test("stops reading rows when its consumer stops", async () => {
    const { store } = storeFailingAt(-1, unavailable);
    let isClosed = false;
    async function* rows() {
      try {
        yield* createRows(50 * CHUNK);
      } finally {
        isClosed = true;
      }
    }
    for await (const batch of importRows(rows(), { by: publicCaller, target: store })) {
      expect(batch).toHaveLength(CHUNK);
      break;
    }
    expect(isClosed).toBe(true);
  });

  test("makes smaller chunks of large rows", async () => {
    const sizes: number[] = [];
    const target: Target = {
      async import(lines) {
        sizes.push(lines.length);
        return { results: lines.map(() => ({ created: true, id: 1 })), replayed: false };
      },
    };
    async function* rows(): AsyncGenerator<Row[], void> {
      for (let line = 1; line <= 50; line++) yield [{ line, json: "x".repeat(60_000) }];
    }
    await run(target, rows());
    expect(sizes).toEqual(Array.from({ length: 25 }, () => 2));
  });
});

test("concurrent imports take turns, with two chunks in the store at a time", async () => {
  let [running, maxRunning, imported] = [0, 0, 0];
  const order: string[] = [];
  const target: Target = {
    async import(lines, idempotencyKey) {
      order.push(idempotencyKey?.key.slice(0, 1) ?? "");
      maxRunning = Math.max(maxRunning, ++running);
      await new Promise(setImmediate);
      running--;
      return { results: lines.map(() => ({ created: true, id: 1 })), replayed: false };
    },
  };
  const chunkSlots = new Semaphore(CONCURRENT_CHUNKS);
  const imports = [..."abcdefgh"].map(async (key) => {
    const rows = createRows(4 * CHUNK);
    for await (const batch of importRows(rows, { by: publicCaller, target, key, chunkSlots })) {
      imported += batch.length;
    }
  });
  await Promise.all(imports);
  expect([maxRunning, imported]).toEqual([2, 32 * CHUNK]);
  for (let round = 0; round < 4; round++) {
    const keys = order.slice(round * 8, round * 8 + 8);
    expect(keys.sort().join("")).toBe("abcdefgh");
  }
});
