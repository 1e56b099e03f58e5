const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The pauses after the first, second, third… failed attempt. */
const retryDelaysMs = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
] as const;

/** A pause is up to this much longer, so that many retries do not come at once. */
const JITTER = 0.1;
/** A receiver can postpone a retry by at most this long. */
const MAX_RETRY_AFTER_MS = 24 * HOUR_MS;

/**
 * How long to wait after this many failed attempts; undefined after the last one. `retryAfterMs` is what the receiver asked for.
 * `random` is a number from 0 to 1.
 */
export function retryDelay(
  failures: number,
  retryAfterMs: number | undefined,
  random: number,
): number | undefined {
  const delay = retryDelaysMs[failures - 1];
  if (delay === undefined) return undefined;
  return Math.round(Math.max(delay, retryAfterMs ?? 0) * (1 + JITTER * random));
}

/** Parses the Retry-After header: seconds, or a date. Undefined if it is invalid. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(value) ? Number(value) * SECOND_MS : Date.parse(value) - now;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}
