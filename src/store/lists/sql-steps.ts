import type { Sql } from "./sql.ts";

type Rows = readonly (readonly unknown[])[];

/**
 * Work that asks a database as it goes, and knows neither which one nor whether the answer comes at once. It yields
 * SELECTs and is given their rows.
 */
export type SqlSteps<T> = Generator<Sql, T, Rows>;

/** Answers each question at once. */
export function runSteps<T>(asking: SqlSteps<T>, rows: (sql: Sql) => Rows): T {
  let step = asking.next();
  while (!step.done) step = asking.next(rows(step.value));
  return step.value;
}

/** Answers each question when its rows have come. */
export async function runStepsAsync<T>(asking: SqlSteps<T>, rows: (sql: Sql) => Promise<Rows>): Promise<T> {
  let step = asking.next();
  while (!step.done) step = asking.next(await rows(step.value));
  return step.value;
}
