import type { Sql } from "./sql.ts";

type Rows = readonly (readonly unknown[])[];

/** Database work for any engine: a generator that yields SQL and receives its rows, synchronously or later. */
export type SqlSteps<T> = Generator<Sql, T, Rows>;

export function runSteps<T>(steps: SqlSteps<T>, query: (sql: Sql) => Rows): T {
  let step = steps.next();
  while (!step.done) step = steps.next(query(step.value));
  return step.value;
}

export async function runStepsAsync<T>(steps: SqlSteps<T>, query: (sql: Sql) => Promise<Rows>): Promise<T> {
  let step = steps.next();
  while (!step.done) step = steps.next(await query(step.value));
  return step.value;
}
