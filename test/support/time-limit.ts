/** Set by `npm run test:slow`, which has the machine to itself: tests then check that promised times are kept. */
export const STRICT_TIMES = process.env.STRICT_TIMES === "1";

/** Longer than a busy machine needs. What must not be waited for in a test has to take longer. */
const BUSY_MACHINE_MS = 20_000;

/** The promised time in `npm run test:slow`. In `npm test`, long enough for a busy machine. */
export function timeLimit(promisedMs: number): number {
  return STRICT_TIMES ? promisedMs : Math.max(promisedMs, BUSY_MACHINE_MS);
}
