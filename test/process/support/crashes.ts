import { expect } from "bun:test";
import { join } from "node:path";
import { findSqliteCorruption } from "../../support/consistency/list-checks.ts";
import { Workload, type WorkloadOptions } from "../../support/consistency/workload.ts";
import { startRoster, temporaryFolder } from "../../support/process/roster.ts";

/** For a long run that prints its counts: `CRASH_ROUNDS=200 npm test -- ./test/process/crash.full.ts`. */
const roundsSetting = process.env.CRASH_ROUNDS;
export const CRASH_TIMEOUT_MS = 240_000 + Number(roundsSetting ?? 0) * 20_000;

interface CrashOptions extends Pick<WorkloadOptions, "withinMs" | "pauseMs"> {
  readonly rounds: number;
}

/** Kills the service at random times under load. Expects that no acknowledged write is lost. */
export async function crashUnderLoad({ rounds: usualRounds, ...options }: CrashOptions): Promise<void> {
  const rounds = Number(roundsSetting ?? usualRounds);
  const database = join(temporaryFolder(), "roster.db");
  let roster = await startRoster(database);
  const load = new Workload({ ports: () => [roster.port], mayBreak: true, ...options });
  await load.prepare();
  const restarts: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    load.start();
    await roster.until(load.moreWrites(20), () => "20 more writes");
    await Bun.sleep(Math.random() * 300);
    roster.kill("SIGKILL");
    await roster.exited;
    roster = await startRoster(database);
    restarts.push(roster.startMs);
    await load.stop();
    const errors = await load.findErrors([roster], (users) => findSqliteCorruption(database, users));
    expect({ round, errors }).toEqual({ round, errors: [] });
  }
  if (roundsSetting)
    console.log({ rounds, ...load.counts, ...load.history.counts, slowestRestart: Math.max(...restarts) });
}
