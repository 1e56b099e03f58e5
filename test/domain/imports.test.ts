import { describe, expect, test } from "bun:test";
import { bulkLimits } from "../../src/contract/bulk.ts";
import { publicCaller } from "../../src/domain/caller.ts";
import { importRows, type Row, type RowOutcome, Semaphore } from "../../src/domain/imports.ts";
import { ProblemError } from "../../src/domain/problem-error.ts";
import type { IdempotencyKey, ImportLine, ImportOutcome, Store } from "../../src/domain/store.ts";

const CHUNK = bulkLimits.chunkLines;
const mismatch = new ProblemError("idempotency-mismatch");
const away = new ProblemError("unavailable", "Away.");
const ours = new Error("Ours.");

type Import = (lines: readonly ImportLine[], once?: IdempotencyKey) => Promise<ImportOutcome>;

/** A store that can do nothing but this. */
function storeOf(run: Import): Store {
  const none = () => {
    throw new Error("Nobody is to ask for that.");
  };
  const keys: Store["keys"] = new Proxy(Object.create(null), { get: none });
  const rest = {
    read: none,
    list: none,
    create: none,
    edit: none,
    remove: none,
    ping: none,
    stats: none,
    close: none,
  };
  return { ...rest, keys, import: run };
}

/** Does what it is asked, but fails with the chunk of this number. */
function failing(number: number, failure: Error) {
  let [asked, id] = [0, 0];
  const store = storeOf(async (lines) => {
    if (asked++ === number) throw failure;
    return { users: lines.map(() => ({ id: ++id })), replayed: false };
  });
  return { store, chunks: () => asked };
}

async function* rowsUpTo(count: number, then?: Error): AsyncGenerator<Row[], void> {
  for (let line = 1; line <= count; line += 100) {
    yield Array.from({ length: Math.min(100, count - line + 1) }, (_, i) => ({ line: line + i, json: "{}" }));
  }
  if (then) throw then;
}

/** All outcomes, and what was thrown after them. */
async function run(store: Store, rows: AsyncIterable<Row[]>, key?: string) {
  const outcomes: RowOutcome[] = [];
  let thrown: unknown;
  try {
    for await (const some of importRows(store, publicCaller, key, rows)) outcomes.push(...some);
  } catch (error) {
    thrown = error;
  }
  const ends = Map.groupBy(outcomes, (outcome) => ("id" in outcome ? "made" : outcome.problem.type));
  const counts = Object.fromEntries([...ends].map(([end, all]) => [end, all.length]));
  return { lines: outcomes.map(({ line }) => line), counts, thrown, last: outcomes.at(-1) };
}

describe("an import", () => {
  test("tells every row in order, whatever the number of chunks", async () => {
    for (const count of [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 3 * CHUNK + 7]) {
      const { store, chunks } = failing(-1, away);
      const { lines, thrown } = await run(store, rowsUpTo(count));
      expect(lines).toEqual(Array.from({ length: count }, (_, index) => index + 1));
      expect([thrown, chunks()]).toEqual([undefined, Math.ceil(count / CHUNK)]);
    }
  });

  test.each([
    ["a database that is away", away],
    ["another file", mismatch],
    ["a fault of ours", ours],
  ])("whose first chunk fails, for %s, throws that, and goes no farther", async (_, failure) => {
    const { store, chunks } = failing(0, failure);
    const { lines, thrown } = await run(store, rowsUpTo(5 * CHUNK), "key");
    expect([lines, thrown, chunks()]).toEqual([[], failure, 1]);
  });

  test.each([
    ["a database that is away", away, "unavailable", away],
    ["another file", mismatch, "idempotency-mismatch", undefined],
    ["a fault of ours", ours, "internal", ours],
  ])(
    "whose later chunk fails, for %s, says so of its rows, and goes no farther",
    async (_, failure, type, end) => {
      const { store, chunks } = failing(2, failure);
      const { counts, thrown } = await run(store, rowsUpTo(5 * CHUNK), "key");
      expect(counts).toEqual({ made: 2 * CHUNK, [type]: CHUNK });
      expect([thrown, chunks()]).toEqual([end, 3]);
    },
  );

  test("whose last chunk fails does the same", async () => {
    const { store } = failing(1, away);
    const { counts, thrown } = await run(store, rowsUpTo(CHUNK + 3));
    expect([counts, thrown]).toEqual([{ made: CHUNK, unavailable: 3 }, away]);
  });

  test("whose rows cannot be read is thrown if nothing has begun, and else told at its end", async () => {
    const fault = new ProblemError("malformed-json", "Nonsense.");
    const { store, chunks } = failing(-1, away);
    expect(await run(store, rowsUpTo(CHUNK, fault))).toMatchObject({ lines: [], thrown: fault });
    expect(chunks()).toBe(0);
    const { counts, thrown, last } = await run(store, rowsUpTo(2 * CHUNK + 5, fault));
    expect([counts, thrown]).toEqual([{ made: 2 * CHUNK, "malformed-json": 1 }, undefined]);
    const line = 2 * CHUNK + 1;
    const detail = `Nonsense. Nothing from line ${line} on was done.`;
    expect(last).toEqual({ line, problem: { type: "malformed-json", detail } });
  });

  test("that nobody listens to any more reads no more rows", async () => {
    const { store } = failing(-1, away);
    let closed = false;
    async function* rows() {
      try {
        yield* rowsUpTo(50 * CHUNK);
      } finally {
        closed = true;
      }
    }
    for await (const some of importRows(store, publicCaller, undefined, rows())) {
      expect(some).toHaveLength(CHUNK);
      break;
    }
    expect(closed).toBe(true);
  });

  test("of large rows has smaller chunks", async () => {
    const sizes: number[] = [];
    const store = storeOf(async (lines) => {
      sizes.push(lines.length);
      return { users: lines.map(() => ({ id: 1 })), replayed: false };
    });
    async function* rows(): AsyncGenerator<Row[], void> {
      for (let line = 1; line <= 50; line++) yield [{ line, json: "x".repeat(60_000) }];
    }
    await run(store, rows());
    expect(sizes).toEqual([18, 18, 14]);
  });
});

test("of many imports at once, two chunks are with the store at a time, and each import has its turn", async () => {
  let [now, most, imports] = [0, 0, 0];
  const order: string[] = [];
  const store = storeOf(async (lines, once) => {
    order.push(once?.key.slice(0, 1) ?? "");
    most = Math.max(most, ++now);
    await Bun.sleep(1);
    now--;
    return { users: lines.map(() => ({ id: 1 })), replayed: false };
  });
  const turns = new Semaphore();
  const all = [..."abcdefgh"].map(async (key) => {
    for await (const some of importRows(store, publicCaller, key, rowsUpTo(4 * CHUNK), turns))
      imports += some.length;
  });
  await Promise.all(all);
  expect([most, imports]).toEqual([2, 32 * CHUNK]);
  for (let round = 0; round < 4; round++) {
    expect(
      order
        .slice(round * 8, round * 8 + 8)
        .sort()
        .join(""),
    ).toBe("abcdefgh");
  }
});
