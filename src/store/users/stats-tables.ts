import type { DailyChanges } from "../../domain/users/stats.ts";
import type { SqlSteps } from "../sql/sql-steps.ts";

/** The statements that read daily counts, for any engine. */
class StatsTables {
  readonly #text: string;

  /** `schema` is the prefix of table names; `total` is a query for the number of users. */
  constructor(schema: string, total: string) {
    // One statement: the total and the changes belong together. The first row has the total.
    this.#text = `
      SELECT '', (${total}), 0, 0
      UNION ALL
      SELECT day, sum(created), sum(deleted), sum(restored) FROM ${schema}daily_users WHERE day >= ? GROUP BY day`;
  }

  *readUsers(from: string): SqlSteps<{ total: number; changes: DailyChanges[] }> {
    const rows = yield { text: this.#text, values: [from] };
    let total = 0;
    const changes: DailyChanges[] = [];
    for (const [day, created, deleted, restored] of rows) {
      if (day === "") total = Number(created);
      else {
        changes.push({
          date: String(day),
          created: Number(created),
          deleted: Number(deleted),
          restored: Number(restored),
        });
      }
    }
    return { total, changes };
  }
}

export const sqliteStats = new StatsTables("", "SELECT users FROM directory");
export const postgresStats = new StatsTables("roster.", "SELECT sum(users) FROM roster.user_counts");
