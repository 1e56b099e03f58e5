import { expect } from "bun:test";
import { join } from "node:path";
import { databaseOn, type Engine } from "./engines.ts";
import { root } from "./paths.ts";
import type { MonitorMessage, TurnReport } from "./process/monitored-process.ts";
import { connectTo, type Settings, serviceSettings, type TestService } from "./service.ts";
import { until } from "./until.ts";

const main = join(root, "test/support/process/monitored-process.ts");
/** Code that runs for the first time, and a garbage collection, take longer than other turns. A stall comes back every time. */
const TRIES = 4;

export interface MonitoredService extends Omit<TestService, "clock"> {
  readonly pid: number;
  /** The turns of the event loop since the last call. Long ones took over 10 ms of CPU time. */
  takeTurns(): Promise<TurnReport>;
  /**
   * Expects that no turn of the event loop since the last call took over 10 ms of CPU time. If one did, `repeat` must do the
   * same work again, and the turn must not come back. Even CPU times are longer on a busy machine: for *.slow.ts only.
   */
  expectShortTurns(repeat: () => Promise<unknown>): Promise<void>;
}

/** Starts the service in its own process, which measures the turns of its event loop. */
export async function startMonitoredService(
  overrides: Settings = {},
  engine: Engine = "sqlite",
): Promise<MonitoredService> {
  const database = await databaseOn(engine);
  const { flags, env } = serviceSettings(database.url, overrides);
  if (Object.keys(env).length > 0) throw new Error(`A monitored service has no setting ${Object.keys(env)}.`);
  const log: string[] = [];
  let url: string | undefined;
  let turns: TurnReport | undefined;
  const child = Bun.spawn([process.execPath, main, ...flags], {
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
    ipc(message: MonitorMessage) {
      if ("log" in message) log.push(message.log);
      else if ("url" in message) url = message.url;
      else turns = message;
    },
  });
  const untilReported = <Value>(find: () => Value | undefined, what: string) =>
    until(
      () => {
        const value = find();
        if (value === undefined && child.exitCode !== null)
          throw new Error(`The service ended with ${child.exitCode} before it reported ${what}.`);
        return value;
      },
      () => `the service reports ${what}`,
    );
  const connection = connectTo(await untilReported(() => url, "its URL"));
  const takeTurns = () => {
    turns = undefined;
    child.send("measure");
    return untilReported(() => turns, "its turns");
  };
  // Leaves out the start of the process.
  await takeTurns();
  return {
    ...connection,
    log,
    pid: child.pid,
    takeTurns,
    async expectShortTurns(repeat) {
      let { longTurns: tooLong } = await takeTurns();
      for (let tries = 1; tooLong.length > 0 && tries < TRIES; tries++) {
        await repeat();
        ({ longTurns: tooLong } = await takeTurns());
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
