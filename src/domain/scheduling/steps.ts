import { loopShare, type TurnOptions } from "./loop-share.ts";

/** Work in steps of less than a millisecond each. */
export type Steps<T> = Generator<void, T>;

/** Takes all steps at once. For threads without an event loop to share. */
export function finishSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Leaves the event loop to others between the steps. */
export async function runInTurns<T>(steps: Steps<T>, options?: TurnOptions): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (loopShare.isSpent) await loopShare.nextTurn(options);
  }
}
