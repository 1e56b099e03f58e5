/** Set by `npm run test:slow`, which has the machine to itself: tests then check that promised times are kept. */
export const STRICT_TIMES = process.env.STRICT_TIMES === "1";

/** Longer than a busy machine needs. What must not be waited for in a test has to take longer. */
const BUSY_MACHINE_MS = 20_000;

/** The CPU time of this process so far, in milliseconds. For a promise about computing, which others may slow down. */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The least CPU time of ten runs, in milliseconds: what the work takes, without compilation and garbage collection. */
export function shortestTime(work: () => void): number {
  const times = Array.from({ length: 10 }, () => {
    const started = cpuTime();
    work();
    return cpuTime() - started;
  });
  return Math.min(...times);
}

/** The promised time in `npm run test:slow`. In `npm test`, long enough for a busy machine. */
export function timeLimit(promisedMs: number): number {
  return STRICT_TIMES ? promisedMs : Math.max(promisedMs, BUSY_MACHINE_MS);
}
