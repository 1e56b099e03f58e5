/** How long to test each property, in seconds. Without SCIM_SECONDS, a fixed number of times. */
const SECONDS = Number(process.env.SCIM_SECONDS ?? 0);

/** How often fast-check runs a property. */
export function amountOf(numRuns: number): { numRuns: number; interruptAfterTimeLimit?: number } {
  return SECONDS > 0
    ? { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: SECONDS * 1000 }
    : { numRuns };
}
