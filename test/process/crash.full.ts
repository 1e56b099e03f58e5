import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { findSqliteCorruption } from "../support/consistency/list-checks.ts";
import { Workload } from "../support/consistency/workload.ts";
import { startRoster, stopAll, temporaryFolder } from "../support/process/roster.ts";
import { timeLimit } from "../support/time-limit.ts";
import { until } from "../support/until.ts";

afterAll(stopAll);

/** For a long run that prints its counts: `CRASH_ROUNDS=200 npm test crash`. */
const roundsSetting = process.env.CRASH_ROUNDS;
const rounds = Number(roundsSetting ?? 8);

test(
  "after kill -9 at any time, acknowledged writes are kept, and others are complete or absent",
  async () => {
    const database = join(temporaryFolder(), "roster.db");
    let roster = await startRoster(database);
    const withinMs = timeLimit(10_000);
    const load = new Workload({ ports: () => [roster.port], withinMs, mayBreak: true });
    await load.prepare();
    const restarts: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      load.start();
      await Bun.sleep(100 + Math.random() * 500);
      await until(() => load.counts.acknowledged > round * 20);
      roster.kill("SIGKILL");
      await roster.exited;
      roster = await startRoster(database);
      restarts.push(roster.startMs);
      await load.stop();
      const errors = await load.findErrors([roster], (users) => findSqliteCorruption(database, users));
      expect({ round, errors }).toEqual({ round, errors: [] });
    }
    expect(load.counts.acknowledged).toBeGreaterThan(rounds * 20);
    if (roundsSetting)
      console.log({
        rounds,
        ...load.counts,
        ...load.history.counts,
        slowestRestart: Math.max(...restarts),
      });
  },
  120_000 + rounds * 10_000,
);
