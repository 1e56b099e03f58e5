/** Time between the first render and the first prefetch: the requests of the first view go first. */
const DELAY_MS = 1500;

type Load = () => Promise<unknown>;
const chunks: Load[] = [];

/** Adds code that a view loads on demand. */
export function registerChunk(load: Load): void {
  chunks.push(load);
}

/** Loads all code that views load on demand, one chunk at a time, so that a view opens even if the service has gone away. */
export function prefetchWhenIdle(): void {
  setTimeout(() => whenIdle(prefetchNext), DELAY_MS);
}

function prefetchNext(): void {
  const load = chunks.shift();
  // A chunk that fails to load is loaded again when a view needs it, and the view reports the error.
  load?.()
    .catch(() => undefined)
    .finally(() => whenIdle(prefetchNext));
}

function whenIdle(action: () => void): void {
  // Safari has no requestIdleCallback.
  if ("requestIdleCallback" in globalThis) requestIdleCallback(action);
  else setTimeout(action, 100);
}
