import { useEffect, useEffectEvent, useSyncExternalStore } from "react";

/**
 * Runs work while it is active and the page is visible, and again for each key. The signal ends the work. A hidden page follows
 * nothing: browsers allow only a few connections to a service.
 */
export function useWhileVisible(
  isActive: boolean,
  key: string,
  work: (key: string, signal: AbortSignal) => Promise<void>,
): void {
  const isVisible = useSyncExternalStore(subscribeToVisibility, () => document.visibilityState === "visible");
  const isRunning = isActive && isVisible;
  const run = useEffectEvent(work);
  useEffect(() => {
    if (!isRunning) return;
    const stop = new AbortController();
    void run(key, stop.signal);
    return () => stop.abort();
  }, [key, isRunning]);
}

function subscribeToVisibility(listener: () => void): () => void {
  document.addEventListener("visibilitychange", listener);
  return () => document.removeEventListener("visibilitychange", listener);
}
