import { indexTerms, renderUser } from "../../src/domain/users/user.ts";
import type { IndexedUser } from "../../src/store/writes/write-transaction.ts";
import { sampleUser } from "../support/sample-users.ts";

/** The row of a sample user, with its number as the id. */
export function sampleRow(number: number, now: number): IndexedUser {
  const record = { ...sampleUser(number) };
  const text = new Date(now).toISOString();
  const user = renderUser(number, record, 1, text, text);
  return { row: { ...user, updatedAt: now, changedBy: null, userNameKey: null }, terms: indexTerms(record) };
}

/** The cost of the inserts, without preparing the rows. */
export interface BareReport {
  readonly users: number;
  readonly cpuMicros: number;
  readonly seconds: number;
}

/** Prepares and inserts sample users, `batch` at a time. Measures the inserts only. */
export async function measureInserts<Rows>(
  first: number,
  last: number,
  batch: number,
  prepare: (users: readonly IndexedUser[]) => Rows,
  insert: (rows: Rows) => void | Promise<void>,
): Promise<BareReport> {
  let micros = 0;
  let ms = 0;
  for (let start = first; start <= last; start += batch) {
    const now = Date.now();
    const length = Math.min(batch, last - start + 1);
    const rows = prepare(Array.from({ length }, (_, index) => sampleRow(start + index, now)));
    const before = process.cpuUsage();
    const begin = performance.now();
    await insert(rows);
    ms += performance.now() - begin;
    const { user, system } = process.cpuUsage(before);
    micros += user + system;
  }
  const users = last - first + 1;
  return { users, cpuMicros: micros / users, seconds: ms / 1000 };
}
