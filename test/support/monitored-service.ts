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
/** Code that runs for the first time, and a garbage collection, take longer than other turns. A stall comes back every time. */
const TRIES = 4;

export interface MonitoredService extends Omit<TestService, "clock"> {
  /**
   * Expects that no turn of the event loop since the last call took over 10 ms of CPU time (in `npm test`: 50 ms). If one
   * did, `repeat` must do the same work again, and the turn must not come back. After this call, the log is complete.
   */
  expectShortTurns(repeat: () => Promise<unknown>): Promise<void>;
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
    async expectShortTurns(repeat) {
      const takeTooLong = async () => (await takeLongTurns()).filter((ms) => ms > MAX_TURN_MS);
      let tooLong = await takeTooLong();
      for (let tries = 1; tooLong.length > 0 && tries < TRIES; tries++) {
        await repeat();
        tooLong = await takeTooLong();
      }
      expect(tooLong).toEqual([]);
    },
    async stop() {
      child.send("stop");
      await child.exited;
      await database.drop();
    },
  };
}
