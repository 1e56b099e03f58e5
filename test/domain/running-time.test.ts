import { expect, test } from "bun:test";
import { startTimeout } from "../../src/client/transport/timer.ts";
import { RunningTimeout, runningTime } from "../../src/domain/running-time.ts";
import { GroupCommit } from "../../src/store/writes/group-commit.ts";
import { until } from "../support/until.ts";

/** Like a suspension: no timer fires in this time. */
const suspend = (ms: number) => Bun.sleepSync(ms);
const createTimeout = (onTimeout: () => void, ms: number) => new RunningTimeout(onTimeout, ms);

test("time limits do not count the time in which the process is suspended", async () => {
  const begin = runningTime();
  const expired: string[] = [];
  for (const start of [createTimeout, startTimeout]) start(() => expired.push(start.name), 1500);
  suspend(2800);
  expect(runningTime() - begin).toBeLessThan(1000);
  // All timers that are due fire.
  await Bun.sleep(1);
  expect({ expired }).toEqual({ expired: [] });
  await until(() => expired.length === 2);
  expect(runningTime() - begin).toBeGreaterThan(1499);
});

test("a write is late if the database takes too long, but not because the process was suspended", async () => {
  const commitWithin = (waitMs: number, commit: (ms: number) => Promise<void>) =>
    new GroupCommit<number, number>(
      async (writes) => {
        await commit(writes[0] ?? 0);
        return writes;
      },
      { batch: 1, queue: 10, waitMs },
      { committed: () => undefined },
    );
  const suspended = commitWithin(2000, (ms) => Bun.sleep(ms));
  const writes = [suspended.submit(200), suspended.submit(201)];
  await Bun.sleep(10);
  suspend(2500);
  expect(await Promise.all(writes)).toEqual([200, 201]);
  const { promise, resolve } = Promise.withResolvers<void>();
  const late = commitWithin(100, () => promise);
  await expect(late.submit(1)).rejects.toThrow("did not respond in time");
  resolve();
  await late.drain();
});
