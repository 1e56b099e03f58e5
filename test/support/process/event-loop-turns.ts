import { dlopen, ptr } from "bun:ffi";

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

const TICK_MS = 1;

/**
 * Calls `note` with the CPU time of each turn of the event loop, in milliseconds. A timer fires at the first turn after it is
 * due: the CPU time between two calls is at most a millisecond more than that of the longest turn.
 */
export function watchTurns(note: (cpuMs: number) => void): void {
  let last = threadCpuMs();
  setInterval(() => {
    const now = threadCpuMs();
    note(now - last);
    last = now;
  }, TICK_MS);
}

/** Calls back when the turn that is running has been noted. */
export function afterThisTurn(callback: () => void): void {
  setTimeout(callback, 2 * TICK_MS);
}
