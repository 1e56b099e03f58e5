import { ApiError, type ImportedLine, NetworkError, TimeoutError } from "../client/index.ts";
import type { Retries } from "./retries.ts";

/**
 * The results of an import, each once. If the connection is lost after the first result, or the service cannot continue,
 * `start` is called again: with the same idempotency key, it creates no user twice. Throws the last error.
 */
export async function* resumeImport(
  start: () => AsyncIterable<ImportedLine>,
  retries: Retries,
): AsyncGenerator<ImportedLine, void> {
  let lastLine = 0;
  for (;;) {
    const interrupted: ImportedLine[] = [];
    try {
      for await (const result of start()) {
        // A repeated import begins with the results of all earlier lines.
        if (result.line <= lastLine) continue;
        if (isInterruption(result.problem?.type)) {
          interrupted.push(result);
          continue;
        }
        lastLine = result.line;
        retries.noteProgress();
        yield result;
      }
      return;
    } catch (error) {
      const canResume = lastLine > 0 && wasInterrupted(error);
      if (canResume && (await retries.wait(`The import was interrupted after line ${lastLine}.`))) continue;
      yield* interrupted;
      throw error;
    }
  }
}

/** Whether a result with this problem says that the import ended, and not what is wrong with its line. */
function isInterruption(problemType: string | undefined): boolean {
  return problemType === "/problems/unavailable" || problemType === "/problems/request-timeout";
}

function wasInterrupted(error: unknown): boolean {
  if (error instanceof ApiError) return isInterruption(error.problem?.type);
  return error instanceof NetworkError || error instanceof TimeoutError;
}
