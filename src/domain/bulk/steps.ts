import { loopShare } from "./loop-share.ts";

/** Work in steps of less than a millisecond each. */
export type Steps<T> = Generator<void, T>;

/** Takes all steps at once. For threads without an event loop to share. */
export function finishSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Leaves the event loop to others between the steps. Work that others wait for `first` takes its steps before other work. */
export async function runInTurns<T>(steps: Steps<T>, { first = false } = {}): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (loopShare.isSpent) await loopShare.nextTurn({ first });
  }
}
