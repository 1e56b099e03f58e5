import { loopShare } from "../../domain/bulk/loop-share.ts";
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

export async function runStepsAsync<T>(steps: SqlSteps<T>, query: (sql: Sql) => Promise<Rows>): Promise<T> {
  let step = steps.next();
  while (!step.done) {
    if (step.value !== PAUSE) step = steps.next(await query(step.value));
    else {
      if (loopShare.isSpent) await loopShare.nextTurn();
      step = steps.next(NO_ROWS);
    }
  }
  return step.value;
}
