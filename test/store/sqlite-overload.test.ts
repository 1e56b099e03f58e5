import { afterEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ProblemError } from "../../src/domain/problem-error.ts";
import { defaultRecordRules } from "../../src/domain/users/record-rules.ts";
import type { UserListQuery } from "../../src/domain/users/user-list-fields.ts";
import { ReaderPool, type ReaderThread } from "../../src/store/sqlite/reader-pool.ts";
import type { ReaderRequest, ReaderResponse } from "../../src/store/sqlite/reader-thread.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { TestClock } from "../support/test-clock.ts";

const search: UserListQuery = {
  sort: "id",
  descending: false,
  limit: 200,
  from: undefined,
  offset: 0,
  search: ["nobody"],
  filters: [],
  count: false,
};
const MAX_WAITING = 1000;
const MAX_SENT = 32;

/** A thread that responds when the test calls `respond`. */
class ManualThread implements ReaderThread {
  /** Numbers of all requests. */
  readonly received: number[] = [];
  ended: Error | undefined;
  closed = false;
  readonly #pending: { number: number; response: PromiseWithResolvers<ReaderResponse> }[] = [];

  get pending(): number {
    return this.#pending.length;
  }

  request(request: ReaderRequest): Promise<ReaderResponse> {
    const number = numberOf(request);
    const response = Promise.withResolvers<ReaderResponse>();
    this.received.push(number);
    this.#pending.push({ number, response });
    return response.promise;
  }

  /** Responds to the oldest pending request. */
  respond(): void {
    const first = this.#pending.shift();
    first?.response.resolve({ kind: "count", round: { found: first.number, last: undefined } });
  }

