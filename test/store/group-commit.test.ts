import { expect, test } from "bun:test";
import { GroupCommit } from "../../src/store/writes/group-commit.ts";
import { TestClock } from "../support/test-clock.ts";

/** Commits that end when the test says so. */
function startCommits(waitMs: number) {
  const clock = TestClock.stopped();
  const batches: { readonly writes: readonly number[]; readonly commit: () => void }[] = [];
  const commits = new GroupCommit<number, number>(
    (writes) => new Promise((resolve) => batches.push({ writes, commit: () => resolve(writes) })),
    { batch: 2, queue: 3, waitMs, clock },
    { committed: () => undefined },
  );
  const outcomes: string[] = [];
  const submit = (write: number) =>
    commits.submit(write).then(
      (outcome) => outcomes.push(`${outcome} committed`),
      (error: Error) => outcomes.push(`${write} ${error.message.split(".")[0]}`),
    );
  return { clock, commits, batches, outcomes, submit };
}

const LATE = "unavailable: The database did not respond in time";

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
  await commits.drain();
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
  expect(outcomes).toEqual(["5 unavailable: Too many writes are waiting"]);
  batches[0]?.commit();
  await first;
  await clock.advance(1);
  batches[1]?.commit();
  await clock.advance(1);
  batches[2]?.commit();
  await commits.drain();
  await Promise.all(more);
  expect(batches.map((batch) => batch.writes)).toEqual([[1], [2, 3], [4]]);
  expect(outcomes.slice(1)).toEqual(["1 committed", "2 committed", "3 committed", "4 committed"]);
});
