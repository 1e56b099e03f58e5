import { readConfig } from "../../../src/config/config.ts";
import { startService } from "../../../src/serve.ts";
import { afterThisTurn, watchTurns } from "./event-loop-turns.ts";

/** What the process of a monitored service sends to the test. */
export type MonitorMessage = { readonly url: string } | { readonly log: string } | TurnReport;

/** The turns of the event loop since the last report, in milliseconds of CPU time. */
export interface TurnReport {
  readonly longTurns: readonly number[];
  readonly longestMs: number;
  /** Turns of at least a millisecond. */
  readonly busyTurns: number;
}

/** No request may keep the event loop from other requests for longer. */
const MAX_TURN_MS = 10;
const BUSY_TURN_MS = 1;

function send(message: MonitorMessage): void {
  process.send?.(message);
}

let longTurns: number[] = [];
let longestMs = 0;
let busyTurns = 0;
watchTurns((cpuMs) => {
  if (cpuMs > BUSY_TURN_MS) busyTurns++;
  longestMs = Math.max(longestMs, cpuMs);
  if (cpuMs > MAX_TURN_MS) longTurns.push(cpuMs);
});

const output = { write: (log: string) => send({ log }), terminal: false };
const service = await startService(readConfig(process.argv.slice(2), {}), output);
process.on("message", async (message) => {
  if (message === "stop") {
    await service.stop();
    process.exit(0);
  }
  afterThisTurn(() => {
    send({ longTurns, longestMs, busyTurns });
    busyTurns = 0;
    longTurns = [];
    longestMs = 0;
  });
});
send({ url: service.url });