  die(): void {
    this.ended = new ProblemError("unavailable", "The thread has stopped.");
    for (const { response } of this.#pending.splice(0)) response.reject(this.ended);
  }

  async end(): Promise<void> {
    while (this.pending > 0) this.respond();
    this.closed = true;
  }
}

/** A request with a number. Its response has the same number. */
function numbered(number: number): ReaderRequest {
  return { kind: "count", list: "users", query: search, after: number };
}

function numberOf(request: ReaderRequest): number {
  return request.kind === "count" ? (request.after ?? 0) : 0;
}

function startPool({ waitMs = 60_000, threads = 1 } = {}) {
  const started: ManualThread[] = [];
  const start = () => {
    const thread = new ManualThread();
    started.push(thread);
    return thread;
  };
  const clock = TestClock.stopped();
  const pool = new ReaderPool({ start, waitMs, threads, clock });
  /** Sends a request. Returns its number or its problem. */
  const send = (number: number, since?: number, owner?: string) =>
    pool.request(numbered(number), since, owner).then(
      (response) => (response.kind === "count" ? response.round.found : "a page"),
      (reason: unknown) => (reason instanceof ProblemError ? reason.type : String(reason)),
    );
  const first = () => started[0] ?? start();
  return { clock, pool, started, send, first };
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
/** Lets the callbacks of settled promises run. */
const settled = () => new Promise(setImmediate);

/** The pool uses two timers one after the other. Each may end a millisecond late, because clocks have fractions. */
const ROUNDING_MS = 2;
/** A response that takes longer than this is slow. */
const SLOW_MS = 10;

describe("a reader pool", () => {
  test("sends two requests to a thread, and the others in order as it responds", async () => {
    const { clock, send, first } = startPool();
    const results = numbers(5).map((number) => send(number));
    expect(first().received).toEqual([1, 2]);
    for (let sent = 3; sent <= 5; sent++) {
      // A slow response: the pool keeps sending two at a time.
      await clock.advance(SLOW_MS);
      first().respond();
      await settled();
      expect(first().received).toEqual(numbers(sent));
    }
    await first().end();
    expect(await Promise.all(results)).toEqual(numbers(5));
  });

  test("lets owners take turns: many requests of one do not wait in front of another's", async () => {
    const { clock, send, first } = startPool();
    const results = numbers(6).map((number) => send(number, undefined, "a"));
    results.push(send(7, undefined, "b"), send(8, undefined, "c"), send(9, undefined, "b"));
    for (let answered = 0; answered < 9; answered++) {
      await clock.advance(SLOW_MS);
      first().respond();
      await settled();
    }
    expect(first().received).toEqual([1, 2, 3, 7, 8, 4, 9, 5, 6]);
    expect(await Promise.all(results)).toEqual(numbers(9));
  });

  test("sends more requests while responses are fast, and two again when they are slow", async () => {
    const { clock, send, first } = startPool();
    for (const number of numbers(100)) {
      const result = send(number);
      first().respond();
      await result;
    }
    const results = numbers(200).map((number) => send(number));
    expect(first().pending).toBeGreaterThan(2);
    expect(first().pending).toBeLessThanOrEqual(MAX_SENT);
    await clock.advance(SLOW_MS);
    for (let answered = 0; answered < MAX_SENT; answered++) {
      first().respond();
      await settled();
    }
    await clock.advance(SLOW_MS);
    first().respond();
    await settled();
    expect(first().pending).toBe(2);
    while (first().pending > 0) {
      first().respond();
      await settled();
    }
    expect(await Promise.all(results)).toEqual(numbers(200));
  });

  test("rejects a request that waits for half of the time, and never sends it", async () => {
    const { clock, send, first } = startPool({ waitMs: 600 });
    const results = numbers(3).map((number) => send(number));
    await clock.advance(299);
    expect(Bun.peek.status(results[2])).toBe("pending");
    await clock.advance(1 + ROUNDING_MS);
    expect(Bun.peek(results[2])).toBe("unavailable");
    await first().end();
    expect(await Promise.all(results)).toEqual([1, 2, "unavailable"]);
    expect(first().received).toEqual([1, 2]);
  });

  test("rejects a sent request after the whole time; it occupies the thread until the response", async () => {
    const { clock, send, first } = startPool({ waitMs: 300 });
    const late = [send(1), send(2)];
    await clock.advance(299);
    expect(late.map((request) => Bun.peek.status(request))).toEqual(["pending", "pending"]);
    await clock.advance(1 + ROUNDING_MS);
    expect(late.map((request) => Bun.peek(request))).toEqual(["unavailable", "unavailable"]);
    const next = send(3);
    expect(first().received).toEqual([1, 2]);
    first().respond();
    await settled();
    expect(first().received).toEqual([1, 2, 3]);
    await first().end();
    expect(await next).toBe(3);
  });

  test("all requests of one list share the time of one list", async () => {
    const { clock, send, first } = startPool({ waitMs: 60_000 });
    const late = send(1, clock.running() - 59_900);
    await clock.advance(99);
    expect(Bun.peek.status(late)).toBe("pending");
    await clock.advance(1 + ROUNDING_MS);
    expect(Bun.peek(late)).toBe("unavailable");
    await first().end();
  });

  test("rejects requests at once when the queue is full, until one is sent", async () => {
    const { clock, pool, send, first } = startPool();
    const waiting = numbers(2 + MAX_WAITING).map((number) => send(number));
    // The clock stands still.
    expect(await send(9999)).toBe("unavailable");
    await clock.advance(SLOW_MS);
    first().respond();
    await settled();
    const fits = send(9999);
    await pool.close();
    await Promise.all([...waiting, fits]);
    expect(first().received).toEqual([1, 2, 3]);
  });

  test("leaves places of a full queue to owners that have fewer requests in it", async () => {
    const { pool, send, first } = startPool();
    const many = numbers(2 + MAX_WAITING).map((number) => send(number, undefined, "a"));
    const [early, late] = [send(2001, undefined, "b"), send(2002, undefined, "a")];
    expect([await many.at(-1), await late]).toEqual(["unavailable", "unavailable"]);
    first().respond();
    await settled();
    first().respond();
    await settled();
    expect(first().received.slice(0, 4)).toEqual([1, 2, 3, 2001]);
    await pool.close();
    await Promise.all([...many, early]);
  });

  test("starts a thread only if all others are busy, and uses the one with the fewest requests", async () => {
    const { send, started } = startPool({ threads: 2 });
    const first = send(1);
    started[0]?.respond();
    await first;
    const results = numbers(4).map((number) => send(number));
    expect(started.map(({ received }) => received)).toEqual([
      [1, 1, 3],
      [2, 4],
    ]);
    started[1]?.respond();
    await settled();
    results.push(send(5));
    expect(started.map(({ received }) => received)).toEqual([
      [1, 1, 3],
      [2, 4, 5],
    ]);
    for (const thread of started) await thread.end();
    await Promise.all(results);
  });

  test("replaces a stopped thread, which gets the waiting requests", async () => {
    const { send, started } = startPool();
    const results = numbers(4).map((number) => send(number));
    started[0]?.die();
    await settled();
    expect(started.map(({ received }) => received)).toEqual([
      [1, 2],
      [3, 4],
    ]);
    await started[1]?.end();
    expect(await Promise.all(results)).toEqual(["unavailable", "unavailable", 3, 4]);
  });

  test("rejects requests with the error of a thread that cannot start, and tries to start it again", async () => {
    const thread = new ManualThread();
    let tries = 0;
    const pool = new ReaderPool({
      start() {
        if (++tries <= 2) throw new Error("There are no threads left.");
        return thread;
      },
      waitMs: 60_000,
    });
    await expect(pool.request(numbered(1))).rejects.toThrow("no threads left");
    await expect(pool.request(numbered(2))).rejects.toThrow("no threads left");
    const response = pool.request(numbered(3));
    thread.respond();
    expect(await response).toEqual({ kind: "count", round: { found: 3, last: undefined } });
  });

  test("finishes sent requests on close, and rejects waiting and later ones", async () => {
    const { pool, send, first } = startPool();
    const results = numbers(4).map((number) => send(number));
    await pool.close();
    results.push(send(5));
    expect(await Promise.all(results)).toEqual([1, 2, "unavailable", "unavailable", "unavailable"]);
    expect(first().received).toEqual([1, 2]);
    expect(first().closed).toBe(true);
  });
});

describe("lists on SQLite", () => {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  });
  const open = () => {
    const folder = mkdtempSync(join(tmpdir(), "roster-overload-"));
    folders.push(folder);
    const path = join(folder, "roster.db");
    const options = { path, batch: 512, queue: 10_000, waitMs: 240_000, recordRules: defaultRecordRules };
    return openSqliteStore(options, { committed() {} });
  };
  const outcomes = async (lists: readonly unknown[]) => {
    const ends = await Promise.allSettled(lists);
    const types = ends.map((end) =>
      end.status === "fulfilled"
        ? "answered"
        : end.reason instanceof ProblemError
          ? end.reason.type
          : "failed",
    );
    return {
      answered: types.filter((type) => type === "answered").length,
      unavailable: types.filter((type) => type === "unavailable").length,
    };
  };

  test("under a flood, serve as many as may wait, and reject the rest", async () => {
    const store = open();
    const flood = 2 * MAX_WAITING;
    const { answered, unavailable } = await outcomes(numbers(flood).map(() => store.users.list(search)));
    expect(answered).toBeGreaterThanOrEqual(MAX_WAITING);
    expect(answered).toBeLessThan(MAX_WAITING + 100);
    expect(answered + unavailable).toBe(flood);
    expect(await outcomes([store.users.list(search), store.users.list({ ...search, count: true })])).toEqual({
      answered: 2,
      unavailable: 0,
    });
    await store.close();
  }, 120_000);

  test("all end when the store closes under a flood", async () => {
    const store = open();
    const lists = numbers(MAX_WAITING).map((number) =>
      store.users.list({ ...search, count: number % 2 === 0 }),
    );
    const ended = outcomes(lists);
    await store.close();
    const { answered, unavailable } = await ended;
    expect(answered).toBeGreaterThan(0);
    expect(answered + unavailable).toBe(MAX_WAITING);
  }, 120_000);
});
