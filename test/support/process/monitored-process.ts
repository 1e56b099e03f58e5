import { dlopen, ptr } from "bun:ffi";
import { readConfig } from "../../../src/config/config.ts";
import { startService } from "../../../src/serve.ts";

/** What the process of a monitored service sends to the test. */
export type MonitorMessage =
  | { readonly url: string }
  | { readonly log: string }
  | { readonly longTurns: readonly number[]; readonly longestMs: number };

const TICK_MS = 1;
/** No request may keep the event loop from other requests for longer. */
const MAX_TURN_MS = 10;

function send(message: MonitorMessage): void {
  process.send?.(message);
}

const isMac = process.platform === "darwin";
const CLOCK_THREAD_CPUTIME_ID = isMac ? 16 : 3;
const { symbols } = dlopen(isMac ? "libSystem.B.dylib" : "libc.so.6", {
  clock_gettime: { args: ["i32", "ptr"], returns: "i32" },
});
const time = new BigInt64Array(2);
const timePointer = ptr(time);

/**
 * CPU time of this thread. Unlike wall time, it does not grow while other processes use the processor.
 * `process.threadCpuUsage` is too coarse: it may advance by 4 ms at once.
 */
function threadCpuMs(): number {
  symbols.clock_gettime(CLOCK_THREAD_CPUTIME_ID, timePointer);
  return Number(time[0]) * 1000 + Number(time[1]) / 1e6;
}

// A timer fires at the first turn of the event loop after it is due: the CPU time between two calls is at most a
// millisecond more than that of the longest turn.
let last = threadCpuMs();
let longTurns: number[] = [];
let longestMs = 0;
setInterval(() => {
  const now = threadCpuMs();
  longestMs = Math.max(longestMs, now - last);
  if (now - last > MAX_TURN_MS) longTurns.push(now - last);
  last = now;
}, TICK_MS);

const output = { write: (log: string) => send({ log }), terminal: false };
const service = await startService(readConfig(process.argv.slice(2), {}), output);
process.on("message", async (message) => {
  if (message === "stop") {
    await service.stop();
    process.exit(0);
  }
  // In the next turn: also counts the turn that is running.
  setTimeout(() => {
    send({ longTurns, longestMs });
    longTurns = [];
    longestMs = 0;
  }, 2 * TICK_MS);
});
send({ url: service.url });
