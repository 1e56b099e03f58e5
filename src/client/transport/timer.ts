/** The longest delay that `setTimeout` supports: 24 days. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** A timer that fires later than this was suspended, with its process or its page. */
const SUSPENDED_MS = 1000;

// Tests replace the next three functions.

/** In milliseconds. */
export function now(): number {
  return performance.now();
}

/** Calls back after this time. Returns a function that prevents the call. */
export function startTimer(callback: () => void, ms: number): () => void {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}

/** Resolves after this time. Rejects as soon as the signal aborts. */
export function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimer();
      signal?.removeEventListener("abort", end);
      signal?.aborted ? reject(signal.reason) : resolve();
    };
    const clearTimer = startTimer(end, ms);
    signal?.addEventListener("abort", end);
    if (signal?.aborted) end();
  });
}

/**
 * Calls `onTimeout` after this time, and returns a function that prevents the call. After a suspension, the time starts
 * again: the response may have arrived.
 */
export function startTimeout(onTimeout: () => void, ms: number): () => void {
  let clearTimer: () => void;
  const start = () => {
    const due = now() + ms;
    clearTimer = startTimer(() => {
      if (now() - due > SUSPENDED_MS) start();
      else onTimeout();
    }, ms);
  };
  start();
  return () => clearTimer();
}
