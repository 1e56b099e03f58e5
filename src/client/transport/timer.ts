/** The longest delay that `setTimeout` supports: 24 days. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** A timer that fires later than this was suspended, with its process or its page. */
const SUSPENDED_MS = 1000;

/** The time that the client measures and waits for. Tests replace these functions. */
export const clock = {
  /** In milliseconds. */
  now: (): number => performance.now(),

  /** Calls back after this time. Returns a function that prevents the call. */
  startTimer(callback: () => void, ms: number): () => void {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },

  /** Resolves after this time. Rejects as soon as the signal aborts. */
  wait: (ms: number, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const end = () => {
        clearTimer();
        signal?.removeEventListener("abort", end);
        signal?.aborted ? reject(signal.reason) : resolve();
      };
      const clearTimer = clock.startTimer(end, ms);
      signal?.addEventListener("abort", end);
      if (signal?.aborted) end();
    }),
};

/**
 * Calls `onTimeout` after this time, and returns a function that prevents the call. After a suspension, the time starts
 * again: the response may have arrived.
 */
export function startTimeout(onTimeout: () => void, ms: number): () => void {
  let clearTimer: () => void;
  const start = () => {
    const due = clock.now() + ms;
    clearTimer = clock.startTimer(() => {
      if (clock.now() - due > SUSPENDED_MS) start();
      else onTimeout();
    }, ms);
  };
  start();
  return () => clearTimer();
}
