import { afterEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ListQuery } from "../../src/domain/listing.ts";
import { ProblemError } from "../../src/domain/problem-error.ts";
import { defaultRecordRules } from "../../src/domain/record-rules.ts";
import { ReaderPool, type ReaderThread } from "../../src/store/sqlite/reader-pool.ts";
import type { ReaderRequest, ReaderResponse } from "../../src/store/sqlite/reader-thread.ts";
import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";

const search: ListQuery = {
  sort: "id",
  descending: false,
  limit: 20,
  from: undefined,
  offset: 0,
  search: "nobody",
  filters: [],
  count: false,
};
const MOST_WAITING = 1000;
const MOST_UNDER_WAY = 32;
/** Nothing is over before its time, and nothing much later, on a machine that has other work too. */
const SLACK_MS = 10_000;

/** A thread that answers when it is told to. */
class PatientThread implements ReaderThread {
  readonly asked: number[] = [];
  ended: Error | undefined;
  closed = false;
  readonly #underWay: { number: number; answer: PromiseWithResolvers<ReaderResponse> }[] = [];

  get pending(): number {
    return this.#underWay.length;
  }

  request(request: ReaderRequest): Promise<ReaderResponse> {
    const number = numberOf(request);
    const answer = Promise.withResolvers<ReaderResponse>();
    this.asked.push(number);
    this.#underWay.push({ number, answer });
    return answer.promise;
  }

  /** Answers what it was asked first of all that it has not answered. */
  answer(): void {
    const first = this.#underWay.shift();
    first?.answer.resolve({ kind: "count", round: { found: first.number, last: undefined } });
  }

