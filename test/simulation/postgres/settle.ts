import type { Machine } from "../machine.ts";

/** Longer than anything that a test waits for, in the time of the machine. */
const LIMIT_MS = 600_000;

/** Runs the machine until the promise settles. */
export async function settle<T>(machine: Machine, promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const note = () => {
    isSettled = true;
  };
  promise.then(note, note);
  await machine.runUntil(machine.elapsedMs + LIMIT_MS, () => !isSettled);
  if (!isSettled) throw new Error(`Nothing happened within ${LIMIT_MS} simulated milliseconds.`);
  return promise;
}
