import { expect } from "bun:test";
import { join } from "node:path";
import { databaseOn, type Engine } from "./engines.ts";
import { root } from "./paths.ts";
import type { MonitorMessage } from "./process/monitored-process.ts";
import { connectTo, type Settings, serviceFlags, type TestService } from "./service.ts";
import { STRICT_TIMES } from "./time-limit.ts";
import { until } from "./until.ts";

const main = join(root, "test/support/process/monitored-process.ts");
/** Promised: 10 ms. On a busy machine, even CPU times are several times as long, so `npm test` finds only long stalls. */
const MAX_TURN_MS = STRICT_TIMES ? 10 : 50;
/** A single turn may take longer: code that runs for the first time, or a garbage collection. */
const MAX_SINGLE_TURN_MS = STRICT_TIMES ? 50 : 250;

export interface MonitoredService extends TestService {
  /**
   * Expects that no turn of the event loop since the last call took over 10 ms of CPU time (in `npm test`: 50 ms), except
   * for one (or `exceptions`). After this call, the log is complete.
   */
  expectShortTurns(exceptions?: number): Promise<void>;
}

/** Starts the service in its own process, which measures the turns of its event loop. */
export async function startMonitoredService(
  overrides: Settings = {},
  engine: Engine = "sqlite",
): Promise<MonitoredService> {
  const database = await databaseOn(engine);
  const log: string[] = [];
  let url: string | undefined;
  let longTurns: readonly number[] | undefined;
  const child = Bun.spawn([process.execPath, main, ...serviceFlags(database.url, overrides)], {
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
    ipc(message: MonitorMessage) {
      if ("log" in message) log.push(message.log);
      else if ("url" in message) url = message.url;
      else longTurns = message.longTurns;
    },
  });
  const connection = connectTo(
    await until(
      () => url,
      () => "the service reports its URL",
    ),
  );
  const takeLongTurns = () => {
    longTurns = undefined;
    child.send("measure");
    return until(
      () => longTurns,
      () => "the service reports its long turns",
    );
  };
  // Leaves out the start of the process.
  await takeLongTurns();
  return {
    ...connection,
    log,
    async expectShortTurns(exceptions = 1) {
      const turns = [...(await takeLongTurns())].sort((a, b) => b - a);
      const [longest = 0] = turns;
      const others = turns.slice(exceptions).filter((ms) => ms > MAX_TURN_MS);
      expect({ longest: Math.max(longest, MAX_SINGLE_TURN_MS), others }).toEqual({
        longest: MAX_SINGLE_TURN_MS,
        others: [],
      });
    },
    async stop() {
      child.send("stop");
      await child.exited;
      await database.drop();
    },
  };
}
