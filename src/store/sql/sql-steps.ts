import { loopShare, type TurnOptions } from "../../domain/scheduling/loop-share.ts";
import type { Sql } from "./sql.ts";

type Rows = readonly (readonly unknown[])[];

/**
 * Database work for any engine: a generator that yields SQL and receives its rows, synchronously or later. `PAUSE` between steps
 * of long work leaves the event loop to others.
 */
export type SqlSteps<T> = Generator<Sql | typeof PAUSE, T, Rows>;

export const PAUSE = undefined;
const NO_ROWS: Rows = [];

export function runSteps<T>(steps: SqlSteps<T>, query: (sql: Sql) => Rows): T {
  let step = steps.next();
  while (!step.done) step = steps.next(step.value === PAUSE ? NO_ROWS : query(step.value));
  return step.value;
}

/** Leaves the event loop to others before each step: the rows of many lists can arrive in the same turn. */
export async function runStepsAsync<T>(
  steps: SqlSteps<T>,
  query: (sql: Sql) => Promise<Rows>,
  options?: TurnOptions,
): Promise<T> {
  let step = steps.next();
  while (!step.done) {
    const rows = step.value === PAUSE ? NO_ROWS : await query(step.value);
    if (loopShare.isSpent) await loopShare.nextTurn(options);
    step = steps.next(rows);
  }
  return step.value;
}
