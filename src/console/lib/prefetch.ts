/** Time between the first render and the first prefetch: the requests of the first view go first. */
const DELAY_MS = 1500;

type Load = () => Promise<unknown>;
const chunks: Load[] = [];

/** Adds code that a view loads on demand. */
export function registerChunk(load: Load): void {
  chunks.push(load);
}

/**
 * Loads all code that views load on demand, one chunk at a time, so that a view opens even if the service has gone away. Not
 * for people who save data.
 */
export function prefetchWhenIdle(): void {
  if (savesData()) return;
  setTimeout(() => whenIdle(prefetchNext), DELAY_MS);
}

function prefetchNext(): void {
  const load = chunks.shift();
  // A chunk that fails to load is loaded again when a view needs it, and the view reports the error.
  load?.()
    .catch(() => undefined)
    .finally(() => whenIdle(prefetchNext));
}

/** Whether the browser is set to save data. Firefox and Safari do not say. */
function savesData(): boolean {
  const connection: unknown = Reflect.get(navigator, "connection");
  return (
    typeof connection === "object" &&
    connection !== null &&
    "saveData" in connection &&
    connection.saveData === true
  );
}

function whenIdle(action: () => void): void {
  // Safari has no requestIdleCallback.
  if ("requestIdleCallback" in globalThis) requestIdleCallback(action);
  else setTimeout(action, 100);
}
