import { expect, test } from "bun:test";
import { countInRounds } from "../../src/store/lists/plans/count.ts";

/** Rounds that find this many matches each and take this long, and the clock that they are measured with. */
function slowRounds(found: number, milliseconds: number, rounds: number) {
  let time = 0;
  let run = 0;
  return {
    clock: { running: () => time },
    runRound: async () => {
      time += milliseconds;
      run += 1;
      return { found, last: run < rounds ? run : undefined };
    },
  };
}

test("a count ends with the list", async () => {
  const { runRound, clock } = slowRounds(10, 1, 7);
  expect(await countInRounds(runRound, clock)).toEqual({ count: 70, capped: false });
});

test("a count ends at 100,000", async () => {
  const { runRound, clock } = slowRounds(60_000, 1, 7);
  expect(await countInRounds(runRound, clock)).toEqual({ count: 100_000, capped: true });
});

test("a count that takes long returns what it has found", async () => {
  const { runRound, clock } = slowRounds(10, 100, 7);
  expect(await countInRounds(runRound, clock)).toEqual({ count: 30, capped: true });
});

test("a caller that has more time gets more of the count", async () => {
  const whole = slowRounds(10, 100, 7);
  expect(await countInRounds(whole.runRound, whole.clock, 10_000)).toEqual({ count: 70, capped: false });
  const part = slowRounds(10, 100, 7);
  expect(await countInRounds(part.runRound, part.clock, 500)).toEqual({ count: 50, capped: true });
});
