import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { GroupCommit } from "../../src/store/writes/group-commit.ts";
import type { WriteBatch } from "../../src/store/writes/write-batch.ts";
import { TestClock } from "../support/test-clock.ts";

interface Commit {
  readonly writes: readonly number[];
  readonly refusals: WriteBatch<number>["refusals"];
  commit(): void;
  /** The engine leaves out writes, and commits the others. */
  resolve(outcomes: (number | null)[]): void;
  fail(error: Error): void;
}

/** Commits that end when the test says so. */
function startCommits(waitMs: number, queue = 3, batch = 2) {
  const clock = TestClock.stopped();
  const batches: Commit[] = [];
  const commits = new GroupCommit<number, number>(
    ({ writes, refusals }) =>
      new Promise((resolve, fail) =>
        batches.push({ writes, refusals, commit: () => resolve([...writes]), resolve, fail }),
      ),
    { batch, queue, waitMs, clock },
    { committed: () => undefined },
  );
  const outcomes: string[] = [];
  const submit = (write: number) =>
    commits.submit(write).then(
      (outcome) => outcomes.push(`${outcome} committed`),
      (error: Error) => outcomes.push(`${write} ${error.message}`),
    );
  return { clock, commits, batches, outcomes, submit };
}

const LATE = "unavailable: The database did not respond in time. The write was not made.";
const IN_DOUBT =
  "unavailable: The database did not respond in time. The write may or may not have been committed.";

test("a write is rejected if the database takes longer than the time limit", async () => {
  const { clock, commits, batches, outcomes, submit } = startCommits(2000);
  const writes = [submit(1), submit(2), submit(3)];
  await clock.advance(2000);
  expect(outcomes).toEqual([]);
  await clock.advance(250);
  await Promise.all(writes);
  expect(outcomes).toEqual([`1 ${LATE}`, `2 ${LATE}`, `3 ${LATE}`]);
  batches[0]?.commit();
  await clock.advance(1);
  // The write that was still queued is not committed later.
  expect(batches.map((batch) => batch.writes)).toEqual([[1, 2]]);
  await clock.skipTo(commits.drain());
});

test("a write is not late because the process was suspended", async () => {
  const { clock, batches, outcomes, submit } = startCommits(2000);
  const writes = [submit(1), submit(2)];
  await clock.advance(250);
  clock.jump(60_000);
  await clock.advance(1000);
  expect(outcomes).toEqual([]);
  batches[0]?.commit();
  await Promise.all(writes);
  expect(outcomes).toEqual(["1 committed", "2 committed"]);
});

test("writes that arrive during a commit form the next batch, and too many are rejected at once", async () => {
  const { clock, commits, batches, outcomes, submit } = startCommits(2000);
  const first = submit(1);
  await clock.advance(1);
  const more = [submit(2), submit(3), submit(4), submit(5)];
  await more[3];
  expect(outcomes).toEqual(["5 unavailable: Too many writes are waiting. Try again shortly."]);
  batches[0]?.commit();
  await first;
  await clock.advance(1);
  batches[1]?.commit();
  await clock.advance(1);
  batches[2]?.commit();
  await clock.skipTo(commits.drain());
  await Promise.all(more);
  expect(batches.map((batch) => batch.writes)).toEqual([[1], [2, 3], [4]]);
  expect(outcomes.slice(1)).toEqual(["1 committed", "2 committed", "3 committed", "4 committed"]);
});

describe("after a commit that took long, the next batch waits for more writes", () => {
  /** Commits the write 1 in 20 ms, while the write 2 arrives. */
  async function commitOne() {
    const started = startCommits(2000, 10, 4);
    const { clock, batches, submit } = started;
    const first = submit(1);
    await clock.advance(0);
    void submit(2);
    await clock.advance(20);
    batches[0]?.commit();
    await first;
    return started;
  }

  test("until the callers of the last batch are back", async () => {
    const { clock, batches, submit } = await commitOne();
    await clock.advance(1);
    expect(batches).toHaveLength(1);
    void submit(3);
    await clock.advance(0);
    expect(batches[1]?.writes).toEqual([2, 3]);
  });

  test("even if none has arrived during the commit", async () => {
    const { clock, batches, submit } = startCommits(2000, 10, 4);
    const first = [submit(1), submit(2)];
    await clock.advance(0);
    await clock.advance(20);
    batches[0]?.commit();
    await Promise.all(first);
    void submit(3);
    await clock.advance(1);
    expect(batches).toHaveLength(1);
    void submit(4);
    await clock.advance(0);
    expect(batches[1]?.writes).toEqual([3, 4]);
  });

  test("for a tenth of the time of the last commit at most", async () => {
    const { clock, batches } = await commitOne();
    await clock.advance(1.5);
    expect(batches).toHaveLength(1);
    await clock.advance(0.5);
    expect(batches[1]?.writes).toEqual([2]);
  });

  test("not if it is full", async () => {
    const { clock, batches, submit } = startCommits(2000, 10, 2);
    const first = submit(1);
    await clock.advance(0);
    await clock.advance(20);
    for (const write of [2, 3, 4]) void submit(write);
    batches[0]?.commit();
    await first;
    await clock.advance(0);
    expect(batches[1]?.writes).toEqual([2, 3]);
  });

  test("not longer than ten milliseconds, even after an outage", async () => {
    const { clock, batches, submit } = startCommits(60_000);
    const first = submit(1);
    await clock.advance(0);
    await clock.advance(30_000);
    void submit(2);
    batches[0]?.commit();
    await first;
    await clock.advance(0);
    expect(batches).toHaveLength(1);
    await clock.advance(10);
    expect(batches[1]?.writes).toEqual([2]);
  });
});

