import { expect, test } from "bun:test";
import { startTimeout } from "../../src/client/timer.ts";
import { RunningTimeout, runningTime } from "../../src/domain/running-time.ts";
import { GroupCommit } from "../../src/store/writes/group-commit.ts";
import { until } from "../support/until.ts";

/** Like a suspension: no timer fires in this time. */
const suspend = (ms: number) => Bun.sleepSync(ms);

test("time limits do not count the time in which the process is suspended", async () => {
  const begin = runningTime();
  const expired: string[] = [];
  new RunningTimeout(() => expired.push("domain"), 600);
  startTimeout(() => expired.push("client"), 200);
  suspend(1300);
  expect(runningTime() - begin).toBeLessThan(1000);
  await Bun.sleep(100);
  expect({ expired }).toEqual({ expired: [] });
  await until(() => expired.length === 2);
  expect(runningTime() - begin).toBeGreaterThan(599);
});

test("a write is late if the database takes too long, but not because the process was suspended", async () => {
  const commits = new GroupCommit<number, number>(
    async (writes) => {
      await Bun.sleep(writes[0] ?? 0);
      return writes;
    },
    { batch: 1, queue: 10, waitMs: 800 },
    { committed: () => undefined },
  );
  const writes = [commits.submit(200), commits.submit(201)];
  await Bun.sleep(10);
  suspend(1300);
  expect(await Promise.all(writes)).toEqual([200, 201]);
  expect(commits.submit(1200)).rejects.toThrow("did not respond in time");
  await commits.drain();
});
