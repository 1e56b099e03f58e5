import { connect } from "./database.ts";
import { checkInSlices } from "./health/check-slices.ts";
import { serveRequests, type ThreadSetup } from "./thread.ts";

export interface CheckRequest {
  readonly kind: "check";
}
export interface CheckResponse {
  readonly kind: "check";
  readonly done: boolean;
}

/** Longest time per request, so the service can stop in between. */
const REQUEST_MS = 100;
/** Pause after each slice, as a multiple of the time that the slice took: the check leaves the disk to callers. */
const PAUSE_FACTOR = 3;

/** The check thread: reads the whole file to find damage. */
serveRequests<ThreadSetup, CheckRequest, CheckResponse>(({ path, waitMs }) => {
  const db = connect(path, waitMs);
  const slices = checkInSlices(db);
  return {
    respond({ kind }) {
      const deadline = performance.now() + REQUEST_MS;
      for (;;) {
        const start = performance.now();
        if (slices.next().done) return { kind, done: true };
        const end = performance.now();
        const pause = Math.min((end - start) * PAUSE_FACTOR, REQUEST_MS);
        Bun.sleepSync(pause);
        if (end + pause > deadline) return { kind, done: false };
      }
    },
    close: () => db.close(),
  };
});