test("an engine may not begin the COMMIT of a write that was refused", async () => {
  const { clock, batches, outcomes, submit } = startCommits(2000);
  const first = submit(1);
  await clock.advance(1000);
  const second = submit(2);
  batches[0]?.commit();
  await first;
  await clock.advance(1500);
  const third = submit(3);
  await clock.advance(750);
  await second;
  expect(outcomes).toEqual(["1 committed", `2 ${LATE}`]);
  const [, batch] = batches;
  expect(batch?.refusals.beginCommit([0])).toBe(false);
  batch?.resolve([null]);
  await clock.advance(0);
  await clock.advance(10);
  expect(batches[2]?.refusals.beginCommit([0])).toBe(true);
  batches[2]?.commit();
  await third;
  expect(outcomes.at(-1)).toBe("3 committed");
});

test("a write whose COMMIT was sent may be committed after it was refused, but is not tried again", async () => {
  const { clock, commits, batches, outcomes, submit } = startCommits(2000);
  const write = submit(1);
  await clock.advance(1);
  const refusals = batches[0]?.refusals;
  expect(refusals?.beginCommit([0])).toBe(true);
  await clock.advance(2250);
  await write;
  expect(outcomes).toEqual([`1 ${IN_DOUBT}`]);
  // The COMMIT failed, for example because of a conflict with another node.
  refusals?.endFailedCommit([0]);
  expect(refusals?.beginCommit([0])).toBe(false);
  batches[0]?.resolve([null]);
  await clock.skipTo(commits.drain());
});

test("a write whose COMMIT failed in time can be tried again", async () => {
  const { clock, batches, outcomes, submit } = startCommits(2000);
  const write = submit(1);
  await clock.advance(1);
  const refusals = batches[0]?.refusals;
  refusals?.beginCommit([0]);
  refusals?.endFailedCommit([0]);
  expect(refusals?.beginCommit([0])).toBe(true);
  batches[0]?.commit();
  await write;
  expect(outcomes).toEqual(["1 committed"]);
});

test("an engine that has failed may not commit the writes of its batch later", async () => {
  const { clock, batches, outcomes, submit } = startCommits(2000);
  const writes = [submit(1), submit(2)];
  await clock.advance(1);
  batches[0]?.fail(new Error("lost"));
  await Promise.all(writes);
  expect(outcomes).toEqual(["1 lost", "2 lost"]);
  expect(batches[0]?.refusals.beginCommit([0, 1])).toBe(false);
});

/** What an engine does next. Each `wait` lets time pass, so that writes become overdue. */
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 900 }) }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constantFrom("submit" as const, "begin" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("fail" as const, "end" as const) }) },
);

type Step = typeof step extends fc.Arbitrary<infer Each> ? Each : never;
const submit: Step = { kind: "submit" };
const begin: Step = { kind: "begin" };
const overdue: Step[] = [
  { kind: "wait", ms: 900 },
  { kind: "wait", ms: 900 },
];
/** Schedules whose writes are made, late, in doubt and made, and in doubt and not made: random ones may have none of a kind. */
const everyOutcome: [Step[]][] = [
  [[submit, begin, { kind: "end" }]],
  [[submit, ...overdue]],
  [[submit, begin, ...overdue, { kind: "end" }]],
  [[submit, begin, ...overdue, { kind: "fail" }]],
];

test("whatever the schedule: a write is made once or not at all, as its caller was told", async () => {
  const seen = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
      const { clock, commits, batches, outcomes, submit } = startCommits(1000, 1000);
      let submitted = 0;
      let done = 0;
      const made: number[] = [];
      /** The places of the batch's writes that its COMMIT has. */
      let sent: number[] = [];
      const end = (batch: Commit) => {
        for (const index of sent) made.push(batch.writes[index] ?? 0);
        batch.resolve(batch.writes.map((write, index) => (sent.includes(index) ? write : null)));
        sent = [];
        done++;
      };
      const begin = ({ writes, refusals }: Commit) => {
        const open = [...writes.keys()].filter((index) => !refusals.isRefused(index));
        if (refusals.beginCommit(open)) sent = open;
      };
      for (const next of steps) {
        const batch = batches[done];
        if (next.kind === "wait") await clock.advance(next.ms);
        else if (next.kind === "submit") void submit(++submitted);
        else if (batch && next.kind === "begin" && sent.length === 0) begin(batch);
        else if (batch && next.kind === "fail") {
          batch.refusals.endFailedCommit(sent);
          sent = [];
        } else if (batch && next.kind === "end") end(batch);
        await clock.advance(0);
      }
      while (commits.queued > 0) {
        await clock.advance(10);
        const batch = batches[done];
        if (batch) end(batch);
      }
      await clock.skipTo(commits.drain());
      await clock.advance(0);
      expect(outcomes).toHaveLength(submitted);
      for (let write = 1; write <= submitted; write++) {
        const told = outcomes.filter((outcome) => outcome.startsWith(`${write} `));
        const times = made.filter((each) => each === write).length;
        const kind = `${told[0]?.replace(/^\d+ /, "")}, ${times}`;
        seen.set(kind, (seen.get(kind) ?? 0) + 1);
        if (told[0] === `${write} committed`) expect(times).toBe(1);
        else if (told[0] === `${write} ${LATE}`) expect(times).toBe(0);
        else expect([told, times <= 1]).toEqual([[`${write} ${IN_DOUBT}`], true]);
      }
    }),
    { numRuns: 300, examples: [...everyOutcome] },
  );
  for (const kind of ["committed, 1", `${LATE}, 0`, `${IN_DOUBT}, 1`, `${IN_DOUBT}, 0`])
    expect([kind, (seen.get(kind) ?? 0) > 0]).toEqual([kind, true]);
});