  die(): void {
    this.ended = new ProblemError("unavailable", "It has ended.");
    for (const { answer } of this.#underWay.splice(0)) answer.reject(this.ended);
  }

  async end(): Promise<void> {
    while (this.pending > 0) this.answer();
    this.closed = true;
  }
}

/** A question with a number, by which it is known again; the answer has the same. */
function question(number: number): ReaderRequest {
  return { kind: "count", query: search, after: number };
}

function numberOf(request: ReaderRequest): number {
  return request.kind === "count" ? (request.after ?? 0) : 0;
}

function readersWith({ waitMs = 60_000, threads = 1 } = {}) {
  const started: PatientThread[] = [];
  const start = () => {
    const thread = new PatientThread();
    started.push(thread);
    return thread;
  };
  const readers = new ReaderPool({ start, waitMs, threads });
  /** How each ends: its number, or what it is refused with, and after how many milliseconds. */
  const ask = async (number: number, since?: number) => {
    const begin = performance.now();
    const ended = await readers.request(question(number), since).then(
      (response) => (response.kind === "count" ? response.round.found : "a page"),
      (reason: unknown) => (reason instanceof ProblemError ? reason.type : String(reason)),
    );
    return { ended, ms: performance.now() - begin };
  };
  const first = () => started[0] ?? start();
  return { readers, started, ask, first };
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
/** Lets all that is settled by now reach whoever waits for it. */
const settled = () => new Promise(setImmediate);

describe("readers", () => {
  test("two questions are under way in a thread, the others wait for their turn in the order they came", async () => {
    const { ask, first } = readersWith();
    const answers = numbers(5).map((number) => ask(number));
    expect(first().asked).toEqual([1, 2]);
    for (let sent = 3; sent <= 5; sent++) {
      // Slow enough for no more than two.
      await Bun.sleep(10);
      first().answer();
      await settled();
      expect(first().asked).toEqual(numbers(sent));
    }
    await first().end();
    expect((await Promise.all(answers)).map(({ ended }) => ended)).toEqual(numbers(5));
  });

  test("more are under way while they are answered at once, and two again when they no longer are", async () => {
    const { ask, first } = readersWith();
    for (const number of numbers(100)) {
      const answer = ask(number);
      first().answer();
      await answer;
    }
    const answers = numbers(200).map((number) => ask(number));
    expect(first().pending).toBeGreaterThan(2);
    expect(first().pending).toBeLessThanOrEqual(MOST_UNDER_WAY);
    await Bun.sleep(10);
    for (let answered = 0; answered < MOST_UNDER_WAY; answered++) {
      first().answer();
      await settled();
    }
    await Bun.sleep(10);
    first().answer();
    await settled();
    expect(first().pending).toBe(2);
    while (first().pending > 0) {
      first().answer();
      await settled();
    }
    expect((await Promise.all(answers)).map(({ ended }) => ended)).toEqual(numbers(200));
  });

  test("one that waits for half of the time is refused then, and never sent", async () => {
    const waitMs = 600;
    const { ask, first } = readersWith({ waitMs });
    const answers = numbers(3).map((number) => ask(number));
    const waited = await answers[2];
    expect(waited?.ended).toBe("unavailable");
    expect(waited?.ms).toBeGreaterThanOrEqual(waitMs / 2 - 5);
    expect(waited?.ms).toBeLessThan(waitMs / 2 + SLACK_MS);
    await first().end();
    await Promise.all(answers);
    expect(first().asked).toEqual([1, 2]);
  });

  test("one that is under way is refused when the wait is over, and keeps its place in the thread until then", async () => {
    const waitMs = 300;
    const { ask, first } = readersWith({ waitMs });
    const late = await Promise.all([ask(1), ask(2)]);
    for (const { ended, ms } of late) {
      expect(ended).toBe("unavailable");
      expect(ms).toBeGreaterThanOrEqual(waitMs - 5);
      expect(ms).toBeLessThan(waitMs + SLACK_MS);
    }
    const next = ask(3);
    expect(first().asked).toEqual([1, 2]);
    first().answer();
    await settled();
    expect(first().asked).toEqual([1, 2, 3]);
    await first().end();
    expect((await next).ended).toBe(3);
  });

  test("all the questions of one list together have the time of one list", async () => {
    const { ask, first } = readersWith({ waitMs: 10_000 });
    const { ended, ms } = await ask(1, performance.now() - 9900);
    expect(ended).toBe("unavailable");
    expect(ms).toBeLessThan(100 + SLACK_MS);
    await first().end();
  });

  test("one more than may wait is refused at once, and there is room again when one has been sent", async () => {
    const { readers, ask, first } = readersWith();
    const waiting = numbers(2 + MOST_WAITING).map((number) => ask(number));
    const refused = await ask(9999);
    expect(refused.ended).toBe("unavailable");
    expect(refused.ms).toBeLessThan(SLACK_MS);
    await Bun.sleep(10);
    first().answer();
    await settled();
    const fits = ask(9999);
    await readers.close();
    await Promise.all([...waiting, fits]);
    expect(first().asked).toEqual([1, 2, 3]);
  });

  test("a thread is started only while all others have something to do, and the one with least gets the next", async () => {
    const { ask, started } = readersWith({ threads: 2 });
    const one = ask(1);
    started[0]?.answer();
    await one;
    const answers = numbers(4).map((number) => ask(number));
    expect(started.map(({ asked }) => asked)).toEqual([
      [1, 1, 3],
      [2, 4],
    ]);
    started[1]?.answer();
    await settled();
    answers.push(ask(5));
    expect(started.map(({ asked }) => asked)).toEqual([
      [1, 1, 3],
      [2, 4, 5],
    ]);
    for (const thread of started) await thread.end();
    await Promise.all(answers);
  });

  test("a thread that has ended is replaced by one that answers what was waiting", async () => {
    const { ask, started } = readersWith();
    const answers = numbers(4).map((number) => ask(number));
    started[0]?.die();
    await settled();
    expect(started.map(({ asked }) => asked)).toEqual([
      [1, 2],
      [3, 4],
    ]);
    await started[1]?.end();
    const ends = (await Promise.all(answers)).map(({ ended }) => ended);
    expect(ends).toEqual(["unavailable", "unavailable", 3, 4]);
  });

  test("a thread that cannot be started is told to those who ask, and tried again", async () => {
    const thread = new PatientThread();
    let tries = 0;
    const readers = new ReaderPool({
      start() {
        if (++tries <= 2) throw new Error("There are no threads left.");
        return thread;
      },
      waitMs: 60_000,
    });
    await expect(readers.request(question(1))).rejects.toThrow("no threads left");
    await expect(readers.request(question(2))).rejects.toThrow("no threads left");
    const answer = readers.request(question(3));
    thread.answer();
    expect(await answer).toEqual({ kind: "count", round: { found: 3, last: undefined } });
  });

  test("closing finishes what is under way, and refuses what waits and what comes later", async () => {
    const { readers, ask, first } = readersWith();
    const answers = numbers(4).map((number) => ask(number));
    await readers.close();
    answers.push(ask(5));
    const ends = (await Promise.all(answers)).map(({ ended }) => ended);
    expect(ends).toEqual([1, 2, "unavailable", "unavailable", "unavailable"]);
    expect(first().asked).toEqual([1, 2]);
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
    const options = { path, batch: 512, queue: 10_000, waitMs: 20_000, recordRules: defaultRecordRules };
    return new SqliteStore(options, { committed() {} });
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

  test("of a flood as many are answered as may wait, and the rest is refused", async () => {
    const store = open();
    const flood = 2 * MOST_WAITING;
    const { answered, unavailable } = await outcomes(numbers(flood).map(() => store.list(search)));
    expect(answered).toBeGreaterThanOrEqual(MOST_WAITING);
    expect(answered).toBeLessThan(MOST_WAITING + 100);
    expect(answered + unavailable).toBe(flood);
    expect(await outcomes([store.list(search), store.list({ ...search, count: true })])).toEqual({
      answered: 2,
      unavailable: 0,
    });
    await store.close();
  }, 120_000);

  test("a store that is closed under a flood answers or refuses every list, and ends", async () => {
    const store = open();
    const lists = numbers(MOST_WAITING).map((number) => store.list({ ...search, count: number % 2 === 0 }));
    const ended = outcomes(lists);
    await store.close();
    const { answered, unavailable } = await ended;
    expect(answered).toBeGreaterThan(0);
    expect(answered + unavailable).toBe(MOST_WAITING);
  }, 120_000);
});
