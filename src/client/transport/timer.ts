/** The longest delay that `setTimeout` supports: 24 days. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** A timer that fires later than this was suspended, with its process or its page. */
const SUSPENDED_MS = 1000;

/**
 * Calls `onTimeout` after this time, and returns a function that prevents the call. After a suspension, the time starts
 * again: the response may have arrived.
 */
export function startTimeout(onTimeout: () => void, ms: number): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const start = () => {
    const due = performance.now() + ms;
    timer = setTimeout(() => {
      if (performance.now() - due > SUSPENDED_MS) start();
      else onTimeout();
    }, ms);
  };
  start();
  return () => clearTimeout(timer);
}
