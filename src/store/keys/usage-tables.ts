import type { DailyUsage } from "../../contract/users/stats-schemas.ts";
import { monthOfDay } from "../../domain/days.ts";
import type { KeyUsage } from "../../domain/keys/key-store.ts";
import type { SqlSteps } from "../sql/sql-steps.ts";

/** Rows of daily usage that one cleanup deletes at most. */
const MAX_USAGE_PER_CLEANUP = 1000;

interface UsageDialect {
  /** Prefix of table names. */
  readonly schema: string;
  /** FROM item: the elements of a JSON array, as rows with a `value`. */
  readonly elements: string;
}

/** How often keys are used: per month, for quotas, and per day. */
export class UsageTables {
  readonly #months: string;
  readonly #days: string;
  readonly #elements: string;

  constructor({ schema, elements }: UsageDialect) {
    this.#months = `${schema}key_usage`;
    this.#days = `${schema}daily_key_usage`;
    this.#elements = elements;
  }

  /** Adds uses, and returns the requests of each key in the month. */
  *count(day: string, uses: readonly KeyUsage[]): SqlSteps<ReadonlyMap<number, number>> {
    // Every node locks the rows in the order of their ids, which prevents deadlocks.
    const sorted = [...uses].sort((a, b) => a.id - b.id);
    const counted = JSON.stringify(sorted.map(({ id, requests, lastUsedAt }) => [id, requests, lastUsedAt]));
    const rows = yield {
      text: `INSERT INTO ${this.#months} (key_id, month, requests, last_used_at)
       SELECT CAST(value ->> 0 AS bigint), ?, CAST(value ->> 1 AS bigint), CAST(value ->> 2 AS bigint)
       FROM ${this.#elements} WHERE TRUE
       ON CONFLICT (key_id, month) DO UPDATE
       SET requests = key_usage.requests + excluded.requests,
           last_used_at = CASE WHEN excluded.requests > 0 THEN excluded.last_used_at ELSE key_usage.last_used_at END
       RETURNING key_id, requests`,
      values: [monthOfDay(day), counted],
    };
    yield {
      text: `INSERT INTO ${this.#days} (key_id, day, requests)
       SELECT CAST(value ->> 0 AS bigint), ?, CAST(value ->> 1 AS bigint)
       FROM ${this.#elements} WHERE CAST(value ->> 1 AS bigint) > 0
       ON CONFLICT (key_id, day) DO UPDATE SET requests = daily_key_usage.requests + excluded.requests`,
      values: [day, counted],
    };
    return new Map(rows.map(([id, requests]) => [Number(id), Number(requests)]));
  }

  *readDaily(id: number, from: string): SqlSteps<DailyUsage[]> {
    const rows = yield {
      text: `SELECT day, requests FROM ${this.#days} WHERE key_id = ? AND day >= ?`,
      values: [id, from],
    };
    return rows.map(([day, requests]) => ({ date: String(day), requests: Number(requests) }));
  }

  /** Removes some of the days before this one, and returns the number of rows. */
  *removeDaily(before: string): SqlSteps<number> {
    const rows = yield {
      text: `DELETE FROM ${this.#days} WHERE (key_id, day) IN
       (SELECT key_id, day FROM ${this.#days} WHERE day < ? ORDER BY day LIMIT ${MAX_USAGE_PER_CLEANUP}) RETURNING key_id`,
      values: [before],
    };
    return rows.length;
  }
}
